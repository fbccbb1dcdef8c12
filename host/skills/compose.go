package skills

import (
	"fmt"
	"slices"
	"strings"
)

// Message is what an agent is told of skills.
type Message struct {
	Text  string   // "" if there is nothing to tell
	Index int      // skills that are named in it
	Whole int      // of these, with their text
	Left  []string // on each that the size left out, a few words
}

const (
	preface = `Skills are instructions that the user keeps for certain tasks. Before you begin a task that one of them is for, read
its file; paths in it are relative to that file. Do not read the others. The list takes the place of any earlier one.
`
	always = "\nThese skills hold for everything that you do here. This is their whole text:\n"
)

// Nothing tells an agent that what it was told of skills holds no longer.
const Nothing = "The skills that were named earlier in this conversation are not in force any more.\n"

// Compose makes the message of those skills, of which the active ones go along with their text, in no more than budget bytes:
// first the active ones, then the names of the others.
func Compose(list []Skill, active func(Skill) bool, budget int) Message {
	var m Message
	var index, texts strings.Builder
	size := len(preface)
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
		m.Text = preface + index.String() + texts.String()
	}
	return m
}

// Effective are the skills that can be used, of several with the same name the first. Which folders are trusted, trusted says;
// those of the user are.
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
