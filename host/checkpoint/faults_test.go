package checkpoint

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// A store that is damaged is set aside and made anew; the next checkpoint is whole.
func TestDamaged(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(f folder, dir string)
	}{
		{"index", func(f folder, dir string) { f.write(filepath.Join(dir, "index"), "garbage") }},
		{"HEAD", func(f folder, dir string) { f.write(filepath.Join(dir, "HEAD"), "garbage") }},
		{"config", func(f folder, dir string) { f.write(filepath.Join(dir, "config"), "[garbage") }},
		{"objects", func(f folder, dir string) { f.remove(filepath.Join(dir, "objects")) }},
		{"all", func(f folder, dir string) { f.remove(dir) }},
	} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, later process %v", c.name, later), func(t *testing.T) {
				f := committed(t, "a", "1\n")
				s := f.store()
				f.write("b", "1\n")
				first := f.take(s)
				dir, err := filepath.Rel(f.root, s.repository(f.root).dir)
				if err != nil {
					t.Fatal(err)
				}
				c.damage(f, dir)
				if later {
					s = f.store()
				}
				f.write("a", "2\n")
				before := f.take(s)
				f.write("b", "2\n")
				if got := f.diff(s, before, f.take(s)); got != "M b" {
					t.Errorf("got %q", got)
				}
				if got := f.read(s, before, "a"); got != "2\n" {
					t.Errorf("a: %q", got)
				}
				// What was lost is an error, not an empty answer.
				if changes, _, err := s.Diff(context.Background(), first, before); err == nil && len(changes) != 1 {
					t.Errorf("against a lost checkpoint: %v", changes)
				}
			})
		}
	}
}

// Texts that cannot be stored since the private repository is damaged are missed once: it is made anew for the next checkpoint.
func TestDamagedForTexts(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	before := f.take(s)
	objects := filepath.Join(s.repository(f.root).dir, "objects")
	for i := range 256 { // no new object has a folder
		if err := os.WriteFile(filepath.Join(objects, fmt.Sprintf("%02x", i)), nil, 0o600); err != nil && !errors.Is(err, syscall.EISDIR) {
			t.Fatal(err)
		}
	}
	texts := map[string]string{f.path("a"): "typed\n"}
	if c := s.AddUnsaved(context.Background(), before, texts); len(c.Missing) != 1 || len(c.Trees) != 0 {
		t.Errorf("damaged: %+v", c)
	}
	c := s.AddUnsaved(context.Background(), f.take(s), texts)
	if _, ok := c.Unsaved(f.path("a")); !ok || len(c.Missing) > 0 {
		t.Errorf("after that: %+v", c)
	}
}

// Wherever a checkpoint is interrupted, the next one is whole and nothing is set aside for it.
func TestInterrupted(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	last := f.take(s)
	for i := range 60 {
		f.write("a", fmt.Sprintf("%d\n", i))
		f.write(fmt.Sprintf("new%d", i), fmt.Sprintf("%d\n", i))
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(i)*500*time.Microsecond, cancel)
		s.AddUnsaved(ctx, s.Take(ctx, []string{f.root}), map[string]string{f.path("a"): "typed"})
		cancel()

		now := f.take(s)
		if got, want := f.diff(s, last, now), fmt.Sprintf("M a, A new%d", i); got != want {
			t.Fatalf("interrupted after %d: got %q, want %q", i, got, want)
		}
		last = now
	}
	if regular.Exists(s.repository(f.root).dir + ".broken") {
		t.Error("the store was set aside")
	}
}

// Wherever the first checkpoint of a repository is interrupted, the next process begins with what the user has: nothing of it is new.
func TestInterruptedFirst(t *testing.T) {
	f := committed(t, "a", "1\n", "b", "2\n", "c", "3\n")
	limits := DefaultLimits
	limits.Files = 1
	for i := range 40 {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(i)*500*time.Microsecond, cancel)
		Open(dir, limits).Take(ctx, []string{f.root})
		cancel()
		if c := Open(dir, limits).Take(context.Background(), []string{f.root}); len(c.Missing) > 0 {
			t.Fatalf("interrupted after %d: %v", i, c.Missing)
		}
	}
}

