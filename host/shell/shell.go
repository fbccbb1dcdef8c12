// Package shell reads commands for the reader's sake: where a long one may begin a new row, and what a wrapper such as
// `bash -lc` runs.
//
// It decides nothing: whether a command may run is up to host/rules. Its functions are pure.
package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

const (
	maxParsed = 64 << 10 // bytes of a command that is parsed
	short     = 40       // cells of a pipeline that stays in one row
)

// Breaks returns the bytes of a command at which a row may begin: before `&&` and `||`, after `;`, and before `|` in a long
// pipeline. They are outside of words and quotes, so that a backslash and a line end there would not change the command.
// There are none in a command that cannot be parsed.
func Breaks(command string) []int {
	file := parse(command)
	if file == nil {
		return nil
	}

	var at []int
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Word:
			return false // an operator in a word belongs to a command of its own
		case *syntax.BinaryCmd:
			long := node.End().Offset()-node.Pos().Offset() > short
			if node.Op == syntax.AndStmt || node.Op == syntax.OrStmt || long {
				at = append(at, int(node.OpPos.Offset()))
			}
		case *syntax.Stmt:
			if node.Semicolon.IsValid() {
				at = append(at, afterBlanks(command, int(node.Semicolon.Offset())+1))
			}
		}

		return true
	})

	slices.Sort(at)
	return slices.DeleteFunc(slices.Compact(at), func(n int) bool {
		return n <= 0 || n >= len(command) || command[n-1] == '\n' || command[n] == '\n'
	})
}

func parse(command string) *syntax.File {
	if len(command) > maxParsed {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	return file
}

// afterBlanks returns the first byte from one on that is no blank.
func afterBlanks(text string, from int) int {
	for from < len(text) && (text[from] == ' ' || text[from] == '\t') {
		from++
	}
	return from
}

// shells are the programs that run their last argument, with flags that say no more than that.
var (
	shells = []string{"sh", "bash", "zsh", "dash", "ksh"}
	flags  = lazy.Regexp(`^-[il]*c$`)
)

// Unwrap splits a command such as `bash -lc 'make test'` into its wrapper and the script that it runs. The wrapper is empty,
// and the script the command, if it is anything else.
func Unwrap(command string) (wrapper, script string) {
	file := parse(command)
	if file == nil || len(file.Stmts) != 1 {
		return "", command
	}

	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(file.Stmts[0].Redirs) > 0 || len(call.Assigns) > 0 || len(call.Args) < 3 {
		return "", command
	}

	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		if words[i], ok = literal(arg); !ok {
			return "", command
		}
	}

	last := len(words) - 1
	plain := slices.ContainsFunc(words[1:last], func(w string) bool { return w != "-l" && w != "-i" && !flags().MatchString(w) })
	if plain || !slices.Contains(shells, path.Base(words[0])) || !flags().MatchString(words[last-1]) ||
		strings.TrimSpace(words[last]) == "" {
		return "", command
	}

	return strings.Join(words[:last], " "), words[last]
}

// literal returns the text of a word in which nothing is expanded.
func literal(word *syntax.Word) (text string, ok bool) {
	var b strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, `\*?[~`) {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.Contains(lit.Value, `\`) {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}

	return b.String(), true
}
