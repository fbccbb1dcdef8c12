package rules

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a program does depends on the folder it runs in: its configuration, its Makefile, its tests are there. A rule for a command is one
// for the session's folder; in another, "cd there &&" must be before it in the rule.

// lost is a folder that is not known; "" is the session's.
const lost = "?"

const (
	maxPlaces = 4      // folders that one command may run in
	maxWays   = 50     // folders that are looked up for a call
	maxVisits = 20_000 // statements that are followed, those of loops several times
)

// moves reports whether a command changes the folder, in some shell.
func moves(name string) bool { return slices.Contains([]string{"cd", "chdir", "pushd", "popd"}, name) }

// anywhere are commands of shells that do the same in every folder.
var anywhere = strings.Fields("echo printf print true false : pwd exit return break continue shift test [ sleep wait kill")

// flow finds the folders that the commands of a text may run in.
type flow struct {
	ways   *ways
	places map[*syntax.CallExpr][]string
	visits int
}

// foldersOf returns the folders that each command of a text may run in, if the text begins in one of some.
func foldersOf(ways *ways, file *syntax.File, begin []string) map[*syntax.CallExpr][]string {
	f := flow{ways: ways, places: map[*syntax.CallExpr][]string{}}
	if !movesSomewhere(file) {
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok {
				f.places[c] = begin
			}
			return true
		})
		return f.places
	}

	f.list(file.Stmts, begin)
	if f.visits > maxVisits {
		return nil
	}

	return f.places
}

func movesSomewhere(file *syntax.File) bool {
	moved := false
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		moved = moved || ok && moves(nameOf(c))
		return !moved
	})
	return moved
}

// either returns the folders of several lists.
func either(lists ...[]string) (all []string) {
	for _, list := range lists {
		for _, folder := range list {
			if !slices.Contains(all, folder) {
				all = append(all, folder)
			}
		}
	}
	if len(all) > maxPlaces || slices.Contains(all, lost) {
		return []string{lost}
	}
	return all
}

// list follows statements one after the other. It returns the folders after the last, if that succeeds and if it fails.
func (f *flow) list(stmts []*syntax.Stmt, from []string) (fine, failed []string) {
	fine, failed = from, from
	for _, s := range stmts {
		fine, failed = f.stmt(s, from)
		from = either(fine, failed)
	}
	return fine, failed
}

func (f *flow) stmt(s *syntax.Stmt, from []string) (fine, failed []string) {
	if f.visits++; f.visits > maxVisits {
		return from, from
	}
	for _, r := range s.Redirs {
		f.within(r, from)
	}

	fine, failed = f.command(s.Cmd, from)
	switch {
	case s.Background || s.Coprocess:
		return from, from
	case s.Negated:
		return failed, fine
	}

	return fine, failed
}

func (f *flow) command(c syntax.Command, from []string) (fine, failed []string) {
	switch c := c.(type) {
	case nil:
	case *syntax.CallExpr:
		f.places[c] = either(f.places[c], from)
		f.within(c, from)
		if moves(nameOf(c)) {
			return f.moved(c, from), from
		}
	case *syntax.BinaryCmd:
		fine, failed := f.stmt(c.X, from)
		switch c.Op {
		case syntax.AndStmt:
			fine2, failed2 := f.stmt(c.Y, fine)
			return fine2, either(failed, failed2)
		case syntax.OrStmt:
			fine2, failed2 := f.stmt(c.Y, failed)
			return either(fine, fine2), failed2
		}
		from = either(from, fine, failed) // which of a pipe's commands the shell runs itself is not the same in all
		fine, failed = f.stmt(c.Y, from)
		return either(from, fine), either(from, failed)
	case *syntax.Block:
		return f.list(c.Stmts, from)
	case *syntax.Subshell:
		f.list(c.Stmts, from)
	case *syntax.IfClause:
		return f.branches(c, from)
	case *syntax.WhileClause:
		return f.loop(from, func(from []string) []string {
			return either(f.ends(c.Cond, from), f.ends(c.Do, f.ends(c.Cond, from)))
		})
	case *syntax.ForClause:
		f.within(c.Loop, from)
		return f.loop(from, func(from []string) []string { return f.ends(c.Do, from) })
	case *syntax.CaseClause:
		f.within(c.Word, from)
		all := from
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				f.within(pattern, from)
			}
			all = either(all, f.ends(item.Stmts, all)) // some go on with the next
		}
		return all, all
	default: // nothing that is judged
		return []string{lost}, []string{lost}
	}

	return from, from
}

// ends returns the folders after statements, whether they succeed or not.
func (f *flow) ends(stmts []*syntax.Stmt, from []string) []string {
	fine, failed := f.list(stmts, from)
	return either(fine, failed)
}

func (f *flow) branches(c *syntax.IfClause, from []string) (fine, failed []string) {
	fine, failed = f.list(c.Cond, from)
	all := either(failed, f.ends(c.Then, fine)) // of else it has no condition
	if c.Else != nil {
		other, also := f.branches(c.Else, failed)
		all = either(all, other, also)
	}
	return all, all
}

// loop follows a body until it leads to no further folder.
func (f *flow) loop(from []string, body func(from []string) []string) (fine, failed []string) {
	for f.visits <= maxVisits {
		all := either(from, body(from))
		if slices.Equal(all, from) {
			break
		}
		from = all
	}
	return from, from
}

// within follows the substitutions of a node, which come back to where they began.
func (f *flow) within(n syntax.Node, from []string) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if f.visits++; f.visits > maxVisits {
			return false
		}
		switch n := n.(type) {
		case *syntax.CmdSubst:
			f.list(n.Stmts, from)
			return false
		case *syntax.ProcSubst:
			f.list(n.Stmts, from)
			return false
		}
		return true
	})
}

// moved returns where a command leads to that changes the folder.
func (f *flow) moved(c *syntax.CallExpr, from []string) (to []string) {
	words := texts(c)
	for _, folder := range from {
		to = either(to, []string{f.ways.leadsTo(folder, words)})
	}
	return to
}

// ways resolves, and caches, the folders that commands lead to which change the folder.
type ways struct {
	folder
	known map[[2]string]string // by the folder before and the argument of cd
}

func newWays(cwd string) *ways { return &ways{newFolder(cwd), map[[2]string]string{}} }

// leadsTo is the folder that a command leads to from another.
func (w *ways) leadsTo(from string, words []string) string {
	if len(words) == 3 && words[1] == "--" {
		words = slices.Delete(slices.Clone(words), 1, 2)
	}
	if from == lost || words[0] != "cd" || len(words) != 2 {
		return lost
	}

	way := [2]string{from, words[1]}
	if _, known := w.known[way]; !known {
		if len(w.known) == maxWays {
			return lost
		}
		w.known[way] = w.follow(from, words[1])
	}

	return w.known[way]
}

func (w *ways) follow(from, to string) string {
	up := strings.HasPrefix(to, "..") && (from != "" || w.own != filepath.Clean(w.cwd)) // shells go up by the name of a link
	if to == "" || strings.ContainsAny(to[:1], "-+=") || expands(to) || up {
		return lost
	}
	if !filepath.IsAbs(to) {
		base := w.own
		if from != "" {
			base = resolve(w.own, from)
		}
		to = filepath.Join(base, to)
	}
	switch real := resolve(w.own, to); real {
	case w.own:
		return ""
	case unresolved:
		return lost
	default:
		return w.within(real)
	}
}

// moving splits the command of a rule that is for another folder: "cd there && make test".
func moving(words []string) (folder string, rest []string) {
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		return words[1], words[3:]
	}
	return "", words
}
