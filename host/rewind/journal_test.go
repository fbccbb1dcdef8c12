package rewind

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

func version(text string) checkpoint.Version {
	if text == "" {
		return checkpoint.Version{}
	}
	return checkpoint.Version{Top: "/", Blob: text, Mode: "100644"}
}

func content(v checkpoint.Version) Content {
	if v.Blob == "" {
		return missing
	}
	return file(v.Blob)
}

// An entry that takes any change back is a rewind, and one that says nothing is empty.
func TestKindsOfEntries(t *testing.T) {
	back, change := Change{Path: "/a", Back: []int{1}}, Change{Path: "/b"}
	for _, tt := range []struct {
		entry         Entry
		rewind, empty bool
	}{
		{Entry{}, false, true},
		{Entry{Prompt: "go", Agent: "agent"}, false, true},
		{Entry{Changes: []Change{change}}, false, false},
		{Entry{Changes: []Change{change, back}}, true, false},
		{Entry{Changes: []Change{back, change}}, true, false},
		{Entry{Notes: []string{"not all is known"}}, false, false},
		{Entry{Folders: []checkpoint.Folder{{}}}, false, false},
	} {
		if got := tt.entry.Rewind(); got != tt.rewind {
			t.Errorf("%+v is a rewind: %v", tt.entry, got)
		}
		if got := tt.entry.Empty(); got != tt.empty {
			t.Errorf("%+v is empty: %v", tt.entry, got)
		}
	}
}

// Going back to before an entry gives exactly what was there, however often one has gone back and forth before.
func TestBack(t *testing.T) {
	for seed := range *histories {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		path := filepath.Join(t.TempDir(), "journal")
		j, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		now := map[string]string{} // texts of files
		var before []map[string]string
		names := []string{"/a", "/b", "/c"}
		rename := func() { // also onto another one, which is gone then
			from, to := names[r.IntN(3)], []string{"/a", "/b", "/c", "/d", "/e"}[r.IntN(5)]
			if from == to || now[from] == "" {
				return
			}
			if err := j.Moved(Move{from, to}); err != nil {
				t.Fatal(err)
			}
			for _, files := range append(before, now) {
				delete(files, to)
				if text, ok := files[from]; ok {
					files[to] = text
					delete(files, from)
				}
			}
			names = slices.DeleteFunc(names, func(name string) bool { return name == to })
			names[slices.Index(names, from)] = to
			for _, more := range []string{"/a", "/b", "/c"} {
				if len(names) < 3 && !slices.Contains(names, more) {
					names = append(names, more)
				}
			}
		}
		add := func(e Entry) {
			t.Helper()
			before = append(before, maps.Clone(now))
			for _, c := range e.Changes {
				now[c.Path] = c.After.Blob
			}
			if id, err := j.Append(e); err != nil || id != len(before) {
				t.Fatalf("entry %d: %v, want %d", id, err, len(before))
			}
		}
		for n := range 3 + r.IntN(12) {
			if r.IntN(5) == 0 {
				rename()
			}
			if n == 0 || r.IntN(3) > 0 {
				var e Entry
				for _, name := range names {
					if r.IntN(2) == 0 {
						text := fmt.Sprintf("%d\n", r.IntN(4))
						if r.IntN(6) == 0 {
							text = ""
						}
						e.Changes = append(e.Changes, Change{Path: name, Before: version(now[name]), After: version(text)})
					}
				}
				add(e)
				continue
			}

			id := 1 + r.IntN(len(before))
			taken, want := j.Back(id), before[id-1]
			if r.IntN(3) == 0 { // only the last entry in effect can be taken back alone without a conflict
				id = len(before)
				taken, want = j.Only(id), before[id-1]
			}
			var steps []Step
			for _, c := range taken {
				steps = append(steps, Step{c.Path, content(c.Before), content(c.After), nil, false})
			}
			var e Entry
			for _, a := range Plan(steps, func(path string) (Content, error) { return content(version(now[path])), nil }) {
				if a.Refused != "" {
					t.Fatalf("seed %d: %s: %s", seed, a.Path, a.Refused)
				}
				e.Changes = append(e.Changes, Change{Path: a.Path, Before: version(string(a.Now.Data)), After: version(string(a.Then.Data)), Back: Entries(taken, a.Path)})
			}
			if len(e.Changes) > 0 {
				add(e)
			}
			for _, name := range names {
				if now[name] != want[name] {
					t.Fatalf("seed %d: back to before %d, %s is %q, was %q", seed, id, name, now[name], want[name])
				}
			}
		}

		again, err := Open(path)
		if err != nil || fmt.Sprint(again.now()) != fmt.Sprint(j.now()) {
			t.Fatalf("seed %d: read again: %v\n%v\n%v", seed, err, again.Entries, j.Entries)
		}
	}
}

// What a rewind has taken back is not taken back again.
func TestOnly(t *testing.T) {
	j := &Journal{}
	add := func(changes ...Change) {
		t.Helper()
		if _, err := j.Append(Entry{Changes: changes}); err != nil {
			t.Fatal(err)
		}
	}
	names := func(taken []Taken) string {
		var out []string
		for _, c := range taken {
			out = append(out, fmt.Sprint(c.Path, c.Entry))
		}
		return strings.Join(out, " ")
	}
	add(Change{Path: "/a", Before: version("1"), After: version("2")}, Change{Path: "/b", Before: version("1"), After: version("2")})
	add(Change{Path: "/a", Before: version("2"), After: version("3")})
	add(Change{Path: "/b", Before: version("2"), After: version("1"), Back: []int{1}}) // in /a the same lines were changed since
	if got := names(j.Only(1)); got != "/a1" {
		t.Errorf("the first entry: %s", got)
	}
	add(Change{Path: "/b", Before: version("1"), After: version("2"), Back: []int{3}})
	if got := names(j.Only(1)) + ", " + names(j.Only(3)); got != "/a1 /b1, " {
		t.Errorf("after the rewind was taken back: %s", got)
	}
	if got := names(j.Back(2)) + ", " + names(j.Back(3)) + ", " + names(j.Back(4)); got != "/a2, , /b4" {
		t.Errorf("back: %s", got)
	}
}

// A line that was cut, or is of no journal, loses nothing of the others.
func TestDamagedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "journal")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"one", "two"} {
		if _, err := j.Append(Entry{Prompt: prompt}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("garbage\n"), data[:len(data)-5]...), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err = Open(path)
	if err == nil || !strings.Contains(err.Error(), ":1: ") || !strings.Contains(err.Error(), ":3: ") || len(j.Entries) != 1 {
		t.Fatalf("%v, %v", j.Entries, err)
	}
	if id, err := j.Append(Entry{Prompt: "not yet three"}); id != 2 || err != nil {
		t.Fatalf("%d, %v", id, err)
	}
	if again, _ := Open(path); len(again.Entries) != 2 {
		t.Errorf("behind a line that was cut: %v", again.Entries)
	}
	if err := j.Correct(Entry{Prompt: "three"}); err != nil {
		t.Fatal(err)
	}
	if j, _ = Open(path); len(j.Entries) != 2 || j.Entries[1].Prompt != "three" {
		t.Errorf("read again: %v", j.Entries)
	}
}
