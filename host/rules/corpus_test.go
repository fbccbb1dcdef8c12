package rules

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var runCorpus = flag.Bool("corpus", false, "run all hostile commands in all shells, and write testdata/corpus.txt anew")

const corpusFile = "testdata/corpus.txt"

// generous are the rules under which the corpus is judged: whatever a rule can allow by a program's name or its first words.
func generous() []Rule {
	var list []Rule
	for _, command := range strings.Fields(`ls cat echo true : pwd head grep find sed awk tar sort rsync printf test \[ xargs env make
		time nice timeout less vim ssh python3 perl node curl wget uniq tee case if fi done } ) date rg sh bash eval command exec noglob
		repeat cd let jobs read export set unset return exit shift kill hash compgen print typeset trap type
		wait sleep break continue pushd popd dirs fg bg disown logout bye history`) {
		list = append(list, Rule{Command: command, Action: "allow"})
	}
	for _, two := range []string{"git diff", "git log", "git *", "go test", "git grep"} {
		list = append(list, Rule{Command: two, Action: "allow"})
	}
	return append(list, Rule{Kind: "read", Path: "/**", Action: "allow"}, Rule{Kind: "edit", Path: "allowed/**", Action: "allow"})
}

// payloads are ways to run PWN, bases what stands before it.
var (
	payloads = []string{"PWN", "PWN x", "'PWN'", `P\WN`, `"PWN"`, "./../bin/PWN"}
	bases    = []string{"ls", "git diff", "echo a"}
)

// corpus are the commands written by hand, then those of templates, each once.
func corpus(t *testing.T) []string {
	t.Helper()
	list, templates := commands(t, "hostile.txt"), commands(t, "templates.txt")
	for _, template := range templates {
		list = append(list, strings.NewReplacer("{P}", "PWN", "{B}", "ls").Replace(template))
	}
	for _, payload := range payloads {
		for i, template := range templates {
			list = append(list, strings.NewReplacer("{P}", payload, "{B}", bases[i%len(bases)]).Replace(template))
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(command string) bool {
		again := seen[command]
		seen[command] = true
		return again
	})
}

// commands reads a file with one quoted command a line.
func commands(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		command, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, command)
	}
	return list
}

// shells are those that a command is tried in, as they are called in the corpus.
var shells = [][]string{{"sh"}, {"bash"}, {"dash"}, {"busybox", "sh"}, {"mksh"}, {"ksh93"}, {"zsh"}}

// bench is a folder in which commands can be tried.
type bench struct{ bin, work string }

