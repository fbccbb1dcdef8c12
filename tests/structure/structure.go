// Package structure measures how the program's code is built: what depends on what within a package, how large types are, how much air
// there is in functions. scripts/structure prints it, and a law test keeps it from growing.
package structure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Module is the path of the program's module, with a slash at its end.
const Module = "github.com/nvim-acp/nvim-acp/"

// Report is what was measured of the program without its tests.
type Report struct {
	Packages   []Package // sorted by path
	Types      []Type    // those with fields or methods, sorted by these
	Mutexes    int
	Goroutines int // places that start one
	BodyLines  int // within functions
	BlankLines int // of these
	Long       int // lines of more than 140 cells
}

// Package is one package.
type Package struct {
	Path   string // below the module
	Files  int
	Lines  int
	Circle []string // the files of the largest circle: each needs each of the others, maybe through others
}

// Type is a type with its fields and the methods that are declared for it.
type Type struct {
	Name            string // with the path of its package
	Fields, Methods int
}

// Air is the share of blank lines in functions.
func (r Report) Air() float64 { return float64(r.BlankLines) / float64(max(r.BodyLines, 1)) }

// Package returns the package of a path below the module, nil if there is none.
func (r Report) Package(path string) *Package {
	i := slices.IndexFunc(r.Packages, func(p Package) bool { return p.Path == path })
	if i < 0 {
		return nil
	}
	return &r.Packages[i]
}

// Measure measures the program in a folder, without tests and what only they use.
func Measure(dir string) (Report, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedExportFile
	list, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, "./acp/...", "./buffers/...", "./terminal/...", "./host/...", "./internal/...", "./cmd/...")
	if err != nil {
		return Report{}, err
	}

	var r Report
	for _, p := range list {
		if len(p.Errors) > 0 {
			return Report{}, fmt.Errorf("%s: %v", p.PkgPath, p.Errors[0])
		}
		r.add(p)
	}

	slices.SortFunc(r.Packages, func(a, b Package) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(r.Types, func(a, b Type) int {
		return cmp.Or(cmp.Compare(b.Fields+b.Methods, a.Fields+a.Methods), cmp.Compare(a.Name, b.Name))
	})
	return r, nil
}

// add measures a package.
func (r *Report) add(p *packages.Package) {
	path := strings.TrimPrefix(p.PkgPath, Module)
	out := Package{Path: path, Files: len(p.Syntax)}
	found := map[string]*Type{}
	needs := map[string]map[string]bool{} // files, by the files that need them
	for _, f := range p.Syntax {
		file := p.Fset.File(f.FileStart)
		name := filepath.Base(file.Name())
		out.Lines += file.LineCount()
		needs[name] = map[string]bool{}
		r.lines(p, f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if obj := p.TypesInfo.Uses[n]; obj != nil && obj.Pkg() == p.Types && obj.Pos().IsValid() {
					if of := filepath.Base(p.Fset.File(obj.Pos()).Name()); of != name && isDeclared(obj, p.Types) {
						needs[name][of] = true
					}
				}
			case *ast.GoStmt:
				r.Goroutines++
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "spawn" || isCaught(s)) {
					r.Goroutines++
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && (n.Sel.Name == "Mutex" || n.Sel.Name == "RWMutex") {
					r.Mutexes++
				}
			}

			return true
		})
	}

	r.types(p, path, found)
	out.Circle = circle(needs)
	r.Packages = append(r.Packages, out)
}

// isCaught reports whether a call starts a goroutine by internal/caught.
func isCaught(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "caught" && (s.Sel.Name == "Go" || s.Sel.Name == "GoOr")
}

// isDeclared reports whether an object is one of a package's, and not a local one.
func isDeclared(obj types.Object, of *types.Package) bool {
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return true
	}
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return obj.Parent() == of.Scope()
}

// lines counts the lines of a file's functions, and long ones.
func (r *Report) lines(p *packages.Package, f *ast.File) {
	file := p.Fset.File(f.FileStart)
	text := readLines(file.Name())
	for _, line := range text {
		if len([]rune(strings.ReplaceAll(line, "\t", "    "))) > 140 {
			r.Long++
		}
	}

	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		for n := file.Line(fn.Body.Lbrace) + 1; n < file.Line(fn.Body.Rbrace); n++ {
			r.BodyLines++
			if n <= len(text) && strings.TrimSpace(text[n-1]) == "" {
				r.BlankLines++
			}
		}
	}
}

func (r *Report) types(p *packages.Package, path string, found map[string]*Type) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}

		named, ok := t.Type().(*types.Named)
		if !ok {
			continue
		}

		out := Type{Name: path + "." + name, Methods: named.NumMethods()}
		if s, ok := named.Underlying().(*types.Struct); ok {
			out.Fields = s.NumFields()
		}
		if out.Fields+out.Methods > 0 {
			found[name] = &out
		}
	}

	for _, t := range found {
		r.Types = append(r.Types, *t)
	}
}

// circle returns the largest set of files each of which needs each other one, maybe through others; none where no two do. It is
// Tarjan's algorithm.
func circle(needs map[string]map[string]bool) []string {
	var stack, largest []string
	index, low := map[string]int{}, map[string]int{}
	on := map[string]bool{}
	var visit func(v string)
	visit = func(v string) {
		index[v], low[v] = len(index)+1, len(index)+1
		stack = append(stack, v)
		on[v] = true
		for _, w := range slices.Sorted(maps.Keys(needs[v])) {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}

		if low[v] != index[v] {
			return
		}

		i := slices.Index(stack, v)
		part := slices.Clone(stack[i:])
		stack = stack[:i]
		for _, w := range part {
			on[w] = false
		}

		if len(part) > 1 && len(part) > len(largest) {
			largest = part
		}
	}
	for _, v := range slices.Sorted(maps.Keys(needs)) {
		if index[v] == 0 {
			visit(v)
		}
	}

	slices.Sort(largest)
	return largest
}
