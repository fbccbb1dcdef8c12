package rules

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parts splits a call into its commands and files. problem describes what could not be parsed, "" if nothing.
func (r Request) parts() (parts []part, problem string) {
	parts, problem, _ = r.analyse()
	return parts, problem
}

// analyse is like parts, and also returns which spans of the command could not be parsed.
func (r Request) analyse() (parts []part, problem string, vague []span) {
	paths := r.Paths
	if r.Kind == "execute" && r.Command != "" {
		paths = nil // files that its commands name are judged as part of them, not by path
	}

	ways := newWays(r.Cwd)
	add := func(kind string, paths []string) {
		for _, path := range paths {
			if expands(path) {
				problem = cmp.Or(problem, "some agents take "+path+" for another file")
			}
			real := r.resolve(path)
			parts = append(parts, part{kind: kind, path: real, what: "the file " + ways.within(real)})
		}
	}

	add(r.Kind, paths)
	if r.Kind != "edit" {
		add("edit", r.Edits)
	}
	if r.Command == "" && r.Found != nil {
		list, unsure := search(r.Globs, r.folders(), r.Found)
		problem = cmp.Or(problem, unsure)
		for _, f := range list {
			what := "the file " + ways.within(f.path) + ", which " + f.by + " may find"
			parts = append(parts, part{kind: r.Kind, path: f.path, what: what})
		}
	}

	parts = guarded(parts, r.Guard)
	if r.Command == "" {
		problem = cmp.Or(problem, r.odd())
		if r.Kind == "" || r.Kind == "other" {
			problem = "it does not say what kind of tool it is"
		}
		if r.Kind == "execute" {
			problem = "it does not say which command it runs"
		}
		if len(parts) == 0 {
			parts = append(parts, part{kind: r.Kind, what: "a tool of the kind " + r.Kind})
		}
		return parts, problem, nil
	}

	// Whatever its kind, the call runs commands.
	file, unread := read(r.Command)
	if file == nil {
		return parts, unread, nil
	}

	w := walker{
		ways: ways, budget: budget{maxSteps}, whole: span{0, len(r.Command)},
		problem: cmp.Or(r.odd(), unread, problem),
	}
	if dir := cmp.Or(r.Dir, "."); expands(dir) || r.resolve(dir) != ways.own {
		w.unclear("it runs in another folder, %s", cmp.Or(r.Dir, r.Base))
	}

	w.moved, w.places = movesInLoop(file), foldersOf(w.ways, file, []string{""})
	syntax.Walk(file, w.visit)
	if w.budget.left < 0 {
		w.unclear(tooLong)
	}

	w.parts = guarded(w.parts, r.Guard)
	if !slices.ContainsFunc(w.parts, func(p part) bool { return !p.free }) {
		for i := range w.parts {
			w.parts[i].free = false // there is nothing beside them
		}
	}

	return append(parts, w.parts...), w.problem, w.vague
}

// guarded notes which files rules must name.
func guarded(parts []part, guard func(real string) string) []part {
	for i := range parts {
		if guard != nil && parts[i].path != "" {
			parts[i].guard = guard(parts[i].path)
		}
	}
	return parts
}

// resolve returns the real path of a file that the call names.
func (r Request) resolve(path string) string { return resolve(cmp.Or(r.Base, r.Cwd), path) }

