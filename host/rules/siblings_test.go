package rules

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Here commands come in pairs: one as an agent may ask for, which does no harm, and another, made from it by somebody who would like to
// run PWN. The rules that are offered for the first, or name all of its words, may not allow the second.

// real are programs that run others, or what they read. They are run as they are where they are installed.
var real = strings.Fields(`timeout env nice nohup setsid stdbuf xargs find busybox flock python3 perl node ruby php lua gcc tar make sed awk gawk sort
	split git tree sh bash dash zsh mksh ksh93 script sqlite3 echo printf cat true sleep test fd rg jq rake java xxd uniq`)

// evilFiles are in the folder, under their names: each runs PWN if it is read as what it is.
var evilFiles = map[string]string{
	"evil.py": "import os; os.system('PWN')\n", "evil.pl": "system 'PWN';\n", "evil.js": "require('child_process').spawnSync('PWN')\n", "evil.sh": "PWN\n", "evil.rb": "system 'PWN'\n",
	"evil.mk": "all test x:\n\tPWN\n", "evil.rsp": "-wrapper PWN\n", "evil.sed": "1ePWN\n", "evil.awk": "BEGIN{system(\"PWN\")}\n", "evil": "#!/bin/sh\nPWN\n", "evil.lua": "os.execute 'PWN'\n", "evil.php": "<?php system('PWN');\n",
	"evil.sql": ".shell PWN\n", "names": "evil.sh\n-c\nPWN\n", "x.py": "x = 1\n", "x.pl": "1;\n", "x.js": "1\n", "x.sh": "true\n", "x.c": "int x;\n", "x.rb": "1\n", "Makefile": "all test:\n\ttrue\n", "x": "a\nb\n", "x.mk": "all:\n\ttrue\n",
	"x.lua": "x = 1\n", "x.php": "1\n", "lib/x": "", "manage.py": "import sys\nif 'shell' in sys.argv: exec(sys.stdin.read())\n", "x.sed": "p\n", "x.awk": "{print}\n",
}

var (
	harmlessPrograms = strings.Split("python3|python3 x.py|python3 -W ignore x.py|python3 -u x.py|python3 -c 1|python3 -m json.tool x|python3 -m pdb x.py|python3 manage.py test|python3 -m pytest|python3 -X dev x.py|python3 -m timeit|"+
		"perl|perl x.pl|perl -w x.pl|perl -I lib x.pl|perl -e 1|perl -ne 1 x|perl -pe s/a/b/ x|perl -MFcntl -e 1|node|node x.js|node -r ./x.js x.js|node -e 1|node -p 1|node --no-warnings x.js|node --require ./x.js x.js|"+
		"sh|sh x.sh|bash|bash x.sh|bash -e x.sh|bash -o errexit x.sh|bash -o errexit|bash --norc x.sh|bash -c true|bash -ec 'true x'|dash x.sh|zsh -f x.sh|mksh x.sh|busybox sh x.sh|busybox ls|busybox sed p x|"+
		"ruby x.rb|ruby -I lib x.rb|ruby -e 1|lua x.lua|php x.php|php -r 1|gcc -c x.c|gcc -I lib -c x.c|gcc -E x.c|tar tf x|tar -tf x|make|make test|make -f x.mk|make -s|make -j 2|sed -n 1p x|sed p x|sed -e p -e p x|sed -f x.sed x|"+
		"awk '{print}' x|awk -F: '{print}' x|awk -f x.awk x|sort x|sort -k 1 x|split -b 1 x|git log|git diff x|git status|git grep x|git push origin x|tree|tree -L 1|sqlite3 x.db .tables|find . -name x|find . -type f|"+
		"find . -name x -exec cat {} +|find . -exec sed -n 1p {} +|find . -exec sh x.sh {} +|find . -exec timeout 5 cat {} ;|xargs cat|xargs -n1 echo|xargs -I{} echo {}|xargs sed -n 1p|xargs -n1 sh x.sh|xargs git log|xargs -I{} sh -c true|"+
		"xargs python3 x.py|flock x true|script -c true out|env|true|cat x|rg x|fd x|uniq x|xxd x|java -version|rake|jq . x", "|")
	harmlessWrappers = strings.Split("timeout 5|env|env A=b|nice|nice -n 1|nohup|setsid -w|stdbuf -o0|busybox|flock x|xargs|xargs -n1|xargs -a x|env -u x|timeout 5 env|find . -maxdepth 0 -exec", "|")
	evilWords        = strings.Split("-c|-e|-s|-|/dev/stdin|/dev/fd/0|/proc/self/fd/0|PWN|'PWN'|'import os; os.system(\"PWN\")'|'system \"PWN\"'|'require(\"child_process\").spawnSync(\"PWN\")'|evil.py|evil.pl|./evil.js|evil.sh|./evil|evil.rb|-r|-I|-W|"+
		"-m|-i|-o|-f|-x|-n|-p|-u|-d|-M|--|-C|-O|@evil.rsp|evil.mk|-fevil.mk|evil.awk|-exec|{}|;|+|sh|bash|python3|env|xargs|-I{}|-tf|-Lo|1|-o1|-wrapper|tI|tfI|I|--use-compress-program=./evil|-iPWN|-oPWN|--output=PWN|'system(\"PWN\")'|'e PWN'|'1ePWN'|"+
		"'BEGIN{system(\"PWN\")}'|SHELL=./evil|X=y|--eval=x:=$(shell PWN)|-cp|-ic|--init-file|--rcfile|shell|pdb|code|-delete|-fls|-fprint|-ext=|--open-files-in-pager=./evil|-O./evil|-c|core.pager=./evil|--ext-diff|./evilrepo|"+
		"+e|-ec|-xc|-lc|-S|'.shell PWN'|PW|a|--require|--eval|'-e system(\"PWN\")'|\"$x\"|$x|a$x|*", "|")
	evilInputs = strings.Split("PWN|import os; os.system(\"PWN\")|system \"PWN\"|require(\"child_process\").spawnSync(\"PWN\")|.shell PWN|evil.sh|-c PWN|-e system(\"PWN\")|all: ; PWN|1ePWN|os.execute \"PWN\"|BEGIN{system(\"PWN\")}|./evil|"+
		"sh evil.sh|-f evil.mk|-e 1ePWN x|-O./evil x|<?php system(\"PWN\");|int x;", "|")
)

