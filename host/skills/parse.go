package skills

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// The longest name and description of a skill in a message, in characters.
const (
	maxName        = 64
	maxDescription = 1024
)

// parse splits a text into the description, from front matter or the first line, and the text itself.
func (s *Skill) parse(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	about, rest := split(text)
	s.Text = strings.TrimSpace(rest)
	name, description := front(about)
	if name = oneLine(name, maxName); name != "" {
		s.Name = name
	}
	if s.Description = oneLine(description, maxDescription); s.Description == "" {
		first, _, _ := strings.Cut(s.Text, "\n")
		s.Description = oneLine(strings.TrimLeft(first, "# "), maxDescription)
	}
	if s.Text == "" && s.Description == "" {
		s.Problem = "it is empty"
	}
}

// split separates the front matter: the lines between two lines of three dashes, at the very beginning.
func split(text string) (about, rest string) {
	if !strings.HasPrefix(text, "---\n") {
		return "", text
	}
	lines := strings.SplitAfter(text[4:], "\n")
	n := 4
	for _, line := range lines {
		if word := strings.TrimRight(line, " \t\n"); word == "---" || word == "..." {
			return text[4:n], text[n+len(line):]
		}
		n += len(line)
	}
	return "", text
}

// plain matches a line of front matter without structure.
var plain = lazy.Regexp(`(?m)^(name|description):[ \t]*(.*)$`)

// front reads front matter. Text that is not valid YAML, because of a stray colon, is read line by line.
func front(about string) (name, description string) {
	var fields struct {
		Name        yaml.Node `yaml:"name"`
		Description yaml.Node `yaml:"description"`
	}
	if yaml.Unmarshal([]byte(about), &fields) == nil {
		return fields.Name.Value, fields.Description.Value
	}
	for _, m := range plain().FindAllStringSubmatch(about, -1) {
		switch m[1] {
		case "name":
			name = m[2]
		case "description":
			description = m[2]
		}
	}

	return name, description
}

// oneLine returns a text with single spaces, cut to a length.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
