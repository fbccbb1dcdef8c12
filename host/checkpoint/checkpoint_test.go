package checkpoint

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

func TestDiff(t *testing.T) {
	f := committed(t, "same", "1\n", "edited", "1\n", "gone", "1\n", "old/name", strings.Repeat("text\n", 20), "script", "#!\n",
		"-dash", "1\n", "line\nend", "1\n", "*", "1\n", "ü\xff", "1\n", ".gitignore", "*.log\n", "a.log", "1\n", "dir/file", "1\n", "file", "1\n")
	f.write("untracked", "1\n")
	s := f.store()
	before := f.take(s)
	if got := f.diff(s, before, f.take(s)); got != "" {
		t.Errorf("nothing has changed, got %q", got)
	}

	f.write("edited", "2\n")
	f.write("untracked", "2\n")
	f.write("new", "of its own\n")
	f.write("b.log", "ignored\n")
	f.remove("gone")
	f.mkdir("new-folder")
	for _, err := range []error{
		os.Rename(f.path("old/name"), f.path("new-folder/name")),
		os.Chmod(f.path("script"), 0o755),
		os.Symlink("edited", f.path("link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"-dash", "line\nend", "*", "ü\xff"} {
		f.write(name, "2\n")
	}
	f.remove("dir")
	f.write("dir", "now a file\n")
	f.remove("file")
	f.write("file/inside", "now a folder\n")

	after := f.take(s)
	want := "M *, M -dash, A dir, D dir/file, M edited, D file, A file/inside, D gone, M line\nend, A link, A new, A new-folder/name, D old/name, M script, M untracked, M ü\xff"
	if got := f.diff(s, before, after); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := f.read(s, before, "edited") + f.read(s, after, "edited") + f.read(s, after, "link"); got != "1\n2\nedited" {
		t.Errorf("texts: %q", got)
	}
	if _, ok, _ := s.Find(context.Background(), before, "/elsewhere/file"); ok {
		t.Error("a path in no folder of the checkpoint is known")
	}

	// A later process reads what this one has stored.
	if got := f.diff(f.store(), before, after); got != want {
		t.Errorf("in a later process: %q", got)
	}
}

// What a user's commit, staging, checkout or reset does to their repository is not a change of the files.
func TestUserCommits(t *testing.T) {
	f := committed(t, "a", "1\n", "b", "1\n")
	s := f.store()
	f.write("a", "2\n")
	before := f.take(s)
	f.user(f.root, "add", "a")
	f.user(f.root, "commit", "-qm", "second")
	f.write("b", "2\n")
	f.user(f.root, "add", "b")
	after := f.take(s)
	if got := f.diff(s, before, after); got != "M b" {
		t.Errorf("got %q", got)
	}
}

func TestUsersRepositoryIsLeftAlone(t *testing.T) {
	f := committed(t, "a", "1\n", "b", "1\n", "big", strings.Repeat("line\n", 1000))
	f.write("a", "stashed\n")
	f.user(f.root, "stash")
	f.write("a", "staged\n")
	f.user(f.root, "add", "a")
	f.write("a", "not staged\n")
	f.user(f.root, "status")
	ran := f.path("../ran")
	f.user(f.root, "config", "core.fsmonitor", "touch "+ran+";false")
	f.user(f.root, "config", "filter.evil.clean", "touch "+ran+"; cat")
	f.user(f.root, "config", "core.hooksPath", f.path("../hooks"))
	f.write("../hooks/post-index-change", "#!/bin/sh\ntouch "+ran+"\n")
	f.write("../hooks/reference-transaction", "#!/bin/sh\ntouch "+ran+"\n")
	for _, name := range []string{"post-index-change", "reference-transaction"} {
		if err := os.Chmod(f.path("../hooks/"+name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.write(".gitattributes", "*.dat filter=evil\n")
	f.write("x.dat", "1\n")
	want := f.contents(f.root)

	s := f.store()
	f.take(s)
	f.write("x.dat", "2\n")
	f.write("new", "1\n")
	f.take(s)
	f.write("x.dat", "1\n")
	f.remove("new")

	if got := f.contents(f.root); !maps.Equal(got, want) {
		for path := range got {
			if got[path] != want[path] {
				t.Errorf("%s: %q, was %q", path, got[path], want[path])
			}
		}
		t.Error("the user's files are not as they were")
	}
	if regular.Exists(ran) {
		t.Error("a program from the user's configuration has run")
	}
}

func TestNoRepository(t *testing.T) {
	f := project(t)
	f.write("a", "1\n")
	f.write(".gitignore", "ignored\n")
	f.write("ignored", "1\n")
	f.write("../.config/git/ignore", "everywhere\n")
	f.write("everywhere", "1\n")
	s := f.store()
	before := f.take(s)
	f.write("a", "2\n")
	f.write("b", "1\n")
	f.write("ignored", "2\n")
	f.write("everywhere", "2\n")
	after := f.take(s)
	if got := f.diff(s, before, after); got != "M a, A b" {
		t.Errorf("got %q", got)
	}
	if regular.Exists(f.path(".git")) {
		t.Error("the folder has become a repository")
	}
	f.user(f.root, "init", "-q") // by the user, later
	f.write("a", "3\n")
	if got := f.diff(s, f.take(s), f.take(s)); got != "" {
		t.Errorf("after git init: %q", got)
	}
}

func TestNested(t *testing.T) {
	f := committed(t, "a", "1\n")
	f.write("inner/a", "1\n")
	f.write("unborn/a", "1\n")
	f.write("broken/a", "1\n")
	f.write("broken/.git", "gitdir: nowhere\n")
	f.user(f.path("inner"), "init", "-q")
	f.user(f.path("inner"), "add", "-A")
	f.user(f.path("inner"), "commit", "-qm", "first")
	f.user(f.path("unborn"), "init", "-q")
	f.user(f.root, "-c", "advice.addEmbeddedRepo=false", "add", "inner") // as a submodule is
	f.user(f.root, "commit", "-qm", "second")

	s := f.store()
	before := f.take(s)
	for _, name := range []string{"a", "inner/a", "unborn/a", "broken/a"} {
		f.write(name, "2\n")
	}
	f.write("later/a", "1\n")
	f.user(f.path("later"), "init", "-q")
	after := f.take(s)
	if got, want := f.diff(s, before, after), "M a, M broken/a, M inner/a, A later/a, M unborn/a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := f.read(s, before, "inner/a"); got != "1\n" {
		t.Errorf("inner/a: %q", got)
	}
	f.remove("inner")
	if got, want := f.diff(s, after, f.take(s)), "D inner/a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// One folder that fails does not take the others with it.
func TestMissing(t *testing.T) {
	f := committed(t, "a", "1\n")
	f.write("file", "1\n")
	s := f.store()
	roots := []string{f.path("none"), f.path("file"), filepath.Dir(f.root), f.root, "relative"}
	before := s.Take(context.Background(), roots)
	f.write("a", "2\n")
	after := s.Take(context.Background(), roots)
	if got := f.diff(s, before, after); got != "M a" {
		t.Errorf("got %q", got)
	}
	var missing []string
	for _, m := range after.Missing {
		missing = append(missing, m.Root)
	}
	if want := []string{f.path("none"), f.path("file"), filepath.Dir(f.root), "relative"}; !slices.Equal(missing, want) {
		t.Errorf("missing: %q, want %q", missing, want)
	}

	path := os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	none := s.Take(context.Background(), []string{f.root})
	if len(none.Missing) != 1 || none.Missing[0].Reason != errNoGit.Error() {
		t.Errorf("without Git: %+v", none)
	}
	t.Setenv("PATH", path)
	if got := f.diff(s, none, after) + f.diff(s, after, none); got != "" {
		t.Errorf("against a folder without a checkpoint: %q", got)
	}
}

// A folder that is removed while its checkpoint is made is said to have gone, whatever Git or the system says of it.
func TestRemovedMeanwhile(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	f := committed(t, "a", "1\n")
	bin := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nrm -rf '%s'\nexec '%s' \"$@\"\n", f.root, real)
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	s := f.store()
	for _, name := range []string{"as Git starts", "before"} {
		c := s.Take(context.Background(), []string{f.root})
		if len(c.Missing) != 1 || c.Missing[0].Reason != errGone.Error() {
			t.Errorf("%s: %+v", name, c.Missing)
		}
	}
}

// A home folder is no project, unless it is a repository.
func TestHome(t *testing.T) {
	f := project(t)
	home := filepath.Dir(f.root)
	s := f.store()
	if c := s.Take(context.Background(), []string{home}); len(c.Missing) != 1 {
		t.Errorf("got %+v", c)
	}
	f.user(home, "init", "-q")
	before := s.Take(context.Background(), []string{home})
	f.write("a", "1\n")
	after := s.Take(context.Background(), []string{home})

	if got := f.diff(s, before, after); got != "A a" { // and nothing of the store, which is in it
		t.Errorf("got %q", got)
	}
}

// The user's own settings of Git change nothing.
func TestSettings(t *testing.T) {
	f := committed(t, "a", "1\n")
	for _, setting := range []string{"core.ignoreStat", "core.sparseCheckout", "core.untrackedCache", "core.fsmonitor"} {
		f.user(f.root, "config", "--global", setting, "true")
	}
	f.user(f.root, "config", "--global", "status.showUntrackedFiles", "no")
	s := f.store()
	before := f.take(s)
	f.write("a", "2\n")
	f.write("b", "1\n")
	middle := f.take(s)
	f.write("b", "2\n")
	after := f.take(s)
	if got := f.diff(s, before, middle) + "; " + f.diff(s, middle, after); got != "M a, A b; M b" {
		t.Errorf("got %q", got)
	}
}

func TestSubfolder(t *testing.T) {
	f := committed(t, "a", "1\n", "sub/a", "1\n", ".gitignore", "*.log\nout/\n")
	f.write("out/a", "1\n")
	s := f.store()
	for _, c := range []struct{ root, want string }{
		{"sub", "M sub/a, A sub/b"},
		{"out", "M out/a"}, // ignored by its repository, so a folder by itself
	} {
		take := func() Checkpoint { return s.Take(context.Background(), []string{f.path(c.root)}) }
		before := take()
		f.write("a", c.root)
		f.write("sub/a", c.root)
		f.write("sub/b", c.root)
		f.write("sub/c.log", c.root)
		f.write("out/a", c.root)
		if got := f.diff(s, before, take()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.root, got, c.want)
		}
	}
}

func TestUnsaved(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	texts := map[string]string{f.path("a"): "typed\n", f.path("b"): "typed\n", f.path("new"): "", "/elsewhere": "x"}
	c := s.AddUnsaved(context.Background(), s.Take(context.Background(), []string{f.root}), texts)
	for name, want := range map[string]string{"a": "typed\n", "b": "typed\n", "new": ""} {
		v, ok := c.Unsaved(f.path(name))
		text, err := s.Read(context.Background(), v)
		if !ok || err != nil || string(text[0]) != want {
			t.Errorf("%s: %q, %v, %v", name, text, ok, err)
		}
	}
	if _, ok := c.Unsaved("/elsewhere"); ok {
		t.Error("a file of no folder is part of the checkpoint")
	}
	if got := f.read(s, c, "a"); got != "1\n" {
		t.Errorf("on the disk: %q", got)
	}
}

// A file that another repository has by now, or that is ignored no longer, has not changed.
func TestMoves(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(f folder)
		want string
	}{
		{"the folder's files are added to the repository around it", func(f folder) { f.user(f.root, "add", "sub/edited") }, "M sub/edited"},
		{"a folder is a repository no more", func(f folder) { f.remove("sub/lib/.git") }, "M sub/edited"},
		{"a folder has become a repository", func(f folder) { f.user(f.path("sub/dir"), "init", "-q") }, "M sub/edited"},
		{"the repository around it is gone", func(f folder) { f.remove(".git") }, "M sub/edited"},
		{"it is not ignored any more", func(f folder) { f.write("sub/.gitignore", "") }, "M sub/.gitignore, M sub/edited; sub/new sub/secret"},
		{"nor by the user's own list", func(f folder) { f.write("../.config/git/ignore", "") }, "M sub/edited; sub/new sub/private"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := committed(t, "other", "1\n")
			f.write("../.config/git/ignore", "private\n")
			for _, name := range []string{"edited", "same", "secret", "private", "lib/a", "dir/a"} {
				f.write("sub/"+name, "1\n")
			}
			f.write("sub/.gitignore", "secret\n")
			f.user(f.path("sub/lib"), "init", "-q")
			s := f.store()
			take := func() Checkpoint { return s.Take(context.Background(), []string{f.path("sub")}) }
			before := take()
			c.make(f)
			f.write("sub/edited", "2\n")
			f.write("sub/new", "1\n")
			changes, unclear, err := s.Diff(context.Background(), before, take())
			if err != nil {
				t.Fatal(err)
			}
			got := f.diff(s, before, take())
			for i, path := range unclear {
				got += []string{"; ", " "}[min(i, 1)] + strings.TrimPrefix(path, f.root+"/")
			}
			if want := c.want; got != want && got != want+", A sub/new" {
				t.Errorf("got %q of %d, want %q", got, len(changes), want)
			}
		})
	}
}
