package programs

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A program is not found in a folder that is avoided, nor by a link that leads there, nor in a relative folder, and also not when it
// comes later (behaviour 854).
func TestFind(t *testing.T) {
	t.Cleanup(func() { avoided = nil })
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"project/bin", "system", "links"} {
		if err := os.MkdirAll(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"project/bin/tool", "project/bin/only", "system/tool"} {
		if err := os.WriteFile(at(name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"links/linked": "../project/bin/tool", "links/tool": "../project/bin/tool", "alias": "project/bin",
	} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", at("project/bin")+":project/bin::"+at("alias")+":"+at("project/none")+":"+at("links")+":"+at("system"))
	t.Chdir(dir)
	if got, err := Find("tool"); got != at("project/bin/tool") || err != nil {
		t.Errorf("before: %q, %v", got, err)
	}

	Avoid(at("project"))
	for _, tt := range []struct {
		name, want string
		err        error
	}{
		{"tool", at("system/tool"), nil},
		{"only", "", exec.ErrNotFound},
		{"linked", "", fs.ErrPermission},
		{at("project/bin/tool"), "", fs.ErrPermission},
		{at("alias/tool"), "", fs.ErrPermission},
		{at("system/tool"), at("system/tool"), nil},
		{"none", "", exec.ErrNotFound},
	} {
		if got, err := Find(tt.name); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
		if word := Word(tt.name); tt.err != nil && exec.Command(word).Run() == nil {
			t.Errorf("%s: %q runs", tt.name, word)
		}
	}
	if got, want := Path(), at("links")+":"+at("system"); got != want {
		t.Errorf("$PATH: %q, want %q", got, want)
	}
}
