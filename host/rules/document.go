package rules

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

var (
	// delimiter ends a here-document in all shells, as written.
	delimiter = lazy.Regexp(`^(\w+|'\w+'|"\w+")$`)
	// enclosed is what a here-document may have within a substitution, whose end some shells look for by its quotes and brackets.
	enclosed = lazy.Regexp(`^[\w ,.:/+=@<>!?*\n-]*$`)
)

// oddDocument reads all here-documents again, from their bytes: the lines after that of their operators, up to the first that is
// the delimiter. The parser must have found the same.
func (s source) oddDocument() string {
	var list []*syntax.Redirect
	substituted := map[*syntax.Redirect]bool{}
	depth := []bool{false} // whether the nodes around are within a substitution
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if n == nil {
			depth = depth[:len(depth)-1]
			return true
		}

		_, command := n.(*syntax.CmdSubst)
		_, process := n.(*syntax.ProcSubst)
		inner := depth[len(depth)-1] || command || process
		depth = append(depth, inner)
		if r, ok := n.(*syntax.Redirect); ok && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) {
			list = append(list, r)
			substituted[r] = inner
		}

		return true
	})
	slices.SortFunc(list, func(a, b *syntax.Redirect) int { return cmp.Compare(a.OpPos.Offset(), b.OpPos.Offset()) })

	line, next := -1, 0 // the line end after the last operator, and where the next document begins
	for _, r := range list {
		end := strings.IndexByte(s.text[r.OpPos.Offset():], '\n')
		if end < 0 {
			return "it has no line for its here-document"
		}
		if end += int(r.OpPos.Offset()); end != line {
			line, next = end, end+1
		}
		var problem string
		if next, problem = s.document(r, next, substituted[r]); problem != "" {
			return problem
		}
	}

	return ""
}

// document reads the here-document that begins at from, and returns where the line after its delimiter begins.
func (s source) document(r *syntax.Redirect, from int, substituted bool) (next int, problem string) {
	raw := s.at(r.Word.Pos(), r.Word.End())
	if r.Op == syntax.DashHdoc {
		return 0, "its here-document is read without tabs: the parser does not have its bytes"
	}
	if !delimiter().MatchString(raw) || int(r.Word.End().Offset()) > from {
		return 0, "not every shell ends its here-document at the same line"
	}

	end := strings.Trim(raw, `'"`)
	var body strings.Builder
	ended := false
	for next = from; next < len(s.text) && !ended; {
		line, _, _ := strings.Cut(s.text[next:], "\n")
		next += len(line) + 1
		if ended = line == end; !ended {
			body.WriteString(line + "\n")
		}
	}

	switch plain := body.String(); {
	case !ended:
		return 0, "its here-document has no end"
	case raw == end && strings.ContainsAny(plain, "\\`$"):
		return 0, "not every shell reads its here-document in the same way"
	case substituted && (raw == end || !enclosed().MatchString(plain) || strings.Contains(plain, "<<")):
		return 0, "not every shell reads a here-document within a substitution in the same way"
	case text(r.Hdoc) != plain:
		return 0, "not every shell ends its here-document at the same line"
	}

	return next, ""
}
