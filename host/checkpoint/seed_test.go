package checkpoint

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A checkpoint has the bytes of the disk, whatever the user's Git makes of them.
func TestConverted(t *testing.T) {
	f := committed(t, ".gitattributes", "*.txt text=auto\n*.utf16 working-tree-encoding=UTF-16\n*.id ident\n",
		"crlf.txt", "1\r\n2\r\n", "lf.txt", "1\n", "a.id", "$Id$\n", "plain", "1\r\n")
	f.remove("a.id")
	f.user(f.root, "checkout", "--", "a.id") // now with its id
	want := f.contents(f.root)
	s := f.store()
	before := f.take(s)
	if got := f.read(s, before, "crlf.txt"); got != "1\r\n2\r\n" {
		t.Errorf("crlf.txt: %q", got)
	}
	if got := f.read(s, before, "a.id"); !strings.HasPrefix(got, "$Id: ") {
		t.Errorf("a.id: %q", got)
	}
	f.write("crlf.txt", "1\r\n3\r\n")
	f.write("lf.txt", "1\r\n")
	if got := f.diff(s, before, f.take(s)); got != "M crlf.txt, M lf.txt" {
		t.Errorf("got %q", got)
	}
	f.write("crlf.txt", f.read(s, before, "crlf.txt"))
	f.write("lf.txt", f.read(s, before, "lf.txt"))
	delete(want, f.path(".git/index"))
	got := f.contents(f.root)
	delete(got, f.path(".git/index"))
	if !maps.Equal(got, want) {
		t.Error("the files are not as they were")
	}

	f.user(f.root, "config", "core.autocrlf", "true")
	f.write("auto", "1\r\n")
	hour := time.Now().Add(-time.Hour) // so that Git trusts the time in its index
	if err := os.Chtimes(f.path("auto"), hour, hour); err != nil {
		t.Fatal(err)
	}
	f.user(f.root, "add", "auto") // as "1\n"
	s = Open(f.path("../other"), DefaultLimits)
	if got := f.read(s, f.take(s), "auto"); got != "1\r\n" {
		t.Errorf("with autocrlf: %q", got)
	}
}

// What a filter keeps elsewhere, as git-lfs does, is taken as it is in the file: the user's index has a pointer to it.
func TestFiltered(t *testing.T) {
	f := committed(t, "a", "1\n")
	f.user(f.root, "config", "filter.lfs.clean", "echo pointer")
	f.write(".gitattributes", "*.bin filter=lfs -text\n")
	f.write("x.bin", "real\n")
	hour := time.Now().Add(-time.Hour) // so that Git trusts the time in its index
	if err := os.Chtimes(f.path("x.bin"), hour, hour); err != nil {
		t.Fatal(err)
	}
	f.user(f.root, "add", "x.bin", ".gitattributes")
	s := f.store()
	if got := f.read(s, f.take(s), "x.bin"); got != "real\n" {
		t.Errorf("got %q", got)
	}
}

