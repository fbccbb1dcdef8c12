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
		if err := Write(path, want); err != nil {
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
		if err := Write(path, c.content); err != nil {
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
	if c, err := Read(pipe); err != nil || !c.Missing {
		t.Errorf("%+v, %v", c, err)
	}
	for _, path := range []string{pipe, filepath.Join(dir, "folder", "f")} { // pipes in place of a file and of a folder
		if path != pipe {
			if err := syscall.Mkfifo(filepath.Dir(path), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(path, Content{Missing: true}); err != nil {
			t.Error(err)
		}
		if err := Write(path, file("1")); err != nil {
			t.Error(err)
		}
		if c, err := Read(path); err != nil || !c.Equal(file("1")) {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if err := Write(dir, file("1")); err == nil {
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
		if err := Write(step.path, step.c); err != nil {
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

// Nothing is read or written behind a link in place of a folder, wherever it leads, and whenever it has come (behaviour 692).
func TestNothingBehindLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, out := filepath.Join(top, "project"), filepath.Join(top, "out")
	for _, dir := range []string{out, filepath.Join(project, "in")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("there"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"a": out, "b": "../out", "c": "in", "d": filepath.Join(top, "new")} {
		if err := os.Symlink(target, filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a/f", "a/sub/f", "b/f", "c/f", "d/f"} {
		path := filepath.Join(project, name)
		for _, content := range []Content{file("1"), {Missing: true}, {Link: true, Data: []byte("x")}} {
			if err := Write(path, content); !errors.Is(err, errLink) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if c, err := Read(path); err != nil || !c.Missing {
			t.Errorf("%s has %v, %v", name, c, err)
		}
	}
	for _, dir := range []string{out, filepath.Join(project, "in")} {
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("behind a link there is %v", left)
		}
	}
	for _, path := range []string{filepath.Join(project, "e/f"), filepath.Join(out, "g")} { // it was changed there, with permission
		if err := Write(path, file("1")); err != nil {
			t.Error(err)
		}
	}
}

// What is to be missing leaves nothing behind: no folder is made to find no file in.
func TestMissingMakesNoFolder(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "a", "b", "c"), missing); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
