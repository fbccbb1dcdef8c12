package rewind

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b")
	contents := []Content{missing, file("1\n"), script("2\n"), link("nowhere"), file(""), missing, link("/etc"), file("3\x00"), missing}
	for i, want := range contents {
		if err := Write([]string{dir}, path, want); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if got, err := Read(path); err != nil || !got.Equal(want) {
			t.Errorf("%d: %+v, %v; want %+v", i, got, err, want)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "a")); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestDiskMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	mode := func() os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		content Content
		want    os.FileMode
	}{{file("1"), 0o600}, {script("1"), 0o700}, {file("2"), 0o600}} {
		if err := Write([]string{filepath.Dir(path)}, path, c.content); err != nil {
			t.Fatal(err)
		}
		if got := mode(); got != c.want {
			t.Errorf("%+v: mode %o, want %o", c.content, got, c.want)
		}
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Read(pipe); err == nil {
		t.Errorf("%+v", c)
	}
	if err := Write(nil, dir, file("1")); err == nil {
		t.Error("a folder with something in it was replaced")
	}
}

// A file takes the place of folders in which there is nothing, and files come where one was.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	inner := filepath.Join(path, "b", "c")
	for i, step := range []struct {
		path string
		c    Content
	}{{inner, file("1")}, {path, missing}, {inner, missing}, {path, file("2")}, {inner, missing}, {path, missing}, {inner, file("3")}} {
		if err := Write([]string{dir}, step.path, step.c); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if c, err := Read(inner); err != nil || !c.Equal(file("3")) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := Read(path); err != nil || !c.Missing {
		t.Errorf("a folder is %+v, %v", c, err)
	}
}

// A link in place of a folder does not lead out of the project; one that stays in it is followed.
func TestWriteLeadsOut(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, out := filepath.Join(top, "project"), filepath.Join(top, "out")
	for _, dir := range []string{out, filepath.Join(project, "in")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"a": out, "b": "../out", "c": "in", "d": filepath.Join(top, "new")} {
		if err := os.Symlink(target, filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, roots := range [][]string{{project}, {filepath.Join(project, "in")}, nil} {
		for _, name := range []string{"a/f", "a/sub/f", "b/f", "d/f"} {
			if err := Write(roots, filepath.Join(project, name), file("1")); !errors.Is(err, errOut) {
				t.Errorf("%q %s: %v", roots, name, err)
			}
		}
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := write(root, "a/f", file("1")); err == nil { // the link came after the check
		t.Error("written through a link")
	}
	if left, _ := os.ReadDir(out); len(left) != 0 || exists(filepath.Join(top, "new")) {
		t.Errorf("outside there is %v", left)
	}
	for _, name := range []string{"c/f", "e/f"} {
		if err := Write([]string{project}, filepath.Join(project, name), file("1")); err != nil {
			t.Error(err)
		}
	}
	if err := Write([]string{project}, filepath.Join(out, "f"), file("1")); err != nil { // it was changed there, with permission
		t.Error(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