// So it does where there was no Git at first.
func TestWithoutGitFirst(t *testing.T) {
	f := committed(t, "a", "1\n", "b", "2\n")
	limits := DefaultLimits
	limits.Files = 1
	dir, path := t.TempDir(), os.Getenv("PATH")
	t.Setenv("PATH", t.TempDir())
	if c := Open(dir, limits).Take(context.Background(), []string{f.root}); len(c.Missing) != 1 || c.Missing[0].Reason != errNoGit.Error() {
		t.Errorf("without Git: %+v", c)
	}
	t.Setenv("PATH", path)
	s := Open(dir, limits)
	c := s.Take(context.Background(), []string{f.root})
	if len(c.Missing) > 0 {
		t.Errorf("with Git: %v", c.Missing)
	}
	s.Hold(context.Background(), c) // else it may still write while the folder is removed
}

// Several processes, and several sessions of each, may make checkpoints of one folder at once.
func TestAtOnce(t *testing.T) {
	f := committed(t, "a", "1\n")
	var wait sync.WaitGroup
	for range 3 {
		s := f.store()
		for range 4 {
			wait.Go(func() {
				for i := range 3 {
					c := s.Take(context.Background(), []string{f.root})
					if len(c.Missing) > 0 {
						t.Errorf("missing: %v", c.Missing)
						return
					}
					name := f.path(fmt.Sprintf("%p-%d", &i, i))
					if err := os.WriteFile(name, nil, 0o644); err != nil {
						t.Error(err)
					}
					after := s.Take(context.Background(), []string{f.root})
					if v, ok, err := s.Find(context.Background(), after, name); !ok || err != nil || v.Blob == "" {
						t.Errorf("%s: %v, known %v, %v", name, v, ok, err)
					}
				}
			})
		}
	}
	wait.Wait()
}

func TestPrune(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	now := time.Now()
	s.now = func() time.Time { return now }

	days := make([]Checkpoint, 5)
	for i := range days {
		f.write("a", fmt.Sprintf("day %d\n", i))
		days[i] = s.AddUnsaved(context.Background(), f.take(s), map[string]string{f.path("a"): fmt.Sprintf("typed on day %d", i)})
		now = now.AddDate(0, 0, 1)
	}
	kept := func() string {
		var b strings.Builder
		for i, c := range days {
			v, ok, err := s.Find(context.Background(), c, f.path("a"))
			text, readErr := s.Read(context.Background(), v)
			typed, _ := c.Unsaved(f.path("a"))
			_, unsavedErr := s.Read(context.Background(), typed)
			if gone := err != nil || readErr != nil; gone != (unsavedErr != nil) {
				t.Errorf("day %d: disk %v, unsaved %v", i, readErr, unsavedErr)
			} else if !gone && ok && string(text[0]) == fmt.Sprintf("day %d\n", i) {
				fmt.Fprint(&b, i)
			}
		}
		return b.String()
	}
	for _, c := range []struct {
		age  int
		size int64
		want string
	}{{10, 1 << 30, "01234"}, {4, 1 << 30, "1234"}, {3, 1 << 30, "234"}, {10, 1, "4"}} {
		if c.size == 1 {
			now = now.AddDate(0, 0, -1) // the last checkpoint was made today
		}
		if err := s.Prune(context.Background(), time.Duration(c.age)*24*time.Hour, c.size); err != nil {
			t.Fatal(err)
		}
		if got := kept(); got != c.want {
			t.Errorf("after %+v: days %q", c, got)
		}
	}
	f.write("a", "later\n")
	if got := f.diff(s, days[4], f.take(s)); got != "M a" {
		t.Errorf("after pruning: %q", got)
	}

	// What no folder belongs to goes as well.
	f.remove(".")
	now = time.Now().AddDate(0, 1, 0)
	if err := s.Prune(context.Background(), 14*24*time.Hour, 1<<30); err != nil {
		t.Fatal(err)
	}
	if regular.Exists(s.repository(f.root).dir) {
		t.Error("the checkpoints of a folder that is gone are still there")
	}
}

