package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All that a comparison reads is named, also where a repository leads to another one (behaviour 486).
func TestFolders(t *testing.T) {
	tests := []struct {
		name string
		lead string // a shell command in the project, which leads its repository to the other one, $1
		err  string
	}{
		{name: "plain"},
		{name: "commondir", lead: `rm -r .git/objects .git/refs; echo "$1/.git" >.git/commondir`},
		{name: "objects", lead: `rm -r .git/objects; ln -s "$1/.git/objects" .git; cp "$1/.git/refs/heads/main" .git/refs/heads`},
		{name: "refs", lead: `rm -r .git/refs; ln -s "$1/.git/refs" .git; cp -r "$1/.git/objects" .git`},
		{name: "one ref", lead: `ln -sf "$1/.git/refs/heads/main" .git/refs/heads/main; cp -r "$1/.git/objects" .git`},
		{name: "alternate", lead: `echo "$1/.git/objects" >.git/objects/info/alternates`},
		{name: "alternate by a link", lead: `ln -s "$1/.git/objects" "b
b"; echo '"../../b\nb"' >.git/objects/info/alternates`},
		{name: "links in an alternate", lead: `mkdir -p b/info; ln -s "$1/.git/objects/pack" b/pack; echo ../../b >.git/objects/info/alternates`,
			err: "is a link to a folder"},
		{name: "packs", lead: `rm -r .git/objects/pack; ln -s "$1/.git/objects/pack" .git/objects`, err: "is a link to a folder"},
		{name: "one pack", lead: `ln -s "$1"/.git/objects/pack/* .git/objects/pack`},
		{name: "one pack beside one that is gone", lead: `ln -s nowhere "$1"/.git/objects/pack/* .git/objects/pack`},
		{name: "index", lead: `ln -sf "$1/.git/index" .git/index`},
		{name: "working tree", lead: `git config core.worktree "$1"`},
		{name: "a file .git", lead: `mv .git old; echo "gitdir: $1/.git" >.git`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			real, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			project, other := filepath.Join(real, "project"), filepath.Join(real, "other")
			for _, dir := range []string{project, other} {
				write(t, filepath.Join(dir, "file"), dir+"\n")
				run(t, dir, "git", "init", "-q", "-b", "main")
				run(t, dir, "git", "add", ".")
				run(t, dir, "git", "commit", "-qm", "x")
			}
			run(t, other, "git", "repack", "-adq")
			write(t, filepath.Join(other, ".git", "refs", "heads", "main"), head(t, other)+"\n")
			run(t, project, "sh", "-c", tt.lead, "sh", other)

			v, err := Look(t.Context(), project)
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			folders, err := v.Folders(t.Context())
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q; %q", err, tt.err, folders)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			led := false
			for _, path := range folders {
				if _, err := os.Lstat(path); err != nil {
					t.Error(err)
				}
				led = led || strings.HasPrefix(path, other)
			}
			if led != (tt.lead != "") {
				t.Errorf("folders: %q", folders)
			}
		})
	}
}

func head(t *testing.T, dir string) string {
	t.Helper()
	out, err := read(t.Context(), dir, "rev-parse", "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}
