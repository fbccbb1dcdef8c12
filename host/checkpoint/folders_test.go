package checkpoint

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Folders without files, and those of another mode than usual, are known, and which of them are gone; not what is ignored or another
// repository (behaviour 1143).
func TestFolders(t *testing.T) {
	f := committed(t, "usual/a", "1\n", "own/a", "1\n", ".gitignore", "log/\n")
	script := func(text string) {
		cmd := exec.Command("sh", "-c", "umask 022; "+text)
		cmd.Dir = f.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	script("mkdir -p empty/deep log/x usual/empty; chmod 700 own; git init -q inner; mkdir inner/empty")
	s := f.store()
	before := f.take(s)
	names := func(list []Folder) string {
		var names []string
		for _, folder := range list {
			names = append(names, fmt.Sprintf("%s %o", strings.TrimPrefix(folder.Path, f.root+"/"), folder.Mode))
		}
		return strings.Join(names, ", ")
	}
	all := ""
	for _, tree := range before.Trees {
		all += names(tree.Folders) + "; "
	}
	if want := "empty 755, empty/deep 755, own 700, usual/empty 755; inner/empty 755; "; all != want {
		t.Errorf("got %q, want %q", all, want)
	}
	script("rm -rf empty own usual; echo >usual")
	if got, want := names(before.Removed()), "empty 755, empty/deep 755, own 700, usual/empty 755"; got != want {
		t.Errorf("removed %q, want %q", got, want)
	}

	for n := range maxFolders + 1 {
		if err := os.Mkdir(f.path(fmt.Sprint("n", n)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if list := f.take(s).Trees[0].Folders; len(list) > 0 {
		t.Errorf("of too many: %d", len(list))
	}
}
