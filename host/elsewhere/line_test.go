package elsewhere

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

type nobody struct{}

func (nobody) Add(int)    {}
func (nobody) Remove(int) {}

// local is a spec whose other side is this machine.
func local(t *testing.T) (Spec, Needs) {
	t.Helper()
	dir := t.TempDir()
	return Spec{Kind: "command", Title: "the test", Wrap: []string{"env"}, Paths: [][]string{{"{here}", "{here}"}}},
		Needs{Run: "test-" + filepath.Base(dir) + strings.ReplaceAll(t.Name(), "/", "-"), Cwd: dir, Watch: nobody{}, Say: func(string) {}}
}

func open(t *testing.T, s Spec, n Needs) *Place {
	t.Helper()
	p, err := Open(context.Background(), s, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// run runs a command in a place and returns what it prints.
func run(t *testing.T, p *Place, c Command) string {
	t.Helper()
	out, err := start(t, p, c).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", c.Argv, err, out)
	}
	return string(out)
}

func start(t *testing.T, p *Place, c Command) *exec.Cmd {
	t.Helper()
	c.Dir = p.needs.Cwd
	s, err := p.Wrap(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = s.Env, s.Dir, &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(20 * time.Second); !done(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// What a command is told is neither on a command line nor left (behaviour 448).
func TestCommand(t *testing.T) {
	s, n := local(t)
	p := open(t, s, n)
	env := map[string]string{"SECRET": "it's \\n $HOME\nand more", "LC_ALL": "C"}
	if got := run(t, p, Command{Argv: []string{"sh", "-c", `printf '%s|%s|%s' "$SECRET" "$1" "$PWD"`, "x", "a 'b' \n"}, Env: env}); got !=
		env["SECRET"]+"|a 'b' \n|"+n.Cwd {
		t.Errorf("got %q", got)
	}
	if got := run(t, p, Command{Argv: []string{"echo one | tr o 0; echo $SECRET"}, Line: true, Env: map[string]string{"SECRET": "x"}}); got !=
		"0ne\nx\n" {
		t.Errorf("got %q", got)
	}
	cmd := start(t, p, Command{Argv: []string{"env"}, Env: env})
	if strings.Contains(strings.Join(append(cmd.Args, cmd.Env...), "\n"), "more") {
		t.Error("the secret is on the command line or in the environment of the program that leads there")
	}
	out, err := start(t, p, Command{Argv: []string{"no-such-program"}}).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no-such-program is not installed on the test") {
		t.Errorf("got %v, %s", err, out)
	}
	files, _ := filepath.Glob(p.line.dir + "/run-*")
	for _, f := range files {
		if !strings.HasSuffix(f, ".pid") && f != cmd.Args[len(cmd.Args)-1] {
			t.Errorf("%s is left", f)
		}
	}
}

// left returns the processes with a mark.
func left(mark string) string {
	out, _ := exec.Command("sh", "-c", `grep -lF "NVIM_ACP_RUN=$1" /proc/[0-9]*/environ 2>/dev/null`, "sh", mark).Output()
	return string(out)
}

// Processes end there with an order, with the place and with the connection, also those that ignore it or have left their group
// (behaviour 447).
func TestEnds(t *testing.T) {
	const stubborn = `trap '' TERM INT HUP; setsid sleep 1000 & setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & echo on; while :; do sleep 1; done`
	tests := []struct {
		name string
		end  func(p *Place)
	}{
		{"order", func(p *Place) { p.End("one") }},
		{"close", func(p *Place) { p.Close() }},
		{"connection killed", func(p *Place) { _ = syscall.Kill(-p.line.cmd.Process.Pid, syscall.SIGKILL) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, n := local(t)
			s.Wrap = []string{"sh", "-c", `cat | setsid "$@"`, "sh"} // a connection that can be cut
			p := open(t, s, n)
			cmd := start(t, p, Command{Argv: []string{"sh", "-c", stubborn}, Name: "one"})
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, _ = out.Read(make([]byte, 1))
			if left(p.mark) == "" {
				t.Fatal("it does not run")
			}
			tt.end(p)
			wait(t, "end", func() bool { return left(p.mark) == "" })
			go func() { _ = cmd.Wait() }()
			if tt.name != "order" {
				wait(t, "removal of the folder there", func() bool { _, err := os.Stat(p.line.dir); return err != nil })
			}
		})
	}
}

// The other side hears of us as long as it lives: where nothing is said for a minute it ends all (behaviour 447).
func TestBeats(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	l, over := &line{stdin: w, ended: make(chan struct{})}, make(chan struct{})
	go func() { // ends with the line
		l.beat(time.Millisecond)
		close(over)
	}()
	said := bufio.NewScanner(r)
	for range 3 {
		if !said.Scan() || said.Text() != "beat" {
			t.Fatalf("got %q, %v", said.Text(), said.Err())
		}
	}
	close(l.ended)
	<-over
}

// What the other side says before it is asked is no answer, and ends nothing (behaviour 1335).
func TestUnasked(t *testing.T) {
	l := &line{cmd: exec.Command("true"), watch: nobody{}, ended: make(chan struct{})}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	l.read(strings.NewReader("welcome\n"+greeting+"/there\nnobody has asked\n"), &tail{}, ready)
	if got := <-ready; got != "/there" {
		t.Errorf("got the folder %q, want /there", got)
	}
	if answer, ok := <-l.order("put"); ok {
		t.Errorf("an order after the end has the answer %q", answer)
	}
}

// A variable whose name no shell can export is an error before anything is sent (behaviour 1336).
func TestOddVariable(t *testing.T) {
	s, n := local(t)
	p := open(t, s, n)
	for _, name := range []string{"A=B", "A B", "1A", ""} {
		_, err := p.Wrap(context.Background(), Command{Argv: []string{"true"}, Dir: n.Cwd, Env: map[string]string{name: "x"}, Name: "one"})
		if err == nil || !strings.Contains(err.Error(), "is no name of a variable") {
			t.Errorf("%q: got the error %v", name, err)
		}
	}
}

// A line that was killed has left its folder, which the next one removes; those in use stay.
func TestLeftFolders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, n := local(t)
	killed, used := open(t, s, n), open(t, s, n)
	_ = syscall.Kill(-killed.line.cmd.Process.Pid, syscall.SIGKILL)
	<-killed.line.ended
	last := open(t, s, n)
	if _, err := os.Stat(killed.line.dir); err == nil {
		t.Error("the folder of the line that was killed is left")
	}
	for _, p := range []*Place{used, last} {
		if _, err := os.Stat(p.line.dir); err != nil {
			t.Error(err)
		}
	}
}
