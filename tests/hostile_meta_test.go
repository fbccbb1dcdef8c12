package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// byVariable are the places where a name in `_meta` is a variable, with the members that it stands for.
var byVariable = map[string][]string{
	"host/terminals/display.go Display":    {"terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"},
	"host/subagents/own.go meta":           {"terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"},
	"host/transcript/subagent.go parentOf": {"claudeCode", "github.com/copilot"},
	"host/agents/login.go method":          {"api-key"},
	"host/agents/login.go metaOf":          {"type", "args", "terminal-auth"}, // by those who call it
	"acp/mask.go masked":                   {},                                // of what we send
}

// Every member of `_meta` that the program reads is one that TestHostile sends (behaviour 700).
func TestMetaMembers(t *testing.T) {
	e := newEnemy(t, 1)
	metas := e.Metas()
	files := 0
	walk(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" || !strings.HasPrefix(path, "acp/") && !strings.HasPrefix(path, "host/") {
			return
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, read(t, path), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				for _, key := range metaKeys(n) {
					place := path + " " + fn.Name.Name
					name, err := strconv.Unquote(key)
					variables, known := byVariable[place]
					switch {
					case err == nil && metas[name] == nil:
						t.Errorf("%s reads %s of _meta, which package hostile does not send", place, key)
					case err != nil && !known:
						t.Errorf("%s reads a member of _meta by the variable %s", place, key)
					}
					for _, name := range variables {
						if metas[name] == nil {
							t.Errorf("package hostile does not send %s", name)
						}
					}
				}
				return true
			})
		}
	})
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

// metaKeys returns the keys by which a node reads members of a `_meta`.
func metaKeys(n ast.Node) []string {
	var key ast.Expr
	switch n := n.(type) {
	case *ast.IndexExpr:
		if isMeta(n.X) {
			key = n.Index
		}
	case *ast.CallExpr: // metaOf[T](meta, key), or a function of package json with all of it
		i := slices.IndexFunc(n.Args, isMeta)
		if index, ok := n.Fun.(*ast.IndexExpr); ok && i >= 0 && i+1 < len(n.Args) {
			if id, ok := index.X.(*ast.Ident); ok && id.Name == "metaOf" {
				key = n.Args[i+1]
			}
		}
	}
	switch k := key.(type) {
	case nil:
		return nil
	case *ast.BasicLit:
		return []string{k.Value}
	case *ast.Ident:
		return []string{k.Name}
	}
	return []string{"an expression"}
}

func isMeta(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "meta" || x.Name == "Meta" || x.Name == "from"
	case *ast.SelectorExpr:
		return x.Sel.Name == "Meta"
	}
	return false
}
