package review

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What could not be written is saved the next time, with what has changed since, and what was written is not (behaviour 761).
func TestUnwritten(t *testing.T) {
	d := NewDesk()
	d.Open("s", nil)
	d.Begin("s", "p", time.Now())
	change := func(path string) { d.Changed([]string{"s"}, path, Parse("a\n"), Parse("b\n")) }
	change("/f")
	dir := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder can be made there, as on a full disk
		t.Fatal(err)
	}
	if err := d.Unsaved("s").Write(dir); err == nil {
		t.Fatal("it was written")
	}
	change("/g")
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	again := d.Unsaved("s")
	want := slices.Sorted(slices.Values([]string{aboutName, fileName("/f"), fileName("/g")}))
	if got := slices.Sorted(maps.Keys(again)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if err := os.MkdirAll(filepath.Join(dir, fileName("/g"), "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := again.Write(dir); err == nil {
		t.Error("a file was written where a folder is")
	}
	if err := os.RemoveAll(filepath.Join(dir, fileName("/g"))); err != nil {
		t.Fatal(err)
	}
	if err := d.Unsaved("s").Write(dir); err != nil {
		t.Error(err)
	}
	if left := d.Unsaved("s"); len(left) > 0 {
		t.Errorf("saved again: %v", left)
	}
	saved, err := Read(dir)
	if got := slices.Sorted(maps.Keys(saved)); !slices.Equal(got, want) || err != nil {
		t.Errorf("on the disk: %v, %v", got, err)
	}
}
