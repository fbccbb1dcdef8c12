package checkpoint

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a turn makes is known though it has had it ignored, wherever it says so; what was ignored before is not, and what is not taken in is
// named (behaviour 1142).
func TestHiddenByRules(t *testing.T) {
	const ignored = "echo 1 >log/new; echo 1 >sub/new.tmp; echo 1 >old/x/new; echo 1 >sub/keep.o"
	for _, tt := range []struct{ name, script, want, hidden string }{
		{"nothing", ignored, "A sub/keep.o", ""},
		{"all by a list that ignores itself", "echo '*' >.gitignore2; mv .gitignore2 sub/.gitignore; echo 1 >sub/new; echo 2 >sub/a", "A sub/.gitignore, M sub/a, A sub/new", ""},
		{"all at the top", "printf '*\n' >.gitignore; echo 1 >new; echo 1 >sub/new; " + ignored, "M .gitignore, A new, A sub/keep.o, A sub/new", ""},
		{"the list of the repository", "mkdir -p .git/info; echo '*' >>.git/info/exclude; echo 1 >new; " + ignored, "A new, A sub/keep.o", ""},
		{"the list of the user", "git config core.excludesFile ../own; echo new >../own; echo 1 >new; echo 1 >sub/new", "A new, A sub/new", ""},
		{"a folder", "echo /made/ >>.gitignore; mkdir -p made/deep; echo 1 >made/deep/x", "M .gitignore, A made/deep/x", ""},
		{"a new folder that ignores itself", "mkdir -p cache/v; echo '*' >cache/.gitignore; echo 1 >cache/v/x; echo 1 >new", "A new", "cache"},
		{"an old one", "echo '*' >sub/.gitignore; echo 1 >sub/x", "A sub/.gitignore, A sub/x", ""},
		{"a list that was ignored", "echo >>old/.gitignore; echo '!x' >>old/.gitignore", "", "old"},
		{"what is ignored no more", "rm .gitignore; echo 1 >new; " + ignored, "D .gitignore, A new, A sub/keep.o", ""},
		{"what was there", "rm .gitignore", "D .gitignore", ""},
		{"many", "echo '*' >.gitignore; mkdir n; for i in $(seq 1100); do echo >n/$i; done", "M .gitignore", "n/1"},
		{"a repository", "git init -q r; echo '*' >r/.git/info/exclude; echo 1 >r/x; echo '*' >.gitignore", "M .gitignore", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := committed(t, ".gitignore", "*.tmp\nlog/\n!*.o\n", "sub/a", "1\n", "sub/.gitkeep", "")
			f.write("log/had", "1\n")
			f.write("had.tmp", "1\n")
			f.write("old/.gitignore", "*\n")
			f.write("old/x/had", "1\n")
			s := f.store()
			before := f.take(s)
			cmd := exec.Command("sh", "-c", tt.script)
			cmd.Dir = f.root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}

			after := s.Complete(context.Background(), before, s.Take(context.Background(), []string{f.root}))
			if got := f.diff(s, before, after); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if list := after.Hidden(); tt.hidden == "" && len(list) > 0 || tt.hidden != "" && !slices.Contains(list, f.path(tt.hidden)) {
				t.Errorf("hidden: %.200q, want %s", list, tt.hidden)
			}
			if got := f.diff(s, after, f.take(s)); got != "" {
				t.Errorf("of the next one: %s", got)
			}
		})
	}
}

// Files of which Git takes none with such a name are in a checkpoint, or named (behaviour 1142).
func TestNamesOfGit(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	before := f.take(s)
	cmd := exec.Command("sh", "-c", `mkdir -p src/.GIT; echo 1 >src/.GIT/x; echo 1 >'b\c'; echo 1 >'git~1'; echo 1 >.git.; ln -s /x .gitmodules`)
	cmd.Dir = f.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	after := s.Complete(context.Background(), before, f.take(s))
	if got, want := f.diff(s, before, after), `A .git., A b\c, A git~1`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Unkept(before, after), []string{f.path(".gitmodules"), f.path("src/.GIT/x")}; !slices.Equal(got, want) {
		t.Errorf("not kept: %q, want %q", got, want)
	}
}

// Rules of a folder mean the same as ones of the folder above all, as Git reads both (behaviour 1142).
func TestRulesFromTop(t *testing.T) {
	rules := strings.Split("*.o|/x|x|a/b|a/|!y|/a/*|**/z|a/**/b|\\#h|\\!n|!/keep|[ab]c|x |# no||w?|*|!*/|!deep/", "|")
	files := strings.Fields("x y z ac b.o a/b a/x a/q/b deep/x deep/y w1 keep #h !n n/a/b n/x")
	for i := range rules {
		text := strings.Join(rules[i:min(i+3, len(rules))], "\n") + "\n"
		for _, dir := range []string{".", "d", "d/e", "d[1]/*"} {
			f := project(t)
			f.user(f.root, "init", "-q")
			for _, name := range files {
				f.write(filepath.Join(dir, name), "1")
			}
			list := func(words ...string) string {
				return f.user(f.root, append([]string{"ls-files", "--others"}, words...)...)
			}
			f.write("../rules", fromTop(filepath.Clean(dir), text))
			got := list("--exclude-from=" + f.path("../rules"))
			f.write(filepath.Join(dir, ".gitignore"), text)
			want := list("--exclude-per-directory=.gitignore")
			want = strings.ReplaceAll(want, filepath.Join(dir, ".gitignore")+"\n", "")
			if got != want {
				t.Errorf("%q in %s:\n%s\nwant\n%s", text, dir, got, want)
			}
			if err := os.RemoveAll(f.root); err != nil {
				t.Fatal(err)
			}
		}
	}
}
