package rules

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var fuzzCommands = flag.Int("commands", 0, "TestAllowedRun tries so many commands, in place of some seconds of them")

// dialectShells are the shells that allowed commands are run in.
var dialectShells = [][]string{{"dash"}, {"bash"}, {"zsh"}, {"ksh93"}, {"mksh"}, {"busybox", "sh"}}

// stage is a folder in which commands can be run: all programs that they can find note that they were run, and with what.
type stage struct {
	bin, top string
	shells   [][]string // installed ones, by their paths
	count    atomic.Int64
	ran      atomic.Int64 // programs
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{bin: filepath.Join(t.TempDir(), "bin"), top: t.TempDir()}
	if err := os.Mkdir(s.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(s.top), filepath.Dir(s.bin), s.top} { // nobody is to get there
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	var missing []string
	for _, shell := range dialectShells {
		path, err := exec.LookPath(shell[0])
		if err != nil {
			missing = append(missing, shell[0])
			continue
		}
		s.shells = append(s.shells, append([]string{path}, shell[1:]...))
	}
	if missing != nil {
		t.Logf("not installed, and not tried: %s", strings.Join(missing, ", "))
	}
	if len(s.shells) == 0 {
		t.Fatal("none of the shells is installed")
	}

	script := "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$#\" \"$@\" >>\"$MARK\"\n"
	names := []string{"PWN", "other", "rm", "npm", "node", "gofmt", "wc", "E", "F", "x", "a", "b"}
	for _, rule := range generous() {
		if words := fields(rule.Command); len(words) > 0 && !strings.ContainsAny(words[0], `\:})`) {
			names = append(names, words[0])
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		path := filepath.Join(s.bin, name)
		var err error
		switch name {
		case "sh", "bash":
			real, look := exec.LookPath(name)
			if err = look; err == nil {
				err = os.Symlink(real, path)
			}
		case "time": // a program in some shells
			err = os.WriteFile(path, []byte("#!/bin/sh\n\"$@\"\n"), 0o755)
		default:
			err = os.WriteFile(path, []byte(script), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// desk is where one command after another is run.
type desk struct{ work, log string }

// desk makes one, anew for each who asks.
func (s *stage) desk(t *testing.T) desk {
	top := filepath.Join(s.top, strconv.FormatInt(s.count.Add(1), 10))
	d := desk{filepath.Join(top, "work"), filepath.Join(top, "log")}
	for _, dir := range []string{top, d.work, filepath.Join(d.work, "allowed"), d.log} {
		if err := cmp.Or(os.Mkdir(dir, 0o700), giveAway(dir)); err != nil {
			t.Error(err)
		}
	}
	return d
}

// run runs a command in a shell, and returns the commands that were run as their words, and the files that were written.
func (s *stage) run(d desk, shell []string, command string) (ran [][]string, files []string) {
	mark := filepath.Join(d.log, strconv.FormatInt(s.count.Add(1), 10))
	var out bytes.Buffer
	cmd := exec.Command(shell[0], append(shell[1:], "-c", command)...)
	cmd.Dir, cmd.Stdout, cmd.WaitDelay = d.work, &out, 100*time.Millisecond
	cmd.Env = []string{"PATH=" + s.bin, "MARK=" + mark, "HOME=" + d.log, "LC_ALL=C.UTF-8"}
	s.limited(cmd)
	data, err := os.ReadFile(mark)
	if err == nil {
		_ = os.Remove(mark)
	}
	words := strings.Split(string(data), "\x00")
	for len(words) > 1 {
		n, err := strconv.Atoi(words[1])
		if err != nil || len(words) < n+2 {
			ran = append(ran, []string{"?"})
			break
		}
		ran = append(ran, append([]string{words[0]}, words[2:n+2]...))
		words = words[n+2:]
	}
	s.ran.Add(int64(len(ran)))
	for _, dir := range []string{"", "allowed"} {
		entries, _ := os.ReadDir(filepath.Join(d.work, dir))
		for _, e := range entries {
			if name := filepath.Join(dir, e.Name()); name != "allowed" {
				files = append(files, name)
				_ = os.RemoveAll(filepath.Join(d.work, name))
			}
		}
	}
	return ran, files
}

// limited runs a command for a short time, as nobody.
func (s *stage) limited(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // what these commands write must not be the system
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	if cmd.Start() == nil {
		timer := time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		_ = cmd.Wait() // many fail in some shell
		timer.Stop()
	}
}

// allowed reports whether words that were run are those of a command that was judged. A word that is not fixed may become any.
func allowedWords(words []string, command []word) bool {
	switch {
	case len(command) == 0:
		return len(words) == 0
	case !command[0].fixed:
		return allowedWords(words, command[1:]) || len(words) > 0 && allowedWords(words[1:], command)
	}
	return len(words) > 0 && words[0] == command[0].text && allowedWords(words[1:], command[1:])
}

// tryAllowed runs a command that rules allow in all shells, and returns how one of them does something else.
func (s *stage) tryAllowed(d desk, command string) (problem string) {
	parts, _ := Request{Kind: "execute", Command: command, Cwd: d.work}.parts()
	work := newFolder(d.work)
	for _, shell := range s.shells {
		ran, files := s.run(d, shell, command)
		for _, words := range ran {
			known := slices.ContainsFunc(parts, func(p part) bool {
				return len(p.command) > 0 && words[0] == filepath.Base(p.command[0].text) && allowedWords(words[1:], p.command[1:])
			})
			if !known {
				return fmt.Sprintf("%s runs %q", filepath.Base(shell[0]), words)
			}
		}
		for _, file := range files {
			if !slices.ContainsFunc(parts, func(p part) bool { return p.kind == "edit" && work.within(p.path) == file }) {
				return fmt.Sprintf("%s writes %q", filepath.Base(shell[0]), file)
			}
		}
	}
	return ""
}

// maker makes commands: such as agents send, such as do harm, and such as no one would think of.
type maker struct {
	*rand.Rand
	seeds []string
}

func pick[T any](m maker, list []T) T { return list[m.IntN(len(list))] }

// pieces are what shells read in different ways.
var pieces = strings.Split("\\\n|\\|\\\\|'|\"|$|`|#| #|;|&|&&|||(|)|{|}|!|=|~|*|?|[|]|<|>|<<E|<<'E'|<<-E|\nE|\nE\n|\n| |\t|$'|$\"|$(|${|$((|"+
	"[ \"$x\" -eq 0 ]|[ -f \"$x\" ]|x='a[$(PWN)]'; |printf %d \"$x\"|exit $x|for x in 'a[$(PWN)]'; do |test $x|; done|$?|é|\u00a0|PWN|; PWN|\nPWN\n|echo|ls|-|--|%|^|@|,|:|in|do|done|then|fi|esac|;;|time |export A=b|A=b |case x in|<(|>(|=(|&>|>&|2>|>|"+
	"0<|1|x=PWN|if |for i in|while |set -e;|command -v |bash -c '|bash -lc \"|sh -c ls|read -r|\r|\x00|\x7f|\u2028|\\'|'\\''|\"$x\"|EOF", "|")

var (
	simpleCommands = []string{"ls", "cat", "ls -la src", "git diff", "cat a b", "echo a", "git log -5", "grep x", "wc -l", "head -5", "true", "cat allowed/x"}
	joints         = []string{"; ", " && ", " || ", " | ", " & ", "\n", ";", "|", "&&"}
	delimiters     = []string{"E", "E", "E", "'E'", "'E'", "\"E\"", "\\E", "E\\\n", "$'E'", "E''", "'E F'", "é", "'E'\\\n", "$E", "-E", "E1"}
	bodyLines      = []string{"x", "\\", "a\\", "E\\", "\\E", "E", "\tE", " E", "E ", "$(PWN)", "`PWN`", "PWN", "'", "\"", "#", ")", "esac", "é\\",
		"", "\\\\", "<<E", "<<'F'", "}", "done", "$x", "a \\", "\tx", "\\\\\\", "it's", "E;PWN", "E)", "E`", "\"$(PWN)\"", "--x", "!PWN"}
)

// command makes one.
func (m maker) command() string {
	var text string
	switch m.IntN(6) {
	case 0, 1:
		text = m.document()
	case 2, 3:
		text = m.line()
	default:
		text = pick(m, m.seeds)
	}
	if m.IntN(4) == 0 {
		text += pick(m, joints) + pick(m, m.seeds)
	}
	if m.IntN(8) == 0 {
		text = "bash -lc '" + text + "'"
	}
	for range []int{0, 0, 1, 1, 2, 3}[m.IntN(6)] {
		text = m.changed(text)
	}
	return text
}

// changed puts something into a text, or takes something out.
func (m maker) changed(text string) string {
	at := m.IntN(len(text) + 1)
	switch m.IntN(5) {
	case 0:
		return text[:at] + text[min(len(text), at+1+m.IntN(3)):]
	case 1:
		other := pick(m, m.seeds)
		return text[:at] + other[m.IntN(len(other)+1):]
	}
	return text[:at] + pick(m, pieces) + text[at:]
}

// line makes commands in a list, in loops, with variables, in scripts of shells.
func (m maker) line() string {
	one := pick(m, simpleCommands)
	if m.IntN(3) == 0 {
		one += " " + pick(m, []string{"'x y'", "\"$x\"", "*.go", "2>&1", ">/dev/null", "2>/dev/null", "> allowed/f", "< a", "'!x'", "\\;", "'a\nb'", "\"a\nb\"",
			"$x", "{}", "x{},y}", "a{}b", "{}{a,b}", "a=b", "\\\n -l", "# look", "<(ls)", "\"$(ls)\"", "''", "'it\"s'", "\"it's\"", "~", "a~b", "%1", "-x"})
	}
	switch m.IntN(14) {
	case 13:
		one = pick(m, []string{"x='x[$(PWN)]'; ", "x='a[$(PWN)]'; ", "x='y[$(PWN)]'; y=x; ", "read -r x; ", "CI=x; "}) + m.number() + pick(m, []string{"", "; ls"})
	case 12:
		one = pick(m, []string{"x='a[$(PWN)]'; ", m.setting(), m.setting(), "for x in '1 -eq a[$(PWN)]' 'a[$(PWN)]'; do ", "read -r x; ", "x=-t; ", "TZ='a[$(PWN)]' ", "x='PWN'; ", "x='x[$(PWN)]'; ", "x='y[$(PWN)]'; y=x; ",
			"x='x[$(PWN)]'; ", "for x in 'x[$(PWN)]'; do "}) + pick(m, []string{
			"[ \"$x\" -eq 0 ]", "[ $x ]", "[ -n \"$x\" ]", "[ \"$x\" = \"$x\" ]", "test \"$x\"", "[ \"$x\" \"$x\" ]", "printf '%s' \"$x\"", "printf %d \"$x\"",
			"echo \"$x\"", "cd \"$x\"", "exit $x", "kill $x", "wait $x", "[ $? -eq 0 ]", "[ ! -f \"$x\" ]", "print \"$x\"", "$x", "ls $x", "ls \"$x[1]\"",
			"test -t \"$x\"", "[ \"$x\" -nt a ]", "printf '%5s%%' \"$x\"", "echo ${x}", "case $x in a) ls;; esac",
			m.number(), m.number(), m.number(), m.number()}) + pick(m, []string{"", "; done", "; ls"})
	case 0:
		one = "for i in 1 2; do " + one + "; done"
	case 1:
		one = "if " + one + "; then " + pick(m, simpleCommands) + "; fi"
	case 2:
		one = pick(m, []string{"NODE_ENV=test ", "CI=true ", "DEBUG=* ", "LANG='a b' ", "time ", "! ", "export CI=1 && ", "f=x; ", "set -e; ", "TZ=$(ls) "}) + one
	case 3:
		one = "(" + one + ")"
	case 4:
		one = "{ " + one + "; }"
	case 5:
		one = "while read -r f; do " + one + "; done </dev/null"
	case 6:
		one = "command -v ls && " + one
	case 7:
		one = pick(m, []string{"bash -c ", "sh -c ", "bash -lc ", "sh -e -c "}) + strconv.Quote(one)
	}
	if m.IntN(2) == 0 {
		return one + pick(m, joints) + m.line()
	}
	return one
}

// What rules allow runs only the commands that were judged, with their words, and writes only the files that were, in every
// shell: tried with commands at random, and with pairs of them (behaviours 730, 960, 961).
func TestAllowedRun(t *testing.T) {
	t.Parallel()
	s, rules := newStage(t), generous()
	seed := seedtest.Of(t)
	seeds := append(commands(t, "benign.txt"), commands(t, "ordinary.txt")...)
	for _, template := range commands(t, "templates.txt") {
		seeds = append(seeds, strings.NewReplacer("{P}", "ls", "{B}", "ls").Replace(template))
	}

	var (
		made, tried, harm atomic.Int64
		pairs, hurting    atomic.Int64 // allowed siblings, and others that do harm
		seen              sync.Map     // commands that were run
		wg                sync.WaitGroup
		until             = time.Now().Add(4 * time.Second)
	)
	for n := range 4 {
		d := s.desk(t)
		m := maker{rand.New(rand.NewPCG(seed, uint64(n))), seeds}
		w := newWorkshop(t, s, n)
		wg.Go(func() {
			for harm.Load() < 20 && (*fuzzCommands > 0 || time.Now().Before(until)) {
				n := made.Add(1)
				if n > int64(*fuzzCommands) && *fuzzCommands > 0 {
					return
				}
				if n%50_000 == 0 {
					t.Logf("%d commands, %d of them allowed", n, tried.Load())
				}
				if n%3 == 0 {
					allowed, hurts, problem := w.tryPair(t, s, m)
					if problem != "" {
						harm.Add(1)
						t.Error(problem)
					}
					if allowed {
						pairs.Add(1)
					} else if hurts {
						hurting.Add(1)
					}
					continue
				}
				command := m.command()
				if len(command) > 400 || Judge(rules, Request{Kind: "execute", Command: command, Cwd: d.work}).Action != "allow" {
					continue
				}
				if _, again := seen.LoadOrStore(command, true); again {
					continue
				}
				tried.Add(1)
				if problem := s.tryAllowed(d, command); problem != "" {
					harm.Add(1)
					t.Errorf("%q is allowed: %s", command, problem)
				}
				if strings.Contains(command, "&") {
					d = s.desk(t) // what goes on in the background is not the next one's
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d commands, %d different ones of them allowed and run in %d shells: %d programs", made.Load(), tried.Load(), len(s.shells), s.ran.Load())
	t.Logf("%d siblings of commands are allowed, and of some that are not %d do harm", pairs.Load(), hurting.Load())
	if tried.Load() < 5 || s.ran.Load() < tried.Load() {
		t.Errorf("only %d commands are allowed, and run %d programs", tried.Load(), s.ran.Load())
	}
}
