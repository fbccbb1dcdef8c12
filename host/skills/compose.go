package skills

import (
	"fmt"
	"slices"
	"strings"
)

// Message is the message to an agent about skills.
type Message struct {
	Text  string   // "" if there is none
	Index int      // skills that are named in it
	Whole int      // of these, with their text
	Left  []string // a description of each skill left out for the size
}

const (
	// Preface begins a message that names skills.
	Preface = `Skills are instructions that the user keeps for certain tasks. Before you begin a task that one of them is for, read
its file; paths in it are relative to that file. Do not read the others. The list takes the place of any earlier one.
`
	always = "\nThese skills hold for everything that you do here. This is their whole text:\n"
)

// URI is that of a message as a resource.
const URI = "nvim:///skills.md"

// Nothing tells an agent that its previous list of skills is void.
const Nothing = "The skills that were named earlier in this conversation no longer apply.\n"

// Compose returns the message about skills, in no more than budget bytes: first the active ones with their text, then the names
// of the others.
func Compose(list []Skill, active func(Skill) bool, budget int) Message {
	var m Message
	var index, texts strings.Builder
	size := len(Preface)
	fits := func(n int) bool {
		if size+n > budget {
			return false
		}
		size += n
		return true
	}

	name := func(s Skill) bool {
		line := fmt.Sprintf("\n- %s: %s\n  %s\n", s.Name, s.Description, s.Path)
		if !fits(len(line)) {
			m.Left = append(m.Left, s.Name)
			return false
		}
		index.WriteString(line)
		m.Index++
		return true
	}

	var rest []Skill
	for _, s := range list {
		if !active(s) {
			rest = append(rest, s)
			continue
		}
		if !name(s) {
			continue
		}

		text := fmt.Sprintf("\n<skill name=%q path=%q>\n%s\n</skill>\n", s.Name, s.Path, s.Text)
		first := ""
		if m.Whole == 0 {
			first = always
		}
		if !fits(len(first) + len(text)) {
			m.Left = append(m.Left, "the text of "+s.Name)
			continue
		}

		texts.WriteString(first + text)
		m.Whole++
	}

	for _, s := range rest {
		name(s)
	}

	if m.Index > 0 {
		m.Text = Preface + index.String() + texts.String()
	}

	return m
}

// Effective returns the usable skills, the first of several with the same name. trusted reports which folders of a project are
// trusted.
func Effective(folders []Folder, trusted func(Folder) bool) []Skill {
	var list []Skill
	for _, f := range folders {
		if f.Project && !trusted(f) {
			continue
		}
		for _, s := range f.Skills {
			same := func(o Skill) bool { return o.Name == s.Name }
			if s.Problem == "" && !slices.ContainsFunc(list, same) {
				list = append(list, s)
			}
		}
	}

	return list
}
