package rules

import (
	"cmp"
	"reflect"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// dialects are the shells in which a command must have the same meaning, since the agent's shell is unknown.
var dialects = []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX, syntax.LangMirBSDKorn, syntax.LangZsh}

// maxRead is how long shell text may be, in bytes.
const maxRead = 32 << 10

// read parses shell text as bash does; it returns nil for invalid text. problem says why other shells may parse it differently,
// "" if they do not.
func read(text string) (file *syntax.File, problem string) {
	if len(text) > maxRead {
		return nil, tooLong
	}

	text = withoutPrefixes(text)
	for _, dialect := range dialects {
		parsed, err := syntax.NewParser(syntax.Variant(dialect), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
		switch {
		case err != nil && file == nil:
			return nil, "its shell text cannot be read: " + err.Error()
		case file == nil:
			if file = parsed; tooMany(file) {
				return nil, tooLong
			}
		case err != nil || !reflect.DeepEqual(parsed, file):
			return file, "not every shell reads it in the same way"
		}
	}

	return file, cmp.Or(oddBytes(text), oddNodes(file), source{text, file}.odd())
}

// tooMany reports whether a text has more nodes than can be judged.
func tooMany(file *syntax.File) bool {
	nodes := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		if n != nil {
			nodes++
		}
		return nodes <= maxNodes
	})
	return nodes > maxNodes
}

// oddBytes returns the part of a text that shells treat differently before they parse it.
func oddBytes(text string) string {
	for _, r := range text {
		seen := unicode.IsGraphic(r) && r != unicode.ReplacementChar && (r == ' ' || !unicode.IsSpace(r))
		if !seen && r != '\n' && r != '\t' {
			return "it has characters that are not seen"
		}
	}

	switch {
	case strings.Contains(text, "\\\n") && strings.Contains(text, "#"):
		return "a line is continued, and there may be a comment: not every shell reads it in the same way"
	case strings.HasSuffix(text, "\\"):
		return "it ends in the middle of a word"
	case strings.Contains(text, "$((") || strings.Contains(text, "$["):
		return "arithmetic in it can set variables or run commands"
	}

	return ""
}

var (
	// harmless is a comment that does nothing if it is none: interactive shells read it as words.
	harmless = lazy.Regexp(`^[\w ,.:/+=@-]*$`)
	// descriptor is what may follow >& and <&.
	descriptor = lazy.Regexp(`^[0-9-]$`)
)

// oddNodes returns the part of a parsed text that shells treat differently though they parse it alike.
func oddNodes(file *syntax.File) (problem string) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			if !harmless().MatchString(n.Text) {
				problem = "a comment in it has signs that mean something where it is none"
			}
		case *syntax.CmdSubst:
			if n.Backquotes {
				problem = "not every shell reads its backquotes in the same way"
			}
		case *syntax.SglQuoted:
			if strings.HasSuffix(n.Value, `\`) || strings.Contains(n.Value, `\\`) {
				problem = "a backslash in its quotes does not mean the same in every shell"
			}
		case *syntax.Stmt:
			call, _ := n.Cmd.(*syntax.CallExpr)
			if len(n.Redirs) > 0 && (n.Cmd == nil || call != nil && len(call.Args) == 0) {
				problem = "a redirection without a command runs a program in some shells"
			}
		case *syntax.Redirect:
			if odd := oddRedirect(n); odd != "" {
				problem = odd
			}
		}

		return true
	})
	return problem
}

func oddRedirect(r *syntax.Redirect) string {
	if r.N != nil && len(r.N.Value) > 1 {
		return "not every shell has the descriptor " + r.N.Value
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return "" // see oddDocument
	case syntax.DplIn, syntax.DplOut:
		if to, fixed := literal(r.Word); !fixed || !descriptor().MatchString(to) {
			return "not every shell redirects it to the same file"
		}
	default:
		if to, _ := literal(r.Word); to == "" || strings.ContainsAny(to[:1], "!|&^=~+-(") {
			return "not every shell redirects it to the same file"
		}
	}

	return ""
}

// text returns a word without its quotes, with "$" for each expansion.
func text(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		} else {
			b.WriteByte('$')
		}
	}
	return b.String()
}
