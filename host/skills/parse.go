package skills

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The longest that is told of a skill, in characters; a text may say more.
const (
	mostName        = 64
	mostDescription = 1024
)

// parse takes a text apart: what is said about the skill before it, else its first line, and the text.
func (s *Skill) parse(text string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	about, rest := split(text)
	s.Text = strings.TrimSpace(rest)
	name, description := front(about)
	if name = oneLine(name, mostName); name != "" {
		s.Name = name
	}
	if s.Description = oneLine(description, mostDescription); s.Description == "" {
		first, _, _ := strings.Cut(s.Text, "\n")
		s.Description = oneLine(strings.TrimLeft(first, "# "), mostDescription)
	}
	if s.Text == "" && s.Description == "" {
		s.Problem = "it is empty"
	}
}

// split cuts off the front matter: lines between two of three dashes, at the very beginning.
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

// plain is a line of front matter that has no structure.
var plain = regexp.MustCompile(`(?m)^(name|description):[ \t]*(.*)$`)

// front reads front matter. Some is no YAML, since a colon stands where none may, and is read line by line.
func front(about string) (name, description string) {
	var fields struct {
		Name        yaml.Node `yaml:"name"`
		Description yaml.Node `yaml:"description"`
	}
	if yaml.Unmarshal([]byte(about), &fields) == nil {
		return fields.Name.Value, fields.Description.Value
	}
	for _, m := range plain.FindAllStringSubmatch(about, -1) {
		switch m[1] {
		case "name":
			name = m[2]
		case "description":
			description = m[2]
		}
	}
	return name, description
}

// oneLine is a text with its white space made one, and cut.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
