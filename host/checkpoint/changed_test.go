package checkpoint

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The file of an object of the user's is cut, damaged or forged in place: what a checkpoint has held of it comes back as it was, and what
// was forged before that is never taken for it (behaviour 693).
func TestChangedObjects(t *testing.T) {
	var forged bytes.Buffer
	w := zlib.NewWriter(&forged)
	if _, err := w.Write([]byte("blob 5\x00evil\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"cut": "", "damaged": "not an object", "forged": forged.String()} {
		for _, early := range []bool{false, true} {
			f := committed(t, "a", "1\n", "b", "2\n")
			s := f.store()
			id := strings.TrimSpace(f.user(f.root, "rev-parse", "HEAD:a"))
			change := func() {
				path := f.path(".git/objects/" + id[:2] + "/" + id[2:])
				if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte(data), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if early {
				change()
			}
			before := f.take(s)
			if missing := s.Hold(context.Background(), before); len(missing) > 0 && !early {
				t.Fatalf("%s: not held: %v", name, missing)
			}
			if !early {
				change()
			}
			f.remove("a")
			changes, _, err := s.Diff(context.Background(), before, f.take(s))
			if err != nil || len(changes) != 1 {
				t.Fatalf("%s: %v, %v", name, changes, err)
			}
			got, err := s.Read(context.Background(), changes[0].Old)
			switch {
			case !early && (err != nil || string(got[0]) != "1\n"):
				t.Errorf("%s: got %q, %v", name, got, err)
			case early && err == nil && string(got[0]) != "1\n":
				t.Errorf("%s before the checkpoint: got %q", name, got)
			}
		}
	}
}

// An agent puts trees of its own making among the objects of the user's repository, under the ids that the next checkpoint's trees will
// have: what has changed is listed all the same, and nothing else (behaviour 871).
func TestForgedTrees(t *testing.T) {
	blob := bytes.Repeat([]byte{7}, 20)
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + string(blob) }
	for name, content := range map[string]string{
		"out of the folder": entry("100755", "../../escaped"),
		"hooks":             entry("100755", "../.git/hooks/post-checkout"),
		"the repository":    entry("100644", ".git/config"),
		"nothing":           "",
		"no tree":           "?",
	} {
		for _, gone := range []bool{false, true} { // when the checkpoint is made
			f := committed(t, "a", "1\n", "dir/a", "2\n")
			s := f.store()
			before := f.take(s)
			f.write("a", "new\n")
			f.write("dir/b", "new\n")

			// The same files in another repository tell the ids.
			other := t.TempDir()
			f.user(other, "init", "-q")
			for file, text := range map[string]string{"a": "new\n", "dir/a": "2\n", "dir/b": "new\n"} {
				if err := errors.Join(os.MkdirAll(other+"/dir", 0o700), os.WriteFile(other+"/"+file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			f.user(other, "add", ".")
			root := strings.TrimSpace(f.user(other, "write-tree"))
			var forged []string
			for _, id := range []string{root, strings.TrimSpace(f.user(other, "rev-parse", root+":dir"))} {
				path := f.path(".git/objects/" + id[:2] + "/" + id[2:])
				var object bytes.Buffer
				w := zlib.NewWriter(&object)
				_, err := w.Write([]byte(fmt.Sprintf("tree %d\x00%s", len(content), content)))
				if err := errors.Join(err, w.Close(), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, object.Bytes(), 0o600)); err != nil {
					t.Fatal(err)
				}
				forged = append(forged, path)
			}
			if gone { // they have been held, and are the store's by now
				if missing := s.Hold(context.Background(), f.take(s)); len(missing) > 0 {
					t.Fatalf("%s: not held: %v", name, missing)
				}
				for _, path := range forged {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				}
				f.remove("dir/b")
				f.take(s)
				f.write("dir/b", "new\n")
			}
			after := f.take(s)
			if got := f.diff(s, before, after); got != "M a, A dir/b" {
				t.Errorf("%s, gone %v: got %q", name, gone, got)
			}
			if err := s.Prune(context.Background(), time.Hour, 1); err != nil {
				t.Errorf("%s: prune: %v", name, err)
			}
			if got := f.diff(s, before, after); got != "M a, A dir/b" {
				t.Errorf("%s, gone %v, pruned: got %q", name, gone, got)
			}
		}
	}
}

// No path that cannot be in a tree of Git's own making is taken from one.
func TestInTree(t *testing.T) {
	for path, want := range map[string]bool{
		"a": true, "dir/a": true, ".github/x": true, ".gitignore": true, "a..b": true, "..a": true,
		"../a": false, "a/../../b": false, "/etc/passwd": false, "": false, ".": false, "a//b": false, "a/./b": false,
		".git/config": false, "sub/.git/hooks/x": false, ".GIT/config": false, "a/..": false,
	} {
		if got := inTree(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
