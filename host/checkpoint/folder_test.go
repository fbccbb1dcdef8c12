package checkpoint

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// folder is a project of a test. Methods fail the test.
type folder struct {
	*testing.T
	root string
}

// project makes an empty folder, apart from the configuration of whoever runs the test.
func project(t *testing.T) folder {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	f := folder{t, filepath.Join(home, "project")}
	f.mkdir(".")
	f.user(f.root, "config", "--global", "user.name", "User")
	f.user(f.root, "config", "--global", "user.email", "user@localhost")
	return f
}

// committed makes a folder with a repository of the user's that has committed the files.
func committed(t *testing.T, files ...string) folder {
	t.Helper()
	f := project(t)
	f.user(f.root, "init", "-q")
	for i := 0; i < len(files); i += 2 {
		f.write(files[i], files[i+1])
	}
	f.user(f.root, "add", "-A")
	f.user(f.root, "commit", "-qm", "first", "--allow-empty")
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.root, name) }

func (f folder) mkdir(name string) {
	f.Helper()
	if err := os.MkdirAll(f.path(name), 0o755); err != nil {
		f.Fatal(err)
	}
}

func (f folder) write(name, text string) {
	f.Helper()
	f.mkdir(filepath.Dir(name))
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f folder) remove(name string) {
	f.Helper()
	if err := os.RemoveAll(f.path(name)); err != nil {
		f.Fatal(err)
	}
}

// user runs Git as the user would.
func (f folder) user(dir string, args ...string) string {
	f.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (f folder) store() *Store { return Open(filepath.Join(f.root, "..", "state"), DefaultLimits) }

// take makes a checkpoint that must miss nothing.
func (f folder) take(s *Store) Checkpoint {
	f.Helper()
	c := s.Take(context.Background(), []string{f.root})
	if len(c.Missing) > 0 {
		f.Fatalf("missing: %v", c.Missing)
	}
	_ = s.Hold(context.Background(), c) // what is wrong with the repository is no business of most tests
	return c
}

// diff lists what differs as "M name", "A name" or "D name".
func (f folder) diff(s *Store, old, new Checkpoint) string {
	f.Helper()
	changes, _, err := s.Diff(context.Background(), old, new)
	if err != nil {
		f.Fatal(err)
	}
	var lines []string
	for _, c := range changes {
		name := strings.TrimPrefix(c.Path, f.root+"/")
		switch {
		case c.Old == Version{}:
			lines = append(lines, "A "+name)
		case c.New == Version{}:
			lines = append(lines, "D "+name)
		default:
			lines = append(lines, "M "+name)
		}
	}
	return strings.Join(lines, ", ")
}

// read is the text that a file had in a checkpoint.
func (f folder) read(s *Store, c Checkpoint, name string) string {
	f.Helper()
	v, ok, err := s.Find(context.Background(), c, f.path(name))
	if err != nil || !ok || v.Blob == "" {
		f.Fatalf("%s: %v, known %v, %v", name, v, ok, err)
	}
	text, err := s.Read(context.Background(), v)
	if err != nil {
		f.Fatal(err)
	}
	return string(text[0])
}

// contents are the modes, links and texts of all files below a folder, by path.
func (f folder) contents(dir string) map[string]string {
	f.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			files[path] = "link " + target
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(text))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return files
}