// folders are those in which the call looks for files.
func (r Request) folders() (list []string) {
	for _, path := range r.Paths {
		if !strings.ContainsAny(path, `*?[{(\`) {
			list = append(list, r.resolve(path))
		}
	}
	if len(list) == 0 {
		list = append(list, r.resolve("."))
	}
	return list
}

// walker collects what the nodes of a shell program do.
type walker struct {
	ways    *ways
	budget  budget
	whole   span // of the current node; at first of the whole text
	parts   []part
	problem string
	vague   []span                        // what could not be parsed
	moved   bool                          // the working directory has changed, so relative names are unknown
	inner   bool                          // the node is of a script that a shell in the text runs
	places  map[*syntax.CallExpr][]string // the folders that a command may run in
}

func (w *walker) unclear(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
	w.vague = append(w.vague, w.whole)
}

// visit handles one node. Only nodes known to be harmless are accepted: shells run and set things in unexpected places.
func (w *walker) visit(n syntax.Node) bool {
	if n == nil {
		return true
	}
	if w.budget.left < 0 || len(w.parts) > maxParts {
		w.unclear(tooLong)
		return false
	}
	if !w.inner {
		w.whole = span{int(n.Pos().Offset()), int(n.End().Offset())}
	}
	switch n := n.(type) {
	case *syntax.CallExpr:
		w.call(n)
	case *syntax.Redirect:
		w.redirect(n)
	case *syntax.ParamExp:
		if !plain(n) {
			w.unclear("an expansion in it can set variables or run commands")
		}
	case *syntax.FuncDecl:
		w.unclear("it defines a shell function")
	case *syntax.ForClause:
		if loop, ok := n.Loop.(*syntax.WordIter); !ok || n.Select || n.Braces || !harmlessHere(loop.Name.Value) {
			w.unclear("its loop sets a variable")
		}
	case *syntax.File, *syntax.Stmt, *syntax.Comment, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted,
		*syntax.BinaryCmd, *syntax.Block, *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.IfClause,
		*syntax.WhileClause, *syntax.WordIter, *syntax.Assign, *syntax.CaseClause, *syntax.CaseItem:
	default:
		w.unclear("it does something beside running commands")
	}

	return true
}

// assigns handles the variables that a command sets, for itself if it has words.
func (w *walker) assigns(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if a.Name == nil || a.Append || a.Naked || a.Index != nil || a.Array != nil {
			w.unclear("it sets a variable")
			return
		}
		here := len(c.Args) == 0 && harmlessHere(a.Name.Value)
		separates := a.Name.Value == "IFS" && len(c.Args) > 0 && c.Args[0].Lit() == "read"
		if !here && !separates && !harmlessEverywhere(a) {
			w.unclear("it sets the variable %s", a.Name.Value)
			return
		}
	}
}

// call handles a simple command, wherever it occurs: in a pipe, after && or ;, within $(…).
func (w *walker) call(c *syntax.CallExpr) {
	w.assigns(c)
	if len(c.Args) == 0 {
		return
	}

	var words []word
	for i, arg := range c.Args {
		next := newWord(arg)
		if !next.fixed && i == 0 {
			w.unclear("the name of a command in it is not fixed")
			return
		}
		words = append(words, next)
	}

	name, places := words[0].text, w.places[c]
	does := part{
		kind: "execute", command: words, what: "the command " + said(words), at: w.whole,
		free: free(words), risks: w.budget.risks(words),
	}
	text, shell := script(words)
	switch {
	case does.free:
	case shell:
		does.free = true
	case w.moved && strings.Contains(name, "/") && !filepath.IsAbs(name), w.moved && sourced(words) && !filepath.IsAbs(words[1].text):
		w.unclear("it runs a program of a folder that it goes to")
	case sourced(words):
		does.risks = []int{1}
	case slices.Contains(changing, name):
		w.unclear("%s can change what its commands mean", name)
	case evaluates(words):
		w.unclear("%s can run what its words say", name)
	case setsVariable(words):
		w.unclear("%s can set a variable", name)
	}

	w.moved = w.moved || moves(name)
	from := len(w.parts)
	w.add(does, places)
	to := len(w.parts)
	if shell {
		w.nested(text, places)
	}

	opaque := false
	if !shell && !does.free {
		opaque = w.carried(does, words, true) || slices.Contains(does.risks, len(words))
	}

	commands, whole := wrapped(words)
	if !whole {
		w.unclear("%s has too many words", name)
	}
	for _, command := range commands {
		if !w.budget.spend(command) || len(w.parts) > maxParts {
			w.unclear(tooLong)
			return
		}
		opaque = w.wrapped(does, command) || opaque
	}
	for i := from; i < to; i++ {
		w.parts[i].opaque = opaque
	}
}

// add notes what a command does in each of the folders that it may run in.
func (w *walker) add(does part, places []string) {
	name := does.command[0].text
	switch {
	case moves(name):
		if len(places) == 1 {
			does.to = w.ways.leadsTo(places[0], textsOf(does.command))
		}
		places = []string{""}
	case does.free || slices.Contains(anywhere, name):
		places = []string{""}
	case len(places) == 0 || slices.Contains(places, lost):
		w.unclear("which folder %s runs in is not known", does.what)
		places = []string{""}
	}

	for _, folder := range places {
		does.folder = folder
		w.parts = append(w.parts, does)
	}
}

// wrapped handles a command that may be among the arguments of another. A rule for the other allows it, but one that denies it counts. It
// reports whether the command may run what is not read.
func (w *walker) wrapped(by part, command []word) (opaque bool) {
	by.command, by.free, by.risks = command, true, nil
	w.parts = append(w.parts, by)
	return w.carried(by, command, false)
}

// carried handles what a command runs by its arguments, in the same way. Of one that is among the arguments of another these have been
// handled, beside texts for a shell.
func (w *walker) carried(by part, command []word, whole bool) (opaque bool) {
	commands, list, opaque := w.budget.carried(command)
	for _, inner := range commands {
		if !whole {
			break
		}
		if !w.budget.spend(inner) || len(w.parts) > maxParts {
			w.unclear(tooLong)
			return true
		}
		opaque = w.wrapped(by, inner) || opaque
	}

	for _, text := range list {
		problem, vague, moved, known := w.problem, w.vague, w.moved, len(w.parts)
		w.problem = ""
		w.nested(text, []string{""})
		opaque = opaque || w.problem != "" || strings.TrimSpace(text) == ""
		w.problem, w.vague, w.moved = problem, vague, moved
		for i := range w.parts[known:] {
			opaque = opaque || w.parts[known+i].opaque
			w.parts[known+i].free = true
		}
	}

	return opaque
}

// movesInLoop reports whether a text has a loop, and changes the folder: what stands before that may run after it.
func movesInLoop(file *syntax.File) bool {
	loop, moved := false, false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ForClause, *syntax.WhileClause:
			loop = true
		case *syntax.CallExpr:
			moved = moved || len(n.Args) > 0 && moves(newWord(n.Args[0]).text)
		}
		return true
	})
	return loop && moved
}

func said(words []word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

// redirect handles a file that a command reads or writes.
func (w *walker) redirect(r *syntax.Redirect) {
	if r.N != nil && !number(r.N.Value) {
		w.unclear("a redirection in it sets a variable")
	}
	if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc {
		return // from text in the command
	}

	path, fixed := literal(r.Word)
	if duplicates := r.Op == syntax.DplIn || r.Op == syntax.DplOut; duplicates && fixed && number(strings.TrimSuffix(path, "-")) {
		return // to another descriptor, or closed; else it is a file
	}
	if !fixed {
		w.unclear("it redirects to a file whose name is not fixed")
		return
	}
	if path == "/dev/null" {
		return
	}
	if climbs(path) {
		w.unclear("it redirects to a file above a folder that may be a link")
		return
	}
	if strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/") {
		w.unclear("it redirects to a host in some shells")
		return
	}
	if w.moved && !filepath.IsAbs(path) {
		w.unclear("it redirects to a file of a folder that it goes to")
		return
	}

	kind := "edit"
	if r.Op == syntax.RdrIn {
		kind = "read"
	}

	real := resolve(w.ways.cwd, path)
	w.parts = append(w.parts, part{kind: kind, path: real, what: "the file " + w.ways.within(real) + " (redirected)", at: w.whole})
}
