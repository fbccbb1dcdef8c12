package rules

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"mvdan.cc/sh/v3/syntax"
)

var (
	// simple is the first word of a command that means the same after the words below as without them.
	simple = lazy.Regexp(`^[A-Za-z0-9_./+-]*$`)
	// reserved are such words that shells take for something else.
	reserved = strings.Fields(`if then else elif fi do done case esac while until for in select function time coproc repeat foreach end
		nocorrect noglob always export typeset declare local readonly integer float nameref`)
)

// withoutPrefixes returns a text with blanks for the words that only some shells know as words of their own, and that change
// nothing of what is run: time before a command, export before variables that are harmless.
func withoutPrefixes(text string) string {
	if !strings.Contains(text, "time") && !strings.Contains(text, "export") {
		return text
	}

	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return text
	}

	out := []byte(text)
	blank := func(n syntax.Pos, word string) {
		if at := int(n.Offset()); strings.HasPrefix(text[at:], word+" ") {
			copy(out[at:], strings.Repeat(" ", len(word)))
		}
	}

	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TimeClause:
			word := "time"
			if n.PosixFormat {
				word = "time -p" // a shell that does not know the option finds no command of that name
			}
			if n.Stmt != nil && beginsSimply(n.Stmt) {
				blank(n.Time, word)
			}
		case *syntax.DeclClause:
			if n.Variant.Value == "export" && !slices.ContainsFunc(n.Args, unexported) {
				blank(n.Pos(), "export")
			}
		}
		return true
	})
	return string(out)
}

// beginsSimply reports whether the first word of a statement is that of a command in all shells.
func beginsSimply(s *syntax.Stmt) bool {
	for !s.Negated {
		switch c := s.Cmd.(type) {
		case *syntax.BinaryCmd:
			s = c.X
		case *syntax.CallExpr:
			name := c.Args
			if len(c.Assigns) > 0 || len(name) == 0 {
				return false
			}
			first := name[0].Lit()
			return c.Pos() == s.Pos() && first != "" && first[0] != '-' && simple().MatchString(first) && !slices.Contains(reserved, first)
		default:
			return false
		}
	}

	return false
}

// unexported reports whether an assignment may not be exported unasked.
func unexported(a *syntax.Assign) bool {
	return a.Name == nil || a.Value == nil || a.Append || a.Naked || a.Index != nil || a.Array != nil || !harmlessEverywhere(a)
}
