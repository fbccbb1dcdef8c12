package rewind

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
	drafts, _, unknown := t.Finish(list)
	var out []string
	for _, d := range drafts {
		out = append(out, fmt.Sprintf("%s %v>%v", d.Path, d.Before, d.After))
	}
	return strings.Join(out, ", ") + "|" + strings.Join(unknown, " ")
}

func TestTurn(t *testing.T) {
	edit := func(t *Turn, path, before, after string) { t.Edit(Step{path, file(before), file(after), nil, false}) }
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
		{"a file is changed and deleted", func(t *Turn) { edit(t, "/loaded", "1", "2"); t.Edit(Step{"/loaded", file("2"), missing, nil, false}) }, nil, "/loaded 1>2, /loaded 2>|"},
		{"a file comes, is kept, and goes", func(t *Turn) {
			t.Edit(Step{"/a", missing, file("1"), nil, false})
			t.Keep("/a", file("1"))
			t.Edit(Step{"/a", file("1"), missing, nil, false})
		}, nil, "/a >1, /a 1>|"},
		{"a file comes and goes", func(t *Turn) {
			t.Edit(Step{"/a", missing, file("1"), nil, false})
			t.Edit(Step{"/a", file("1"), missing, nil, false})
		}, nil, "|"},
		{"a file comes, goes and is back", func(t *Turn) {
			t.Edit(Step{"/a", missing, file("1"), nil, false})
			t.Edit(Step{"/a", file("1"), missing, nil, false})
			t.Edit(Step{"/a", file("1"), file("1"), nil, false})
		}, nil, "/a >1|"},
		{"a file goes and is back as another", func(t *Turn) {
			edit(t, "/loaded", "1", "2")
			t.Edit(Step{"/loaded", file("2"), missing, nil, false})
			edit(t, "/loaded", "2mine", "3mine")
		}, nil, "/loaded 1>2, /loaded 2mine>3mine|"},
		{"a file goes and is back as it was", func(t *Turn) {
			t.Edit(Step{"/loaded", file("1"), missing, nil, false})
			t.Edit(Step{"/loaded", file("1mine"), file("1mine"), nil, false})
		}, nil, "|"},
		{"edits that come to nothing", func(t *Turn) { edit(t, "/loaded", "1", "2"); edit(t, "/loaded", "2", "1") }, nil, "|"},
		{"opened after a program has changed it", func(t *Turn) { t.Open("/a", file("2")); edit(t, "/a", "2", "3") }, []string{"/a 1 3mine"}, "/a 1>2, /a 2>3|"},
		{"opened twice", func(t *Turn) { t.Open("/a", file("2")); t.Open("/a", file("3")) }, []string{"/a 1 3"}, "/a 1>2|"},
		{"a buffer is closed, a program changes its file, and the editor writes it", func(t *Turn) {
			t.Meet("/loaded", file("2"))
			edit(t, "/loaded", "2", "3")
		}, []string{"/loaded 1 3"}, "/loaded 1>2, /loaded 2>3|"},
		{"the editor writes, and so does a program before the editor does again", func(t *Turn) {
			edit(t, "/loaded", "1", "2")
			two := file("2")
			t.Has("/loaded", &two)
			t.Meet("/loaded", file("3"))
			edit(t, "/loaded", "3", "4")
		}, []string{"/loaded 1 4"}, "/loaded 1>4|"},
		{"what the user has saved and a program has not changed is met", func(t *Turn) {
			mine := file("mine")
			t.Save("/loaded")
			t.Has("/loaded", &mine)
			t.Meet("/loaded", mine)
			edit(t, "/loaded", "mine", "2")
		}, []string{"/loaded 1 2"}, "/loaded mine>2|"},
		{"the user makes a file", func(t *Turn) { t.Save("/a") }, []string{"/a  mine"}, "|"},
		{"opened, and then saved by the user", func(t *Turn) { t.Open("/a", file("2")); t.Save("/a") }, []string{"/a 1 mine"}, "/a 1>2|"},
		{"the user renames a file that no buffer has", func(t *Turn) { t.Move(Move{"/a", "/z"}, file("1")) }, []string{"/a 1 ", "/z  1"}, "|"},
		{"the user renames what a program has changed", func(t *Turn) { t.Move(Move{"/a", "/z"}, file("2")) }, []string{"/a 1 ", "/z  2"}, "/z 1>2|"},
		{"the user renames what the editor has changed", func(t *Turn) { edit(t, "/loaded", "1", "2"); t.Move(Move{"/loaded", "/z"}, file("2")) }, []string{"/loaded 1 ", "/z  2mine"}, "/z 1>2|"},
		{"it has seemed to be deleted", func(t *Turn) {
			edit(t, "/loaded", "1", "2")
			t.Edit(Step{"/loaded", file("2"), missing, nil, false})
			t.Move(Move{"/loaded", "/z"}, file("2"))
		}, []string{"/loaded 1 ", "/z  2"}, "/z 1>2|"},
		{"it seems to be deleted after that", func(t *Turn) {
			edit(t, "/loaded", "1", "2")
			t.Move(Move{"/loaded", "/z"}, file("2"))
			t.Edit(Step{"/loaded", file("2"), missing, nil, false})
		}, []string{"/loaded 1 ", "/z  2"}, "/z 1>2|"},
		{"the user renames a file, and the agent makes the old one again", func(t *Turn) { t.Move(Move{"/a", "/z"}, file("1")); edit(t, "/a", "", "3") }, []string{"/a 1 3", "/z  1"}, "/a >3|"},
		{"the user renames a file twice, and back", func(t *Turn) {
			edit(t, "/loaded", "1", "2")
			t.Move(Move{"/loaded", "/y"}, file("2"))
			t.Move(Move{"/y", "/z"}, file("2"))
			t.Move(Move{"/z", "/loaded"}, file("2"))
		}, []string{"/loaded 1 2"}, "/loaded 1>2|"},
		{"the user renames a file onto another that the turn has changed", func(t *Turn) {
			edit(t, "/loaded", "1", "2")
			edit(t, "/b", "1", "3")
			t.Move(Move{"/loaded", "/b"}, file("2"))
		}, []string{"/loaded 1 ", "/b 1 2"}, "/b 1>2|"},
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

// A turn with many edits, between which the user types, holds no more than some of them, and what takes it back is the
// same.
func TestManyEdits(t *testing.T) {
	defer func(most int) { maxEdits = most }(maxEdits)
	for seed := range uint64(200) {
		var results []string
		sizes := []int{}
		for _, most := range []int{1 << 30, 4000} {
			maxEdits = most
			r := rand.New(rand.NewPCG(seed, 3))
			lines := make([]string, 40)
			for i := range lines {
				lines[i] = fmt.Sprint("base", i)
			}
			turn := NewTurn([]string{"/loaded", "/other"})
			text := func() Content { return file(strings.Join(lines, "\n") + "\n") }
			for n := range 60 {
				before := text()
				for range 1 + r.IntN(3) { // the agent has the lines with odd numbers
					lines[2*r.IntN(20)+1] = fmt.Sprint("agent", n)
				}
				turn.Edit(Step{"/loaded", before, text(), nil, false})
				turn.Edit(Step{"/other", before, text(), nil, false})
				if r.IntN(2) == 0 {
					lines[2*r.IntN(20)] = fmt.Sprint("user", n)
				}
			}
			drafts, _, _ := turn.Finish(nil)
			var steps []Step
			size := 0
			for _, d := range drafts {
				s := Step{d.Path, *d.Before.Content, *d.After.Content, nil, false}
				size += s.size()
				if d.Path == "/loaded" {
					steps = append(steps, s)
				}
			}
			sizes = append(sizes, size)
			lines[0] = "user later"
			actions := Plan(steps, func(string) (Content, error) { return text(), nil })
			results = append(results, fmt.Sprintf("%q", actions[0].Then.Data))
			for i := 1; i < len(lines); i += 2 {
				lines[i] = fmt.Sprint("base", i)
			}
			if want := fmt.Sprintf("%q", text().Data); results[len(results)-1] != want {
				t.Fatalf("seed %d, %d bytes: got\n%s\nwant\n%s", seed, most, results[len(results)-1], want)
			}
		}
		if sizes[0] < 8000 || sizes[1] > 4000 {
			t.Fatalf("seed %d: %d bytes, joined %d", seed, sizes[0], sizes[1])
		}
	}
}

// Edits that cannot be joined are kept, and so is one that has created a file: taken back, it is deleted.
func TestEditsApart(t *testing.T) {
	defer func(most int) { maxEdits = most }(maxEdits)
	maxEdits = 1
	turn := NewTurn([]string{"/loaded"})
	turn.Edit(Step{"/loaded", file("one\n"), file("agent\n"), nil, false})
	turn.Edit(Step{"/loaded", file("mine\n"), file("more\n"), nil, false})
	turn.Edit(Step{"/new", Content{Missing: true}, file("1\n"), nil, false})
	turn.Edit(Step{"/new", file("1\nmine\n"), file("2\nmine\n"), nil, false})
	if got, want := finished(turn), "/loaded one\n>agent\n, /loaded mine\n>more\n, /new >1\n, /new 1\nmine\n>2\nmine\n|"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What a turn knows of a file that the user has kept changes of goes with it to its new name, and what it knew of the file that is replaced
// there is forgotten (behaviour 1385).
func TestMoveKept(t *testing.T) {
	turn := NewTurn(nil)
	turn.Keep("/kept", file("2"))
	turn.Keep("/replaced", file("3"))
	turn.Move(Move{"/kept", "/z"}, file("2"))
	turn.Move(Move{"/other", "/replaced"}, file("1"))
	if got := turn.Kept(); !slices.Equal(got, []string{"/z"}) {
		t.Errorf("kept: got %q, want /z", got)
	}
	for path, want := range map[string]bool{"/kept": false, "/z": true, "/other": false, "/replaced": false} {
		if c, heard := turn.Had(path); heard != want || heard && !c.Equal(file("2")) {
			t.Errorf("%s: got %v, heard %v, want %v", path, c, heard, want)
		}
	}
}
