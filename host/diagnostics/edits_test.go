package diagnostics

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
)

// fakeSession is a session with an id and folders.
type fakeSession struct {
	feature.Session
	id    string
	roots []string
}

func (s fakeSession) LocalID() string { return s.id }
func (s fakeSession) Roots() []string { return s.roots }

func lines(list ...string) files.Text { return files.Text{Lines: list} }

// Of what happens to the files of two sessions each knows what is in its folders, in order, and which of it is its agent's: what is found on
// the disk counts as that, what the other's agent has written through the editor does not.
func TestWhoseChanges(t *testing.T) {
	a, b := fakeSession{id: "a", roots: []string{"/p", "/q"}}, fakeSession{id: "b", roots: []string{"/p"}}
	var k tracker
	k.changed(a, files.Change{Path: "/p/f", Before: lines("0"), After: lines("1")}) // before any turn
	k.begin(a, nil)
	k.begin(b, nil)
	k.changed(a, files.Change{Path: "/p/f", Before: lines("1"), After: lines("2")})
	k.changed(b, files.Change{Path: "/p/f", Before: lines("2"), After: lines("3")})
	k.changed(nil, files.Change{Path: "/p/f", Before: lines("3"), After: lines("4")})
	k.changed(a, files.Change{Path: "/q/f", Before: lines("x"), After: lines("y")})
	k.changed(a, files.Change{Path: "/elsewhere", Before: lines("x"), After: lines("y")})

	const all = "[{[1] [2] %v} {[2] [3] %v} {[3] [4] true}]"
	for _, tt := range []struct {
		name string
		s    fakeSession
		path string
		want string
	}{
		{"own, then the other's", a, "/p/f", fmt.Sprintf(all, true, false)},
		{"the other's, then own", b, "/p/f", fmt.Sprintf(all, false, true)},
		{"in the second folder", a, "/q/f", "[{[x] [y] true}]"},
		{"in a folder of the other", b, "/q/f", "[]"},
		{"in no folder", a, "/elsewhere", "[]"},
		{"of no session", fakeSession{id: "c"}, "/p/f", "[]"},
	} {
		if got := fmt.Sprint(k.steps(tt.s, tt.path)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}

	k.moved("/p/f", "/p/g")
	if old, now := len(k.steps(b, "/p/f")), len(k.steps(b, "/p/g")); old != 0 || now != 3 {
		t.Errorf("a file that was renamed has %d changes by its old name, %d by its new one", old, now)
	}

	k.begin(a, nil)
	if n := len(k.steps(a, "/p/g")); n != 0 {
		t.Errorf("%d changes of the turn before are left", n)
	}
	if n := len(k.steps(b, "/p/g")); n != 3 {
		t.Errorf("the other session has %d changes, want 3", n)
	}

	k.forget(b)
	k.changed(b, files.Change{Path: "/p/f", Before: lines("4"), After: lines("5")})
	if n := len(k.steps(b, "/p/f")); n != 0 {
		t.Errorf("a session that is over has %d changes", n)
	}
}

// What is kept of a turn is bounded: not more than so many files, none of very many lines, and of one that is changed again and again the
// last text all the same.
func TestChangesAreBounded(t *testing.T) {
	a := fakeSession{id: "a", roots: []string{"/p"}}
	var k tracker
	k.begin(a, nil)
	change := func(path string, from, to int) {
		k.changed(a, files.Change{Path: path, Before: lines(fmt.Sprint(from)), After: lines(fmt.Sprint(to))})
	}

	long := files.Text{Lines: make([]string, maxNotedLines)}
	k.changed(a, files.Change{Path: "/p/long", Before: long, After: lines("1")})
	if n := len(k.steps(a, "/p/long")); n != 0 {
		t.Errorf("a file of %d lines is followed", maxNotedLines)
	}

	for i := range maxNotedFiles + 10 {
		change(fmt.Sprint("/p/", i), 0, 1)
	}
	for i := range maxNotedFiles + 10 {
		change(fmt.Sprint("/p/", i), 1, 2)
	}
	for i := range maxNotedFiles + 10 {
		want := 2
		if i >= maxNotedFiles {
			want = 0
		}
		if got := len(k.steps(a, fmt.Sprint("/p/", i))); got != want {
			t.Fatalf("file %d has %d changes, want %d", i, got, want)
		}
	}

	for i := range 3 * maxNotedSteps {
		change("/p/0", i, i+1)
	}
	steps := k.steps(a, "/p/0")
	if last := steps[len(steps)-1].after; len(steps) > maxNotedSteps || !slices.Equal(last, []string{fmt.Sprint(3 * maxNotedSteps)}) {
		t.Errorf("%d changes are kept, the last of which leads to %s", len(steps), last)
	}
}

// What a turn has changed is compared with the checkpoint at which errors were last looked for, in the turn before or in an earlier one.
func TestComparedSinceLastLook(t *testing.T) {
	a := fakeSession{id: "a", roots: []string{"/p"}}
	at := func(name string) checkpoint.Checkpoint {
		return checkpoint.Checkpoint{Trees: []checkpoint.Tree{{Top: name}}}
	}
	is := func(c checkpoint.Checkpoint, name string) bool {
		return len(c.Trees) == 0 && name == "" || len(c.Trees) == 1 && c.Trees[0].Top == name
	}
	var k tracker
	if base := k.swap(a, at("none")); !is(base, "") {
		t.Errorf("without a turn it is compared with %v", base)
	}
	first, second := new(history.Running), new(history.Running)
	k.begin(a, first)
	if base := k.swap(a, at("one")); !is(base, "") || k.of(a) != first {
		t.Errorf("the first turn is compared with %v", base)
	}
	k.begin(a, second)
	if base := k.swap(a, at("two")); !is(base, "one") || k.of(a) != second {
		t.Errorf("the second turn is compared with %v", base)
	}
	if k.of(fakeSession{id: "b"}) != nil {
		t.Error("another session has a turn")
	}
	k.forget(a)
	k.begin(a, first)
	if base := k.swap(a, at("three")); !is(base, "") {
		t.Errorf("a session that was closed is compared with %v", base)
	}
}
