package input

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"mvdan.cc/sh/v3/syntax"
)

// Unknown returns the members by which a call may do something else than it seems, those within others by their own names: rules
// do not know them.
func (i Input) Unknown() []Member {
	if i.lone != "" {
		return []Member{{Name: "input", Value: jsontext.Value(i.lone)}}
	}

	known := func(m Member) bool { return knownWord(m, 0) }
	if i.Command() != "" {
		known = i.knownBeside
	}

	var list []Member
	for _, m := range i.members {
		if !empty(m.Value) && !known(m) {
			list = append(list, m)
		}
	}

	return list
}

// knownBeside reports whether a member beside a command, or that command, is known.
func (i Input) knownBeside(m Member) bool {
	switch {
	case m.Name == "args":
		return m.Value.Kind() == '[' && plainWords(m.Value) // the command has them
	case in("command", m.Name):
		return i.line(m.Value) != "" && plainWords(m.Value)
	case in("folder", m.Name):
		return textOf(m.Value) == i.Dir() && m.Value.Kind() == '"'
	case in("off", m.Name):
		return string(compact(m.Value)) == "false"
	case m.Name == "commands": // as one agent has read it
		calls := callsOf(i.Command())
		return !slices.ContainsFunc(elements(m.Value), func(e Member) bool {
			text := textOf(e.Value)
			return text == "" || !slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call+" ", text+" ") })
		})
	}

	return in("beside", m.Name) && m.Value.Kind() != '{' && m.Value.Kind() != '['
}

// callsOf returns a command and the parts of it that are commands, as they are written: a text within quotes is none.
func callsOf(command string) []string {
	list := []string{command}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return list
	}

	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr, *syntax.Stmt, *syntax.BinaryCmd:
			list = append(list, command[n.Pos().Offset():n.End().Offset()])
		}
		return true
	})
	return list
}

// knownWord reports whether a member of a call that runs nothing is known, and all within it.
func knownWord(m Member, depth int) bool {
	is := func(group string) bool { return in(group, m.Name) }
	if m.Name != "" && !HasPath(m.Name) && !slices.ContainsFunc(tools, is) || depth == maxDepth {
		return false
	}
	return !slices.ContainsFunc(elements(m.Value), func(e Member) bool { return !knownWord(e, depth+1) })
}

// tools are the groups of members that tools have which run nothing.
var tools = []string{"beside", "text", "patch", "link", "pattern", "names", "expression", "except", "type", "words"}

// Empty reports whether a member says nothing.
func (m Member) Empty() bool { return empty(m.Value) }

// Said reports whether a member is a text that is only said, beside a command.
func (m Member) Said() bool { return in("beside", m.Name) && m.Value.Kind() == '"' }

// Parts returns what a list or an object has. What has no name of its own, as in a list, has that of the member.
func (m Member) Parts() []Member {
	list := elements(m.Value)
	for i := range list {
		if list[i].Name == "" {
			list[i].Name = m.Name
		}
	}
	return list
}

// Shown returns a value in one line, as text where it is one.
func (m Member) Shown() string {
	if text := textOf(m.Value); text != "" {
		return text
	}
	return string(compact(m.Value))
}
