package checkpoint

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// What a turn destroys together with the repository that has it comes back: what a checkpoint borrows is held (behaviour 752).
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		name    string
		packed  bool
		destroy func(f folder)
	}{
		{"all", false, func(f folder) { f.remove("."); f.mkdir(".") }},
		{"all, of packs", true, func(f folder) { f.remove("."); f.mkdir(".") }},
		{"repository", true, func(f folder) { f.remove(".git"); f.write("a", "2\n"); f.remove("dir/a") }},
		{"repository, made anew", false, func(f folder) {
			f.remove(".git")
			f.remove("a")
			f.remove("dir/a")
			f.user(f.root, "init", "-q")
		}},
		{"history", true, func(f folder) { orphan(f) }},
		{"history, loose", false, func(f folder) { orphan(f) }},
		{"each object, in place", true, func(f folder) {
			_ = filepath.WalkDir(f.path(".git/objects"), func(path string, e os.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					err = os.Chmod(path, 0o600)
					if err == nil {
						err = os.Truncate(path, 0)
					}
				}
				return err
			})
			f.remove("a")
			f.remove("dir/a")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := committed(t, "a", "1\n", "dir/a", strings.Repeat("long\n", 100))
			if c.packed {
				f.user(f.root, "gc", "-q")
			}
			s := f.store()
			before := f.take(s)
			if missing := s.Hold(context.Background(), before); len(missing) > 0 {
				t.Fatalf("not held: %v", missing)
			}
			c.destroy(f)
			after := f.take(s)
			if again := Open(s.dir, DefaultLimits); true { // also for the next process, once it has looked
				if missing := again.Hold(context.Background(), f.take(again)); len(missing) > 0 && c.name != "each object, in place" {
					t.Errorf("not held: %v", missing)
				}
				if err := again.Prune(context.Background(), time.Hour, 1<<30); err != nil && c.name != "each object, in place" {
					t.Errorf("prune: %v", err)
				}
			}
			if got := f.diff(s, before, after); !strings.Contains(got, " a") || !strings.Contains(got, "dir/a") {
				t.Errorf("got %q", got)
			}
			if got := f.read(s, before, "a"); got != "1\n" {
				t.Errorf("a: %q", got)
			}
			if got := f.read(s, before, "dir/a"); got != strings.Repeat("long\n", 100) {
				t.Errorf("dir/a: %q", got)
			}
		})
	}
}

// orphan leaves a history that has nothing of the files, and has Git remove the rest.
func orphan(f folder) {
	branch := strings.TrimSpace(f.user(f.root, "symbolic-ref", "--short", "HEAD"))
	f.user(f.root, "checkout", "-q", "--orphan", "new")
	f.user(f.root, "rm", "-rfq", ".")
	f.user(f.root, "commit", "-q", "--allow-empty", "-m", "none")
	f.user(f.root, "branch", "-q", "-D", branch)
	f.user(f.root, "reflog", "expire", "--expire=now", "--all")
	f.user(f.root, "gc", "-q", "--prune=now")
}

// What the user's Git has no longer is bounded as all that is stored: it goes with the checkpoints that need it.
func TestHeldIsBounded(t *testing.T) {
	f := committed(t, "a", strings.Repeat("x", 1000))
	s := f.store()
	days := 0
	s.now = func() time.Time { return time.Now().Add(time.Duration(days) * 24 * time.Hour) }
	if missing := s.Hold(context.Background(), f.take(s)); len(missing) > 0 {
		t.Fatalf("not held: %v", missing)
	}
	r := s.repository(f.root)
	if r.size() > 0 && r.loose() > 256 {
		t.Errorf("what is borrowed is counted as stored: %d bytes", r.size())
	}
	f.write("a", "2\n")
	f.user(f.root, "commit", "-qam", "2", "--amend")
	f.user(f.root, "reflog", "expire", "--expire=now", "--all")
	f.user(f.root, "gc", "-q", "--prune=now")
	days = 20
	if missing := s.Hold(context.Background(), f.take(s)); len(missing) > 0 {
		t.Fatalf("not held: %v", missing)
	}
	if !regular.Exists(filepath.Join(r.dir, takenOut)) {
		t.Error("nothing was taken over")
	}
	if err := s.Prune(context.Background(), 14*24*time.Hour, 1<<30); err != nil {
		t.Fatal(err)
	}
	if regular.Exists(filepath.Join(r.dir, takenOut)) {
		t.Error("it is still to be packed")
	}
	if out := f.user(r.dir, "--git-dir=.", "count-objects", "-v"); !strings.Contains(out, "\nin-pack: 0\n") {
		t.Errorf("what is borrowed was packed with what is stored:\n%s", out)
	}
	if out := f.user(r.dir, "--git-dir=.", "cat-file", "--batch-all-objects", "--batch-check"); strings.Contains(out, " blob 1000") {
		ls, _ := exec.Command("find", r.dir, "-type", "f").CombinedOutput()
		t.Errorf("what nothing needs is stored:\n%s\n%s", out, ls)
	}
}

// A repository that went while its objects were copied is said not to be held: a pass over what has gone finds nothing missing
// (behaviour 752).
func TestHeldTooLate(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	c := f.take(s)
	if missing := s.Hold(context.Background(), c); len(missing) > 0 {
		t.Fatalf("not held: %v", missing)
	}
	f.remove(".git")
	s.beginHold(context.Background(), s.repository(f.root))
	missing := s.Hold(context.Background(), c)
	if len(missing) != 1 || missing[0].Root != f.root || missing[0].Reason != errHeldLate.Error() {
		t.Errorf("got %v, want %q", missing, errHeldLate)
	}
}

// A private repository that is made anew, since it has gone, keeps what it kept before, once that is part of a checkpoint again.
func TestKeptAnew(t *testing.T) {
	f := project(t)
	f.write("a", "1\n")
	s := f.store()
	f.take(s)
	r := s.repository(f.root)
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	c := f.take(s)
	if err := s.Prune(context.Background(), time.Hour, 1<<30); err != nil {
		t.Fatal(err)
	}
	if refs := f.user(r.dir, "--git-dir=.", "for-each-ref", "--format=%(refname)"); !strings.Contains(refs, c.Trees[0].ID) {
		t.Errorf("nothing keeps %s:\n%s", c.Trees[0].ID, refs)
	}
	if got := f.read(s, c, "a"); got != "1\n" {
		t.Errorf("got %q", got)
	}
}
