package elsewhere

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A hook's scripts are found however it writes them: without an ending, by their folder, with dots between, in another spelling, in a
// folder whose files it runs by a variable or from a list, and behind many words and comments. What it only reads stays writable
// (behaviour 1046).
func TestWaysToWrite(t *testing.T) {
	words := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ text, want string }{
		{"#!/usr/bin/env node\nrequire('../../scripts/check')", "scripts/check.js"},
		{"#!/usr/bin/env node\nrequire('./scripts/check')", "scripts/check.js"},
		{"const c = await import(\"./scripts/check\")", "scripts/check.js"},
		{"import { check } from '../scripts/check'", "scripts/check.js"},
		{"node scripts/check", "scripts/check.js"},
		{`node --no-warnings "$(git rev-parse --show-toplevel)/scripts/check" --fix`, "scripts/check.js"},
		{"node scripts", "scripts/index.js"},
		{"node -r ./scripts/check x", "scripts/check.js"},
		{"python3 -m tools.lint2", "tools/lint2.py"},
		{"python3 -um tools", "tools/__main__.py"},
		{"python3 tools", "tools/__main__.py"},
		{"python3 -u ./tools", "tools/__main__.py"},
		{"#!/usr/bin/env python3\nfrom tools import lint2", "tools/lint2.py"},
		{"#!/usr/bin/env python3\nfrom tools import x, lint2 as l", "tools/lint2.py"},
		{"#!/usr/bin/env python3\nimport os, tools.lint2 as l", "tools/lint2.py"},
		{`python3 -c "import tools.lint2"`, "tools/lint2.py"},
		{`python3 -c 'import os; import tools.lint2 as l'`, "tools/lint2.py"},
		{`python3 -c "from tools import lint2; lint2.main()"`, "tools/lint2.py"},
		{`python3 -c "import runpy; runpy.run_module('tools.lint2')"`, "tools/lint2.py"},
		{"go run ./tools/gochk", "tools/gochk"},
		{"go run -mod=mod ./tools/gochk -x", "tools/gochk"},
		{"ruby -Itools -rlint3 -e1", "tools/lint3.rb"},
		{"ruby -I tools -r lint3 -e1", "tools/lint3.rb"},
		{"require_relative '../tools/lint3'", "tools/lint3.rb"},
		{"awk -f scripts/a.awk x", "scripts/a.awk"},
		{"make -f tools/x.mk", "tools/x.mk"},

		{words(1100, "# w%d\n") + "./scripts/c", "scripts/c"},
		{words(1100, "# w%d\n") + "exec tools/lint/run", "tools/lint/run"},
		{words(5000, "  # a%d b c\n") + "sh scripts/plain", "scripts/plain"},
		{words(1500, "echo w%d\n") + "sh scripts/plain", "scripts/plain"},
		{words(3000, "echo w w; # %d w\n") + "sh scripts/plain", ""}, // more than is read, which is said

		{"sh<scripts/plain", "scripts/plain"},
		{`sh scripts\/plain`, "scripts/plain"},
		{"sh scripts/\\\nplain", "scripts/plain"},
		{"sh ./scr''ipts/plain", "scripts/plain"},
		{`sh scr"ip"ts/p'lai'n`, "scripts/plain"},
		{"sh scripts/{plain,x}", "scripts/plain"},
		{"sh scripts/{x,pl{a,o}in}", "scripts/plain"},
		{"sh scripts/{plain,plain2}.sh", "scripts/plain2.sh"},
		{"sh scripts/plain{1..3}.sh", "scripts/plain2.sh"},

		{"for x in plain other; do sh scripts/$x; done", "scripts/plain"},
		{"for x in plain2; do python3 scripts/$x.py; done", "scripts/plain2.py"},
		{`for x in plain2; do python3 "$(git rev-parse --show-toplevel)/scripts/$x.py"; done`, "scripts"},
		{`for x in plain2; do python3 "${root}/scripts/${x}.py"; done`, "scripts"},
		{"name=pl; sh scripts/${name}ain", "scripts/plain"},
		{"hook=${0##*/}; sh scripts/hooks/$hook", "scripts/hooks/pre-commit"},
		{"exec python3 scripts/hooks/$(basename $0).py", "scripts/hooks/pre-commit.py"},
		{`exec python3 "$(git rev-parse --show-toplevel)/scripts/hooks/$(basename $0).py"`, "scripts/hooks"},
		{"dir=scripts/hooks\npython3 $dir/$(basename $0).py", "scripts/hooks"},
		{"d=scripts; e=$d/hooks\nnode \"$e/$(basename \"$0\").js\"", "scripts/hooks"},
		{"cd scripts; sh plain", "scripts/plain"},
		{"cd scripts; for x in pla*; do sh $x; done", "scripts/plain"},
		{"pushd scripts; for x in *ain; do . ./$x; done", "scripts/plain"},

		{"for f in $(ls scripts/hooks); do python3 scripts/hooks/$f; done", "scripts/hooks"},
		{"for f in $(git ls-files scripts/hooks); do python3 $f; done", "scripts/hooks"},
		{"git ls-files scripts/hooks | while read f; do python3 $f; done", "scripts/hooks"},
		{"git ls-files -- scripts/hooks | xargs -n1 python3", "scripts/hooks"},
		{`git ls-tree -r --name-only HEAD scripts/hooks | while read f; do python3 "$f"; done`, "scripts/hooks"},
		{"xargs -a list sh", "list"},

		{"git ls-files src | xargs gofmt -l", ""},
		{`for f in $(git diff --name-only); do gofmt -l "src/$f"; done`, ""},
		{`git add "src/$file"`, ""},
		{"npm test && npm run lint", ""},
		{"python3 -m pytest test", ""},
		{"grep -r TODO src && go vet ./src/...", ""},
	} {
		dir := t.TempDir()
		shell(t, dir, `mkdir -p hooks scripts/hooks tools/lint tools/gochk src test
			for f in scripts/c scripts/d tools/lint/run src/program; do printf '#!/bin/sh\n' >$f; chmod +x $f; done
			for f in scripts/check.js scripts/index.js tools/__main__.py tools/lint2.py tools/lint3.rb tools/gochk/main.go scripts/a.awk \
				tools/x.mk scripts/plain scripts/plain2.sh scripts/plain2.py scripts/hooks/pre-commit scripts/hooks/pre-commit.py list \
				src/main.go test/a lint.js test.js; do echo x >$f; done`)
		if err := os.WriteFile(filepath.Join(dir, "hooks", "pre-commit"), []byte("#!/bin/sh\n"+tt.text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		list, _ := hooks(filepath.Join(dir, "hooks"), []string{dir})
		short := tt.text[max(0, len(tt.text)-90):]
		for _, want := range strings.Fields(tt.want) {
			if !slices.Contains(list, filepath.Join(dir, want)) && !slices.Contains(list, filepath.Join(dir, filepath.Dir(want))) {
				t.Errorf("%q: no %s in %q", short, want, list)
			}
		}
		for _, never := range []string{"src", "src/main.go", "src/program", "test", "test/a", "test.js", "lint.js", "."} {
			if slices.Contains(list, filepath.Join(dir, never)) {
				t.Errorf("%q: %s", short, never)
			}
		}
	}
}

// Where not all that a hook names is looked at, that is known, and what was found is protected (behaviour 1133).
func TestMoreThanIsRead(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		whole        bool
	}{
		{"a short one", "echo sh scripts/c >hooks/pre-commit", true},
		{"a program", "head -c 400000 /dev/zero >hooks/program", true},
		{"comments", "(seq 3000 | sed 's/^/# /'; echo sh scripts/c) >hooks/pre-commit", true},
		{"words", "(echo sh scripts/c; seq 3000) >hooks/pre-commit", false},
		{"a long one", "(echo sh scripts/c; yes echo | head -c 400000) >hooks/pre-commit", false},
		{"choices", `(echo sh scripts/c; echo 'ls {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}') >hooks/pre-commit`, false},
		{"patterns", `(echo sh scripts/c; for i in $(seq 500); do echo "ls a$i*"; done) >hooks/pre-commit`, false},
		{"scripts", fmt.Sprintf("for i in $(seq %d); do echo sh scripts/c >hooks/h$i; done", maxScripts+1), false},
	} {
		dir := t.TempDir()
		shell(t, dir, "git init -q .; mkdir -p hooks scripts; echo >scripts/c; git config core.hooksPath hooks\n"+tt.script)
		p := &Place{needs: Needs{Cwd: dir}}
		access := map[string]Access{dir: Writable}
		watched := p.protect(t.Context(), filepath.Join(dir, ".git"), []string{dir}, access)
		if said := strings.Contains(strings.Join(p.limits, " "), "are more than is read"); said == tt.whole {
			t.Errorf("%s: said %q", tt.name, p.limits)
		}
		if found := slices.Contains(watched, filepath.Join(dir, "scripts/c")); !found && tt.name != "a program" && tt.name != "a long one" {
			t.Errorf("%s: scripts/c is not protected", tt.name)
		}
	}
}

// Git runs what these settings name (behaviour 856).
func TestSettingsThatRun(t *testing.T) {
	for name, want := range map[string]bool{
		"filter.x.clean": true, "lfs.extension.x.clean": true, "lfs.extension.a.b.smudge": true, "instaweb.httpd": true, "instaweb.modulepath": true,
		"lfs.customtransfer.x.path": true, "remote.x.annex-tuning-command": true, "annex.youtube-dl-command": true, "hook.x.command": true,
		"lfs.extension.x.priority": false, "instaweb.port": false, "user.name": false, "remote.x.url": false,
	} {
		if got := commands().MatchString(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	dir := t.TempDir()
	shell(t, dir, `git init -q .; mkdir -p template/hooks scripts; echo scripts/c >template/hooks/pre-commit; echo >scripts/c
		git config init.templateDir template; git config lfs.extension.x.clean 'sh scripts/d'; echo >scripts/d`)
	list, whole := named(t.Context(), filepath.Join(dir, ".git"))
	for _, want := range []string{"template", "scripts/c", "scripts/d"} {
		if !whole || !slices.Contains(list, filepath.Join(dir, want)) {
			t.Errorf("no %s in %q", want, list)
		}
	}
}