// Whatever the state of the user's index, all files are seen.
func TestSeeds(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(f folder)
	}{
		{"assume unchanged", func(f folder) { f.user(f.root, "update-index", "--assume-unchanged", "a") }},
		{"skip worktree", func(f folder) { f.user(f.root, "update-index", "--skip-worktree", "a") }},
		{"split index", func(f folder) { f.user(f.root, "update-index", "--split-index") }},
		{"no index", func(f folder) { f.remove(".git/index") }},
		{"index is no index", func(f folder) { f.write(".git/index", "garbage") }},
		{"index is cut", func(f folder) {
			text, _ := os.ReadFile(f.path(".git/index"))
			f.write(".git/index", string(text[:len(text)/2]))
		}},
		{"intent to add", func(f folder) { f.write("later", "1\n"); f.user(f.root, "add", "-N", "later") }},
		{"conflict", func(f folder) {
			f.user(f.root, "checkout", "-qb", "other")
			f.write("b", "2\n")
			f.user(f.root, "commit", "-qam", "2")
			f.user(f.root, "checkout", "-q", "-")
			f.write("b", "3\n")
			f.user(f.root, "commit", "-qam", "3")
			if out, err := exec.Command("git", "-C", f.root, "merge", "other").CombinedOutput(); err == nil {
				f.Fatalf("no conflict: %s", out)
			}
		}},
		{"sparse", func(f folder) {
			f.user(f.root, "sparse-checkout", "set", "--cone", "--sparse-index", "dir")
			f.write("out/b", "1\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := committed(t, "a", "1\n", "b", "1\n", "dir/a", "1\n", "out/a", "1\n")
			c.make(f)
			s := f.store()
			before := f.take(s)
			f.write("a", "2\n")
			f.write("dir/a", "2\n")
			after := f.take(s)
			if got := f.diff(s, before, after); got != "M a, M dir/a" {
				t.Errorf("got %q", got)
			}
			if got := f.read(s, before, "a"); got != "1\n" {
				t.Errorf("a: %q", got)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	f := committed(t, "a", "1\n", "tracked", "1\n")
	limits := DefaultLimits
	limits.File = 100
	s := Open(f.path("../state"), limits)
	before := f.take(s)
	f.write("large", strings.Repeat("x", 101))
	f.write("tracked", strings.Repeat("x", 101))
	f.write("small", strings.Repeat("x", 100))
	after := f.take(s)
	if got := f.diff(s, before, after); got != "A small" {
		t.Errorf("got %q", got)
	}
	if want := []string{f.path("large"), f.path("tracked")}; !slices.Equal(after.Trees[0].Skipped, want) {
		t.Errorf("skipped: %q", after.Trees[0].Skipped)
	}
	if _, ok, _ := s.Find(context.Background(), after, f.path("large")); ok {
		t.Error("a file that was skipped is known")
	}
	f.write("tracked", "what it was in between is not known\n")
	if got := f.diff(s, after, f.take(s)); got != "" {
		t.Errorf("got %q", got)
	}

	for _, c := range []struct {
		name   string
		limits Limits
		want   string
	}{
		{"files", Limits{Time: time.Minute, File: 1 << 20, Bytes: 1 << 20, Files: 1}, "too large for checkpoints: more than 1 new files"},
		{"bytes", Limits{Time: time.Minute, File: 2 << 20, Bytes: 1 << 20, Files: 100}, "too large for checkpoints: more than 1 MB of new files"},
		{"time", Limits{Time: time.Nanosecond, File: 1 << 20, Bytes: 1 << 20, Files: 100}, "its checkpoint took too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := committed(t, "a", "1\n")
			f.write("b", strings.Repeat("x", 1<<20))
			f.write("c", "1\n")
			s := Open(f.path("../state"), c.limits)
			for range 2 { // the second is refused at once
				got := s.Take(context.Background(), []string{f.root})
				if len(got.Missing) != 1 || got.Missing[0].Reason != c.want {
					t.Errorf("got %+v", got.Missing)
				}
			}
		})
	}
}

func TestManyNested(t *testing.T) {
	f := committed(t, "a", "1\n")
	for i := range 4 {
		f.mkdir(fmt.Sprintf("inner%d", i))
		f.user(f.path(fmt.Sprintf("inner%d", i)), "init", "-q")
	}
	limits := DefaultLimits
	limits.Nested = 3
	c := Open(f.path("../state"), limits).Take(context.Background(), []string{f.root})
	if len(c.Trees) != 4 || len(c.Missing) != 1 || c.Missing[0].Root != f.path("inner3") {
		t.Errorf("got %d trees, missing %v", len(c.Trees), c.Missing)
	}
	for path, want := range map[string]bool{"a": true, "inner0/a": true, "inner3/a": false, "../a": false} {
		if got := c.Has(f.path(path)); got != want {
			t.Errorf("it has %s: %v, want %v", path, got, want)
		}
	}
}

// Root reads every file, so that only others see one skipped; a link to nowhere and a pipe hold up nobody.
func TestUnreadable(t *testing.T) {
	f := committed(t, "a", "1\n")
	f.write("closed", "1\n")
	for _, err := range []error{
		os.Chmod(f.path("closed"), 0),
		os.Symlink("nowhere", f.path("link")),
		syscall.Mkfifo(f.path("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := f.store()
	c := f.take(s)
	if got := f.read(s, c, "link"); got != "nowhere" {
		t.Errorf("link: %q", got)
	}
	var want []string
	if !canRead(f.path("closed")) {
		want = []string{f.path("closed")}
	}
	if got := c.Trees[0].Skipped; !slices.Equal(got, want) {
		t.Errorf("skipped: %q, want %q", got, want)
	}
}
