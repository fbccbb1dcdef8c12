package elsewhere

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A hook's scripts are found however it comes to them: in a folder to which it goes, in a loop, by a pattern or a variable, by find. What it
// has no way to run stays writable (behaviour 1046).
func TestWaysToScripts(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"cd scripts; ./c", "scripts/c"},
		{"cd scripts && ./new", "scripts/new"},
		{"cd tools; cd lint; ./run", "tools/lint/run"},
		{"cd tools && (cd lint && sh run)", "tools/lint/run"},
		{`cd "$(git rev-parse --show-toplevel)/scripts" || exit; exec ./c`, "scripts/c"},
		{`cd "$d" && ./c`, "scripts/c"},
		{`cd "$(dirname "$x")"; python3 plain.py`, ""}, // it is no program by itself
		{`"$dir"/c`, "scripts/c"},
		{`x=scripts; $x/c`, "scripts/c"},
		{"pushd tools/lint; ./run; popd", "tools/lint/run"},
		{`for f in scripts/*; do "$f"; done`, "scripts"},
		{`for f in scripts/*.sh; do sh "$f"; done`, "scripts"},
		{`for f in ./scripts/*; do . "$f"; done`, "scripts"},
		{`for f in *.run; do ./$f; done`, "top.run"},
		{"for n in c d; do ./scripts/$n; done", "scripts/c scripts/d"},
		{"find scripts -type f -exec {} \\;", "scripts"},
		{"find . -name '*.run' -exec {} \\;", "top.run"},
		{"find tools -name run -print | xargs -n1 sh", "tools"},
		{"run-parts scripts", "scripts"},
		{"run-parts --exit-on-error scripts", "scripts"},
		{"ls scripts | while read f; do scripts/$f; done", "scripts"},
		{"eval \"$(cat tools/lint/run)\"", "tools/lint/run"},
		{"(cd scripts; for f in ?; do ./$f; done)", "scripts/c scripts/d"},
		{"scripts/[cd]", "scripts/c scripts/d"},

		{"import os\nfor f in os.listdir('scripts'): os.system('scripts/' + f)", "scripts"},
		{"import os\nos.chdir('scripts'); os.system('./c')", "scripts/c"},
		{`require("fs").readdirSync("scripts").forEach(f => run("scripts/" + f))`, "scripts"},
		{`PATH="scripts:$PATH"; c`, "scripts/c"},
		{"while read s; do sh \"scripts/$s\"; done <list", "scripts"},
		{`(cd "$(git rev-parse --show-cdup)scripts" && ./c)`, "scripts/c"},
		{"env -C scripts ./c", "scripts/c"},
		{"sh -c 'cd scripts && exec ./c'", "scripts/c"},

		{"sh scripts/?.sh", "scripts"},
		{". scripts/[c].sh", "scripts"},
		{"cat scripts/*.sh | bash", "scripts"},
		{"cat scripts/*.sh | /usr/bin/env -S bash", ""},
		{"git ls-files '*.sh' | xargs -n1 sh", "scripts/c.sh"},

		{"npm test", ""},
		{"go vet ./... && go test ./src/...", ""},
		{`git diff --name-only -- '*.txt' | cat`, ""},
		{"npx lint-staged", ""},
		{`test -z "$(gofmt -l src)"`, ""},
	} {
		dir := t.TempDir()
		shell(t, dir, `mkdir -p hooks scripts tools/lint src test node_modules/a
			for f in scripts/c scripts/d tools/lint/run top.run src/program; do printf '#!/bin/sh\n' >$f; chmod +x $f; done
			echo x >scripts/c.sh; echo x >src/a.txt; echo x >src/main.go; echo x >plain.py; echo x >test/a`)
		if err := os.WriteFile(filepath.Join(dir, "hooks", "pre-commit"), []byte("#!/bin/sh\n"+tt.text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		list, _ := hooks(filepath.Join(dir, "hooks"), []string{dir})
		for _, want := range strings.Fields(tt.want) {
			if !slices.Contains(list, filepath.Join(dir, want)) {
				t.Errorf("%q: no %s in %q", tt.text, want, list)
			}
		}
		for _, never := range []string{"src", "src/main.go", "src/a.txt", "src/program", "test", "test/a", "."} {
			if slices.Contains(list, filepath.Join(dir, never)) {
				t.Errorf("%q: %s", tt.text, never)
			}
		}
	}
}

// Packages of others are not looked through, unless the project is one.
func TestHooksOfPackages(t *testing.T) {
	root := t.TempDir()
	for _, project := range []string{"project", "node_modules", ".git"} {
		dir := filepath.Join(root, project)
		shell(t, root, "mkdir -p "+project+`/hooks; cd `+project+`; mkdir -p scripts node_modules/x .git/x
			for f in scripts/c node_modules/x/c .git/x/c; do printf '#!/bin/sh\n' >$f; chmod +x $f; done
			printf '#!/bin/sh\nfor d in *; do cd "$d" && ./c; done\n' >hooks/pre-commit; chmod +x hooks/pre-commit`)
		list, _ := hooks(filepath.Join(dir, "hooks"), []string{dir})
		if !slices.Contains(list, filepath.Join(dir, "scripts/c")) {
			t.Errorf("%s: no script of its own in %q", project, list)
		}
		for _, not := range []string{"node_modules/x/c", ".git/x/c"} {
			if slices.Contains(list, filepath.Join(dir, not)) {
				t.Errorf("%s: %s is in %q", project, not, list)
			}
		}
	}
}

// No pattern in a hook holds a sandbox that opens (behaviour 1131).
func TestPatternsInHooksEnd(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("{,}", 18) + "*zz", strings.Repeat("{,}", 300) + "*zz", strings.Repeat("{*,*}", 100) + "zz",
		strings.Repeat("*a", 500) + "zz",
		strings.Repeat("a/", 30_000), strings.Repeat("{a,b}", 10_000), strings.Repeat("scripts/x src/y ", 2000),
		strings.Repeat("node a/b\n", 20_000),
		strings.Repeat("$a", 50_000), "a=$a$a$a$a; " + strings.Repeat("$a ", 1000), strings.Repeat("{", 100_000) + ",}",
		strings.Repeat("**/", 400) + "zz", strings.Repeat("[a-z]* ", 500), strings.Repeat("{a,{", 100) + "*",
	} {
		dir := t.TempDir()
		shell(t, dir, `mkdir -p hooks src; for i in 1 2 3 4 5 6 7 8 9 10; do echo x >src/a$i.txt; done`)
		if err := os.WriteFile(filepath.Join(dir, "hooks", "pre-commit"), []byte("#!/bin/sh\nls "+pattern+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		hooks(filepath.Join(dir, "hooks"), []string{dir})
		if took := time.Since(begun); took > 20*time.Second { // it is 0.3 s where nothing else runs; once it was for good
			t.Errorf("%.20q took %v", pattern, took)
		}
	}
}
