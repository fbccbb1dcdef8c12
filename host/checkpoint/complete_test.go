package checkpoint

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Whatever is done to a folder, or to the repository of the user's in it, so that no checkpoint can be made: what it destroyed is known from
// the one before, and comes back (behaviour 695).
func TestComplete(t *testing.T) {
	for name, script := range map[string]string{
		"a file in place of the repository":   "mv .git ../moved; echo 'gitdir: /nowhere' >.git",
		"a pipe in place of the repository":   "mv .git ../moved; mkfifo .git",
		"a loop in place of the repository":   "mv .git ../moved; ln -s .git .git",
		"a file in place of info":             "rm -rf .git/info; echo x >.git/info",
		"a pipe in place of exclude":          "rm -f .git/info/exclude; mkdir -p .git/info; mkfifo .git/info/exclude",
		"a folder in place of exclude":        "rm -f .git/info/exclude; mkdir -p .git/info/exclude",
		"no repository":                       "rm -rf .git",
		"nothing else":                        ":",
		"pipes in place of a file and folder": "rm a; mkfifo a; rm -rf d; mkfifo d",
		"a damaged index":                     "echo x >.git/index",
		"a damaged configuration":             "echo '[' >.git/config",
	} {
		t.Run(name, func(t *testing.T) {
			f := committed(t, "a", "1\n", "d/b", "2\n", "c", "3\n")
			f.write("untracked", "4\n")
			f.write(".git/info/exclude", "/hidden\n") // what is ignored stays so where its list is gone
			f.write("hidden", "5\n")
			s := f.store()
			before := f.take(s)
			f.lost(s, before, script+"; rm -rf a d untracked 2>&-; echo new >c", "D a, M c, D d/b, D untracked")
		})
	}
	for name, script := range map[string]string{
		"the folder itself": "rm -rf \"$PWD\"", "a file in its place": "d=$PWD; cd ..; rm -rf \"$d\"; echo x >\"$d\"", "a link in its place": "d=$PWD; cd ..; rm -rf \"$d\"; ln -s /etc \"$d\"",
	} {
		t.Run(name, func(t *testing.T) {
			f := committed(t, "a", "1\n", "d/b", "2\n")
			s := f.store()
			before := f.take(s)
			f.lost(s, before, script, "D a, D d/b")
		})
	}
}

// lost runs a script in the folder, and compares what is known of it then with what is wanted.
func (f folder) lost(s *Store, before Checkpoint, script, want string) {
	f.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = f.root
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("%v: %s", err, out)
	}
	ctx := context.Background()
	after := s.Complete(ctx, before, s.Take(ctx, []string{f.root}))
	got := strings.Split(f.diff(s, before, after), ", ")
	if RulesChanged(before, after) { // a list that is gone stays in effect
		f.Error("what is ignored is said to have changed")
	}
	if slices.Sort(got); strings.Join(got, ", ") != strings.Join(sorted(want), ", ") {
		f.Errorf("got %v, want %s; missing: %v", got, want, after.Missing)
	}
	changes, _, err := s.Diff(ctx, before, after)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range changes {
		if data, err := s.Read(ctx, c.Old); c.Old.Blob != "" && (err != nil || len(data[0]) != 2) {
			f.Errorf("%s: %q, %v", c.Path, data, err)
		}
	}
}

func sorted(list string) []string {
	out := strings.Split(list, ", ")
	slices.Sort(out)
	return out
}

// A turn that floods a folder with new files, so that no checkpoint of all of it can be made, does not keep what it has destroyed from being
// known; the new files are not (behaviour 695).
func TestFlooded(t *testing.T) {
	f := committed(t, "a", "1\n", "d/b", "2\n", "c", "3\n")
	limits := DefaultLimits
	limits.Files = 100
	s := Open(f.path("../state"), limits)
	f.lost(s, f.take(s), "rm a; echo 4 >c; for i in $(seq 200); do : >new$i; done", "D a, M c")
}
