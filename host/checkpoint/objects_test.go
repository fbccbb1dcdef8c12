package checkpoint

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// What is written without Git is what Git would have written: it finds nothing wrong in the private repository, its settings, and all
// that is kept.
func TestObjects(t *testing.T) {
	for _, format := range []string{"", "sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			f := project(t)
			if format != "" {
				f.user(f.root, "init", "-q", "--object-format="+format)
			}
			s := f.store()
			before := f.take(s)
			f.write("a", "1\n")
			after := f.take(s)
			if got := f.diff(s, before, after); got != "A a" {
				t.Errorf("got %q", got)
			}

			dirs, err := filepath.Glob(filepath.Join(s.dir, "*", "complete"))
			if err != nil || len(dirs) != 1 {
				t.Fatalf("%v, %v", dirs, err)
			}
			git := func(args ...string) string {
				cmd := exec.Command("git", append([]string{"--git-dir=" + filepath.Dir(dirs[0])}, args...)...)
				cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_ALTERNATE_OBJECT_DIRECTORIES="+filepath.Join(filepath.Dir(dirs[0]), treesDir))
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("git %q: %v: %s", args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			if out := git("fsck", "--strict", "--no-dangling", "--no-progress"); out != "" && !strings.HasPrefix(out, "notice") {
				t.Error(out)
			}
			if out := git("log", "-1", "--format=%T %an %ce %s", "HEAD"); out != after.Trees[0].ID+" nvim-acp nvim-acp@localhost checkpoint" {
				t.Errorf("HEAD is %q", out)
			}
			made := filepath.Join(filepath.Dir(s.dir), "made")
			f.user(f.root, "init", "-q", "--bare", "--object-format="+cmp.Or(format, "sha1"), made)
			for name, assumed := range map[string]string{
				"core.fileMode": "true", "core.symlinks": "true", "core.ignoreCase": "false", "core.precomposeUnicode": "false",
				"core.repositoryFormatVersion": "", "extensions.objectFormat": "sha1",
			} {
				want := strings.TrimSpace(f.user(made, "config", "--local", "--default="+assumed, "--get", name))
				if got := git("config", "--local", "--default="+assumed, "--get", name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			for _, tree := range []string{before.Trees[0].ID, after.Trees[0].ID} {
				if out := git("for-each-ref", "--points-at", tree, "--format=%(objecttype)"); out != "tree" {
					t.Errorf("%s is kept as %q", tree, out)
				}
			}
		})
	}
}

// What is held is noted while others have the repository locked (behaviour 752).
func TestPutAtOnce(t *testing.T) {
	r := &repository{dir: t.TempDir()}
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() {
			if err := r.put(fmt.Sprint("name", i%2), "text"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}