// language is what harms by one program: its words, and its input.
type language struct{ name, words, inputs string }

var languages = []language{
	{"python", "-c|'import os; os.system(\"PWN\")'|-W|ignore|evil.py|-m|-|-i|-X|/dev/stdin|shell|--", "import os; os.system(\"PWN\")|evil.py|-c PWN"},
	{"perl", "-e|'system \"PWN\"'|evil.pl|-I|lib|-|-n|-d|'-e;system \"PWN\"'", "system \"PWN\"|evil.pl"},
	{"node", "-e|'require(\"child_process\").spawnSync(\"PWN\")'|-r|./evil.js|evil.js|--require|-p|-|-i|--eval", "require(\"child_process\").spawnSync(\"PWN\")|evil.js"},
	{"sh", "-c|PWN|evil.sh|-s|-|-x|-o|errexit|--|+e|/dev/stdin|-i", "PWN|evil.sh|-c PWN"},
	{"sed", "-e|1ePWN|-n|-f|evil.sed|-|/dev/stdin|-s|'1w PWN'|-i|--", "1ePWN|-e 1ePWN x|e PWN"},
	{"awk", "'BEGIN{system(\"PWN\")}'|-f|evil.awk|-v|-|/dev/stdin|-F|-e", "BEGIN{system(\"PWN\")}|-f evil.awk"},
	{"make", "-f|evil.mk|-|-fevil.mk|SHELL=./evil|'--eval=x:;PWN'|-j|/dev/stdin|-C|--jobs", "all test: ; PWN|-f evil.mk"},
	{"gcc", "@evil.rsp|-I|-D|-o|PWN|-wrapper|./evil|--|-x|c|-", "@evil.rsp|int x;"},
	{"tar", "I|-I|./evil|tI|tfI|--to-command=PWN|-cf|PWN|--checkpoint-action=exec=PWN|--checkpoint=1|a:b", "x"},
	{"find", "-exec|PWN|{}|\\;|+|-delete|-fprint|sh|evil.sh|-c|-ok|-quit|-false|-o", "PWN"},
	{"xargs", "-I{}|{}|sh|-c|-n1|-i|sed|evil.sh|PWN|-a|names|python3|-L1", "PWN|evil.sh|-c PWN|sh evil.sh|./evil|-e 1ePWN x"},
	{"env", "-S|PWN|sh|-i|evil.sh|A=b|-", "PWN"},
	{"git", "-O./evil|-c|core.pager=./evil|--output=PWN|-O|grep|--ext-diff|push|./evilrepo", "-O./evil|--output=PWN"},
	{"split", "x|PW|-b|1|--filter=PWN|-l|--", "x"},
	{"sort", "-o|PWN|-oPWN|--compress-program=PWN|-S1|--", "x"},
}

// of returns what harms by one of the programs of a command, or some other.
func (m maker) of(command string) (words, inputs []string) {
	var list []language
	for _, l := range languages {
		if strings.Contains(command, l.name) {
			list = append(list, l)
		}
	}
	if len(list) == 0 || m.IntN(5) == 0 {
		return evilWords, evilInputs
	}
	l := pick(m, list)
	return strings.Split(l.words, "|"), strings.Split(l.inputs, "|")
}

