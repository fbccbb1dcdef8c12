package rules

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// The parser leaves bytes out of its tree that a shell may read in another way, above all a backslash with the line end after it.
// What is judged must be what the shell gets: the text of a word is compared with its bytes, a here-document is read a second time
// from them, and the tree is printed and parsed again.

// source is a command with the tree that it was parsed to.
type source struct {
	text string
	file *syntax.File
}

// odd says why a shell may read other words in the text than the tree has, "" if all read the same.
func (s source) odd() string {
	for _, check := range []func() string{s.oddDocument, s.oddLeaf, s.oddHistory, s.oddPrint} {
		if odd := check(); odd != "" {
			return odd
		}
	}
	return ""
}

// oddLeaf compares each text of the tree with its bytes.
func (s source) oddLeaf() (problem string) {
	documents := map[*syntax.Word]bool{}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		same := true
		switch n := n.(type) {
		case *syntax.Redirect:
			documents[n.Hdoc] = n.Hdoc != nil
		case *syntax.Word:
			return !documents[n] // oddDocument reads it
		case *syntax.Lit:
			same = s.at(n.Pos(), n.End()) == n.Value
			if dollar().MatchString(n.Value + s.after(n)) {
				problem = "a $ in it begins an expansion in some shells"
				return true
			}
		case *syntax.SglQuoted:
			same = n.Dollar || s.at(n.Pos(), n.End()) == "'"+n.Value+"'"
		}

		if !same {
			problem = "a word in it goes on after a line's end: not every shell reads it in the same way"
		}

		return true
	})
	return problem
}

// dollar is a $ that the parser takes for itself, before something with which a shell might expand it.
var dollar = lazy.Regexp(`(^|[^\\])(\\\\)*\$[^\s|)/.,;%'"\\]`)

// after returns the byte after a $ that is a text of its own.
func (s source) after(n *syntax.Lit) string {
	if end := int(n.End().Offset()); n.Value == "$" && end < len(s.text) {
		return s.text[end : end+1]
	}
	return ""
}

// at returns the text between two positions, "" if they are not in it.
func (s source) at(from, to syntax.Pos) string {
	if !from.IsValid() || !to.IsValid() || to.Offset() < from.Offset() || int(to.Offset()) > len(s.text) {
		return ""
	}
	return s.text[from.Offset():to.Offset()]
}

// oddPrint prints the tree and parses that again, as bash does and as POSIX says.
func (s source) oddPrint() string {
	const problem = "read back, it is another command"
	var printed strings.Builder
	if err := syntax.NewPrinter().Print(&printed, s.file); err != nil {
		return problem
	}

	want := shape(s.file)
	for _, dialect := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
		again, err := syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(printed.String()), "")
		if err != nil || shape(again) != want {
			return problem
		}
	}

	return ""
}

// shape is what a tree means: its nodes and their texts, without positions and comments.
func shape(file *syntax.File) string {
	var b strings.Builder
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
			b.WriteByte(')')
			return true
		case *syntax.Comment:
			b.WriteByte('(')
			return true
		case *syntax.Lit:
			fmt.Fprintf(&b, "(%q", n.Value)
		case *syntax.SglQuoted:
			fmt.Fprintf(&b, "('%v%q", n.Dollar, n.Value)
		case *syntax.DblQuoted:
			fmt.Fprintf(&b, "(\"%v", n.Dollar)
		case *syntax.Redirect:
			fmt.Fprintf(&b, "(%v", n.Op)
		case *syntax.BinaryCmd:
			fmt.Fprintf(&b, "(%v", n.Op)
		case *syntax.Stmt:
			fmt.Fprintf(&b, "(stmt %v %v", n.Negated, n.Background)
		case *syntax.WhileClause:
			fmt.Fprintf(&b, "(while %v", n.Until)
		default:
			fmt.Fprintf(&b, "(%T", n)
		}

		return true
	})
	return strings.ReplaceAll(b.String(), "()", "")
}

// history is what an interactive shell may replace by an earlier command.
var history = lazy.Regexp(`![^\s=("')]|^\^`)

// oddHistory looks for a reference to an earlier command. There is none in single quotes, where no other quote can be taken for
// their beginning.
func (s source) oddHistory() string {
	text := []byte(s.text)
	rest := slices.Clone(text)
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if q, ok := n.(*syntax.SglQuoted); ok && !q.Dollar && !strings.Contains(q.Value, "\n") {
			for i := q.Pos().Offset(); i < q.End().Offset(); i++ {
				rest[i] = ' '
			}
		}
		return true
	})
	if !slices.Contains(rest, '\'') {
		text = rest
	}
	if history().Match(text) {
		return "a ! in it may stand for an earlier command"
	}

	return ""
}