var rounds = flag.Int("rounds", 4, "random histories that TestHistories plays")

// Going back over what Diff says gives exactly the folder that was there, whatever has happened in between.
func TestHistories(t *testing.T) {
	seed := seedtest.Of(t)
	for round := range *rounds {
		start := seed + uint64(round)
		t.Run(fmt.Sprint(start), func(t *testing.T) {
			r := rand.New(rand.NewPCG(start, 1))
			var f folder
			if r.IntN(2) == 0 {
				f = committed(t, "0", "0\n", "dir/1", "1\n", "1/2", "2\n")
			} else {
				f = project(t)
			}
			s := f.store()
			old, want := f.take(s), f.contents(f.root)
			for range 6 {
				for range 1 + r.IntN(6) {
					f.change(r)
				}
				now, contents := f.take(s), f.contents(f.root)
				f.goBack(s, old, now)
				got := f.contents(f.root)
				for path := range want {
					if !strings.Contains(path, "/.git/") && got[path] != want[path] {
						t.Fatalf("%s: %q, was %q", path, got[path], want[path])
					}
				}
				f.goBack(s, now, f.take(s)) // forth again
				if got := f.diff(s, now, f.take(s)); got != "" {
					t.Fatalf("going back and forth left %q", got)
				}
				old, want = now, contents
			}
		})
	}
}

// change makes a random change below the folder.
func (f folder) change(r *rand.Rand) {
	f.Helper()
	name := func() string { return []string{"", "dir/", "dir/deep/"}[r.IntN(3)] + fmt.Sprint(r.IntN(5)) }
	a, b := name(), name()
	switch r.IntN(7) {
	case 0, 1:
		f.remove(a)
		f.write(a, strings.Repeat(fmt.Sprintf("%d\n", r.IntN(3)), r.IntN(30)))
	case 2:
		f.remove(a)
	case 3:
		if regular.Exists(f.path(a)) && !strings.HasPrefix(b+"/", a+"/") && !strings.HasPrefix(a+"/", b+"/") {
			f.remove(b)
			f.mkdir(filepath.Dir(b))
			if err := os.Rename(f.path(a), f.path(b)); err != nil {
				f.Fatal(err)
			}
		}
	case 4:
		f.remove(a)
		f.mkdir(filepath.Dir(a))
		if err := os.Symlink(b, f.path(a)); err != nil {
			f.Fatal(err)
		}
	case 5:
		if info, err := os.Lstat(f.path(a)); err == nil && info.Mode().IsRegular() {
			if err := os.Chmod(f.path(a), 0o644+os.FileMode(r.IntN(2))*0o111); err != nil {
				f.Fatal(err)
			}
		}
	case 6:
		if regular.Exists(f.path(".git")) {
			f.user(f.root, "add", "-A")
			f.user(f.root, "commit", "-qm", "more", "--allow-empty")
		}
	}
}

// goBack makes the folder what it was in the old checkpoint.
func (f folder) goBack(s *Store, old, now Checkpoint) {
	f.Helper()
	changes, _, err := s.Diff(context.Background(), old, now)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range changes {
		if (c.New != Version{}) {
			f.remove(strings.TrimPrefix(c.Path, f.root+"/"))
		}
	}
	for _, c := range changes {
		if (c.Old == Version{}) {
			continue
		}
		texts, err := s.Read(context.Background(), c.Old)
		if err != nil {
			f.Fatal(err)
		}
		text := texts[0]
		name := strings.TrimPrefix(c.Path, f.root+"/")
		f.remove(name)
		if c.Old.IsLink() {
			f.mkdir(filepath.Dir(name))
			if err := os.Symlink(string(text), f.path(name)); err != nil {
				f.Fatal(err)
			}
			continue
		}
		f.write(name, string(text))
		if c.Old.Mode == "100755" {
			if err := os.Chmod(f.path(name), 0o755); err != nil {
				f.Fatal(err)
			}
		}
	}
}