func newBench(t *testing.T) bench {
	t.Helper()
	b := bench{filepath.Join(t.TempDir(), "bin"), t.TempDir()}
	if err := os.Mkdir(b.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(b.work), 0o711); err != nil { // nobody is to get there
		t.Fatal(err)
	}
	script := "#!/bin/sh\n: >\"$MARK\"\n"
	if err := os.WriteFile(filepath.Join(b.bin, "PWN"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return b
}

// runs reports whether PWN ran, or a file was written, when a shell was given the command.
func (b bench) runs(t *testing.T, shell []string, command string) bool {
	t.Helper()
	top, err := os.MkdirTemp(b.work, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(b.bin, filepath.Join(top, "bin")); err != nil {
		t.Fatal(err)
	}
	if err := giveAway(top, dir); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(shell[0], append(shell[1:], "-c", command)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, &out, &out, 10*time.Millisecond
	cmd.Env = []string{"PATH=" + b.bin + ":/usr/bin:/bin", "MARK=" + filepath.Join(dir, "mark"), "HOME=" + top, "LC_ALL=C.UTF-8"}
	if os.Geteuid() == 0 { // what these commands write must not be the system
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	timer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Run() // most fail in some shell
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(left) > 0
}

// nobody is the user that commands run as where the tests run as root.
const nobody = 65534

// giveAway makes folders nobody's, if they are root's.
func giveAway(folders ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, folder := range folders {
		if err := os.Chown(folder, nobody, nobody); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for all of a list, on all cores.
func each[T any](list []T, do func(i int, item T)) {
	var wg sync.WaitGroup
	next := make(chan int) // which are not yet taken
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				do(i, list[i])
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
}

// tried are the shells in which a command does harm.
func (b bench) tried(t *testing.T, command string) []string {
	var names []string
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err == nil && b.runs(t, shell, command) {
			names = append(names, shell[0])
		}
	}
	return names
}

// Rules allow none of the hostile commands, written by hand or made from templates, with which a shell is known to do
// harm (behaviour 223).
func TestCorpus(t *testing.T) {
	list, rules := corpus(t), generous()
	if *runCorpus {
		b, lines := newBench(t), make([]string, len(list))
		each(list, func(i int, command string) {
			lines[i] = strconv.Quote(command) + "\t" + strings.Join(b.tried(t, command), " ") + "\n"
		})
		if err := os.WriteFile(corpusFile, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	known, err := os.ReadFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(known), "\n"), "\n")
	if len(lines) != len(list) || len(list) < 800 {
		t.Fatalf("%d commands, and %d in %s: run this test with -corpus", len(list), len(lines), corpusFile)
	}
	harmful := 0
	for i, line := range lines {
		quoted, by, _ := strings.Cut(line, "\t")
		if quoted != strconv.Quote(list[i]) {
			t.Fatalf("%s is not %q: run this test with -corpus", quoted, list[i])
		}
		if by == "" {
			continue
		}
		harmful++
		if got := Judge(rules, Request{Kind: "execute", Command: list[i], Cwd: "/nowhere/p"}); got.Action == "allow" {
			t.Errorf("%s is allowed, and runs or writes something else in %s", quoted, by)
		}
	}
	if harmful < 500 {
		t.Errorf("only %d of %d commands do any harm", harmful, len(list))
	}
}

// The allowed commands leave no trace in any installed shell, and others do, so that the traces are known to be visible
// (behaviour 223).
func TestShells(t *testing.T) {
	rules, b := generous(), newBench(t)
	list := append(corpus(t), commands(t, "benign.txt")...)
	var allowed, others []string
	for i, command := range list {
		if Judge(rules, Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}).Action == "allow" {
			allowed = append(allowed, command)
		} else if i%40 == 0 {
			others = append(others, command)
		}
	}
	each(allowed, func(_ int, command string) {
		if by := b.tried(t, command); len(by) > 0 {
			t.Errorf("%q is allowed, and runs or writes something else in %s", command, by)
		}
	})
	var mu sync.Mutex // guards traces
	traces := 0
	each(others, func(_ int, command string) {
		if b.runs(t, shells[0], command) {
			mu.Lock()
			traces++
			mu.Unlock()
		}
	})
	if traces < len(others)/3 {
		t.Errorf("only %d of %d commands that are asked about leave a trace", traces, len(others))
	}
	t.Logf("%d allowed, %d of %d others leave a trace", len(allowed), traces, len(others))
}

// Everyday commands are allowed where a rule matches them.
func TestBenign(t *testing.T) {
	rules := generous()
	for _, command := range commands(t, "benign.txt") {
		if got := Judge(rules, Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}); got.Action != "allow" {
			t.Errorf("%q: got %s (%s), want allow", command, got.Action, got.Why)
		}
	}
	for _, command := range []string{"java -version", "java -cp", "java --unknown x Main"} { // it reads no program from its input
		if r := Suggest(Request{Kind: "execute", Command: command, Cwd: "/nowhere/p"}); len(r) != 1 || r[0][0].Command != command {
			t.Errorf("suggested for %s: %v", command, r)
		}
	}
	for name, p := range programs() {
		if !p.every || p.input > 0 || slices.Contains(changing, name) || name == "time" || hasName(p.reads, "x") { // a word of shells
			continue
		}
		if r := Suggest(Request{Kind: "execute", Command: name + " x", Cwd: "/nowhere/p"}); len(r) != 1 || r[0][0].Command != name+" x" {
			t.Errorf("suggested for %s x: %v", name, r)
		}
	}
}
