package rewind

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

func (s Side) String() string {
	if s.Content != nil {
		return string(s.Content.Data)
	}
	return s.Version.Blob
}

// finished lists what a turn has changed as "path before>after", and behind a bar what is not known.
func finished(t *Turn, changes ...string) string {
	var list []checkpoint.Change
	for _, c := range changes { // path old new
		f := strings.Split(c, " ")
		list = append(list, checkpoint.Change{Path: f[0], Old: version(f[1]), New: version(f[2])})
	}
	drafts, unknown := t.Finish(list)
	var out []string
	for _, d := range drafts {
		out = append(out, fmt.Sprintf("%s %v>%v", d.Path, d.Before, d.After))
	}
	return strings.Join(out, ", ") + "|" + strings.Join(unknown, " ")
}

func TestTurn(t *testing.T) {
	edit := func(t *Turn, path, before, after string) { t.Edit(Step{path, file(before), file(after)}) }
	for _, test := range []struct {
		name    string
		play    func(t *Turn)
		changes []string
		want    string
	}{
		{"a program changes what no buffer has", func(*Turn) {}, []string{"/a 1 2", "/b  1", "/c 1 "}, "/a 1>2, /b >1, /c 1>|"},
		{"through a buffer, which the user saves", func(t *Turn) { edit(t, "/loaded", "1", "2") }, []string{"/loaded 1 2mine"}, "/loaded 1>2|"},
		{"the user saves", func(t *Turn) { t.Save("/loaded") }, []string{"/loaded 1 mine"}, "|"},
		{"a buffer is closed, and a program changes its file", func(*Turn) {}, []string{"/loaded 1 2"}, "/loaded 1>2|"},
		{"the editor writes what no buffer has, and a program goes on", func(t *Turn) { edit(t, "/a", "1", "2") }, []string{"/a 1 3"}, "/a 1>3|"},
		{"the editor writes what no checkpoint has", func(t *Turn) { edit(t, "/ignored", "1", "2") }, nil, "/ignored 1>2|"},
		{"edits in a row are one", func(t *Turn) { edit(t, "/loaded", "1", "2"); edit(t, "/a", "", "1"); edit(t, "/loaded", "2", "3") }, nil, "/a >1, /loaded 1>3|"},
		{"edits with the user's in between are two", func(t *Turn) { edit(t, "/loaded", "1", "2"); edit(t, "/loaded", "2mine", "3mine") }, nil, "/loaded 1>2, /loaded 2mine>3mine|"},
		{"edits that come to nothing", func(t *Turn) { edit(t, "/loaded", "1", "2"); edit(t, "/loaded", "2", "1") }, nil, "|"},
		{"opened after a program has changed it", func(t *Turn) { t.Open("/a", file("2")); edit(t, "/a", "2", "3") }, []string{"/a 1 3mine"}, "/a 1>2, /a 2>3|"},
		{"opened twice", func(t *Turn) { t.Open("/a", file("2")); t.Open("/a", file("3")) }, []string{"/a 1 3"}, "/a 1>2|"},
		{"the user makes a file", func(t *Turn) { t.Save("/a") }, []string{"/a  mine"}, "|"},
		{"opened, and then saved by the user", func(t *Turn) { t.Open("/a", file("2")); t.Save("/a") }, []string{"/a 1 mine"}, "/a 1>2|"},
		{"another session at work", func(t *Turn) { Beside(t, NewTurn(nil)) }, []string{"/a 1 2"}, "|/a"},
		{"named by this one", func(t *Turn) { Beside(t, NewTurn(nil)); t.Name("/a") }, []string{"/a 1 2"}, "/a 1>2|"},
		{"named by the other", func(t *Turn) { o := NewTurn(nil); Beside(t, o); o.Name("/a") }, []string{"/a 1 2"}, "|"},
		{"named by both", func(t *Turn) { o := NewTurn(nil); Beside(t, o); o.Name("/a"); t.Name("/a") }, []string{"/a 1 2"}, "|/a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			turn := NewTurn([]string{"/loaded"})
			test.play(turn)
			if got := finished(turn, test.changes...); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// What nobody can tell whose it is, all turns that may have done it know as unknown.
func TestOwner(t *testing.T) {
	a, b := NewTurn(nil), NewTurn(nil)
	Beside(a, b)
	b.Name("/b")
	if Owner([]*Turn{a, b}, "/b") != b || Owner([]*Turn{a}, "/a") != a || Owner([]*Turn{a, b}, "/c") != nil {
		t.Error("wrong owner")
	}
	if got := finished(a) + finished(b); got != "|/c|/c" {
		t.Errorf("got %s", got)
	}
}