// pair makes a command and one that is made from it.
func (m maker) pair() (harmless, hostile string) {
	harmless = pick(m, harmlessPrograms)
	for range []int{0, 0, 1, 1, 2}[m.IntN(5)] {
		harmless = pick(m, harmlessWrappers) + " " + harmless
	}
	if strings.HasPrefix(harmless, "find") && strings.Contains(harmless, "-exec") && !strings.HasSuffix(harmless, "+") && !strings.HasSuffix(harmless, ";") {
		harmless += " ;"
	}
	words := strings.Fields(harmless) // those in quotes are words with odd quotes, and are not read
	if strings.Contains(harmless, "'") {
		words = []string{harmless}
	}
	evil, inputs := m.of(harmless)
	for range []int{0, 0, 1, 1, 2, 2, 3}[m.IntN(7)] {
		at := m.IntN(len(words) + 1)
		if m.IntN(3) > 0 {
			at = len(words)
		}
		words = slices.Insert(slices.Clone(words), at, pick(m, evil))
	}
	quote := func(words []string) string { return strings.ReplaceAll(strings.Join(words, " "), " ;", ` \;`) }
	hostile = quote(words)
	harmless = strings.ReplaceAll(harmless, " ;", ` \;`)
	switch m.IntN(5) {
	case 0, 1:
		hostile = "echo '" + pick(m, inputs) + "' | " + hostile
	case 2:
		hostile += " <<'E'\n" + pick(m, inputs) + "\nE"
	case 3:
		hostile = pick(m, []string{"x=I; ", "x=-e; ", "x=PWN; ", "x='-c PWN'; ", "CI=./evil ", "NODE_ENV=./evil ", "TEST=evil.rb "}) + hostile
	}
	return harmless, hostile
}

// siblings are the rules that a user may have made for a command.
func siblings(command string) []Rule {
	r := Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}
	list := []Rule{{Command: "echo", Action: "allow"}}
	for _, offer := range Suggest(r) {
		list = append(list, offer...)
	}
	parts, _ := r.parts()
	for _, p := range parts {
		if texts := fixedWords(p.command, len(p.command)); texts != nil && !p.free {
			list = append(list, Rule{Command: quoteFields(texts), Action: "allow"})
		}
	}
	return list
}

// workshop is a folder with real programs, and files that are evil.
type workshop struct{ bin, work string }

func newWorkshop(t *testing.T, s *stage, n int) workshop {
	t.Helper()
	w := workshop{filepath.Join(s.top, fmt.Sprintf("real%d", n)), filepath.Join(s.top, fmt.Sprintf("shop%d", n))}
	for _, dir := range []string{w.bin, w.work, filepath.Join(w.work, "lib")} {
		if err := cmp.Or(os.Mkdir(dir, 0o755), giveAway(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range real {
		path := filepath.Join("/usr/bin", name)
		if _, err := os.Stat(path); err == nil {
			if err := os.Symlink(path, filepath.Join(w.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	script := "#!/bin/sh\n: >>\"$MARK\"\n"
	if err := os.WriteFile(filepath.Join(w.bin, "PWN"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	w.fill(t)
	return w
}

// fill puts the files there, and takes others away.
func (w workshop) fill(t *testing.T) {
	entries, _ := os.ReadDir(w.work)
	for _, e := range entries {
		if _, ours := evilFiles[e.Name()]; !ours && e.Name() != "lib" {
			_ = os.RemoveAll(filepath.Join(w.work, e.Name()))
		}
	}
	if lib := filepath.Join(w.work, "lib"); os.Mkdir(lib, 0o755) == nil {
		_ = giveAway(lib)
	}
	for name, text := range evilFiles {
		path := filepath.Join(w.work, name)
		if data, err := os.ReadFile(path); err == nil && string(data) == text {
			continue
		}
		if err := cmp.Or(os.WriteFile(path, []byte(text), 0o755), giveAway(path)); err != nil {
			t.Error(err)
		}
	}
}

// harmed reports whether a command ran PWN, or made a file of that name.
func (w workshop) harmed(t *testing.T, s *stage, shell []string, command string) bool {
	mark := fmt.Sprintf("mark%d", s.count.Add(1)) // what still runs afterwards has another
	cmd := exec.Command(shell[0], append(shell[1:], "-c", command)...)
	cmd.Dir, cmd.Env = w.work, []string{"PATH=" + w.bin, "MARK=" + filepath.Join(w.work, mark), "HOME=" + w.work, "LC_ALL=C.UTF-8", "x="}
	s.limited(cmd)
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // most have ended
	}
	found := false
	entries, _ := os.ReadDir(w.work)
	for _, e := range entries {
		found = found || e.Name() == mark || strings.HasPrefix(e.Name(), "PW")
	}
	w.fill(t)
	return found
}

// tryPair makes a pair, and returns how rules for the first allow harm by the second. Of those that they do not allow some are run too, so that
// it is known that they do any.
func (w workshop) tryPair(t *testing.T, s *stage, m maker) (allowed, harm bool, problem string) {
	harmless, hostile := m.pair()
	verdict := Judge(siblings(harmless), Request{Kind: "execute", Command: hostile, Cwd: w.work})
	if verdict.Action != "allow" {
		return false, m.IntN(20) == 0 && w.harmed(t, s, pick(m, s.shells), hostile), ""
	}
	if w.harmed(t, s, pick(m, s.shells), hostile) {
		return true, true, fmt.Sprintf("rules for %q allow %q, which runs PWN, or writes it", harmless, hostile)
	}
	return true, false, ""
}
