package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// sh is a line for the shell in a folder of its own.
func sh(t *testing.T, line string) Spec {
	t.Helper()
	return Spec{Command: line, Dir: t.TempDir(), Env: Env(os.Environ(), nil, nil), Shell: "/bin/sh"}
}

// start runs spec and releases it at the end of the test.
func start(t *testing.T, spec Spec) *Terminal {
	t.Helper()
	term, err := Start(spec, Options{Grace: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		term.Release()
		done(t, term)
	})
	return term
}

// done waits until nothing of term is left.
func done(t *testing.T, term *Terminal) {
	t.Helper()
	select {
	case <-term.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("the terminal is not gone")
	}
}

func wait(t *testing.T, term *Terminal) ExitStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	status, err := term.Wait(ctx)
	if err != nil {
		text, _, _ := term.Output()
		t.Fatalf("%v; output %q", err, text)
	}
	return status
}

func (s ExitStatus) String() string {
	if s.Code != nil {
		return fmt.Sprint(*s.Code)
	}
	return s.Signal
}

// eventually polls a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

func output(term *Terminal) string {
	text, _, _ := term.Output()
	return text
}

func printed(t *testing.T, term *Terminal, what string) {
	t.Helper()
	eventually(t, "output of "+what, func() bool { return strings.Contains(output(term), what) })
}

// Behaviours 84 and 133.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "my script; echo no")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho script\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		spec Spec
		want string
		exit string
	}{
		{"a line for the shell", Spec{Command: "printf 'a\\nb'; exit 3"}, "a\nb", "3"},
		{"with arguments no shell", Spec{Command: "echo", Args: []string{"$HOME", "a  b"}, HasArgs: true}, "$HOME a  b\n", "0"},
		{"an empty list of arguments", Spec{Command: "echo a && echo b", HasArgs: true}, "a\nb\n", "0"},
		{"a single word", Spec{Command: "pwd", Dir: "/"}, "/\n", "0"},
		{"a program with a strange name", Spec{Command: script}, "script\n", "0"},
		{"relative to the folder", Spec{Command: "./" + filepath.Base(script)}, "script\n", "0"},
		{"the user's shell", Spec{Command: "[[ a == a ]] && echo yes", Shell: "/bin/bash"}, "yes\n", "0"},
		{"another shell", Spec{Command: "echo $0", Shell: "/usr/bin/fish"}, "/bin/sh\n", "0"},
		{"a signal", Spec{Command: "kill -9 $$"}, "", "SIGKILL"},
		{"its terminal", Spec{Command: "stty size; test -t 0 && test -t 1 && test -t 2 && echo tty", Cols: 77, Rows: 11}, "11 77\ntty\n", "0"},
		{"no newline translation", Spec{Command: "printf 'ä\\n'"}, "ä\n", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spec.Dir == "" {
				tt.spec.Dir = dir
			}
			tt.spec.Env = Env(os.Environ(), nil, nil)
			term := start(t, tt.spec)
			if got := wait(t, term); got.String() != tt.exit {
				t.Errorf("exit: got %v, want %s", got, tt.exit)
			}
			if got, truncated, exit := term.Output(); got != tt.want || truncated || exit.String() != tt.exit {
				t.Errorf("got %q, %v, %v, want %q", got, truncated, exit, tt.want)
			}
		})
	}
}

// Behaviour 89.
func TestStartRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		spec Spec
		want error
	}{
		{"missing folder", Spec{Command: "true", Dir: filepath.Join(dir, "no")}, fs.ErrNotExist},
		{"missing command", Spec{Command: "no-such-command-here"}, ErrNoCommand},
		{"missing command with arguments", Spec{Command: "no such", Args: []string{"x"}, HasArgs: true}, ErrNoCommand},
		{"missing path", Spec{Command: "./no"}, ErrNoCommand},
		{"not executable", Spec{Command: file}, fs.ErrPermission},
		{"a folder", Spec{Command: dir}, fs.ErrPermission},
		{"nothing", Spec{Command: " "}, ErrNoCommand},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.spec.Dir == "" {
				tt.spec.Dir = dir
			}
			tt.spec.Env = os.Environ()
			if _, err := Start(tt.spec, Options{}); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// Behaviour 86. The grandchild ignores the request to end.
func TestKillEndsTheGroup(t *testing.T) {
	term := start(t, sh(t, `trap "" TERM HUP; sh -c 'trap "" TERM HUP; echo child $$; while :; do sleep 1; done' & echo parent; wait; wait`))
	printed(t, term, "parent")
	eventually(t, "child", func() bool { return strings.Count(output(term), "\n") == 2 })
	child, _ := strconv.Atoi(strings.Fields(output(term)[strings.Index(output(term), "child"):])[1])
	term.Kill()
	if got := wait(t, term); got.Signal != "SIGKILL" {
		t.Errorf("exit: got %v", got)
	}
	eventually(t, "end of the child", func() bool { return dead(child) })
	if !strings.Contains(output(term), "parent") {
		t.Errorf("output after kill: %q", output(term))
	}
}

// The command heeds the request, its child does not.
func TestKillEndsTheGroupAfterItsLeader(t *testing.T) {
	term := start(t, sh(t, `sh -c 'trap "" TERM HUP; echo child $$; while :; do sleep 1; done' & wait`))
	printed(t, term, "child")
	eventually(t, "number", func() bool { return strings.HasSuffix(output(term), "\n") })
	child, _ := strconv.Atoi(strings.Fields(output(term))[1])
	term.Kill()
	if got := wait(t, term); got.Signal != "SIGTERM" {
		t.Errorf("exit: got %v", got)
	}
	eventually(t, "end of the child", func() bool { return dead(child) })
	done(t, term)
}

// dead reports whether a process is gone, or a zombie that nobody has collected yet.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Contains(string(stat), ") Z ")
}

func TestKillAsksFirst(t *testing.T) {
	term, err := Start(sh(t, `trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done`), Options{Grace: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	printed(t, term, "ready")
	term.Kill()
	if got := wait(t, term); got.String() != "7" {
		t.Errorf("exit: got %v", got)
	}
	printed(t, term, "bye")
	term.Kill() // of what has ended: nothing
	term.Release()
	done(t, term)
}

func TestKillOfAStoppedCommand(t *testing.T) {
	term := start(t, sh(t, "kill -STOP $$; echo awake"))
	eventually(t, "stop", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", term.process.pgid()))
		return strings.Contains(string(stat), ") T ") || runtime.GOOS != "linux"
	})
	term.Kill()
	if got := wait(t, term); got.Signal == "" {
		t.Errorf("exit: got %v", got)
	}
}

// Behaviour 87.
func TestWaitDoesNotWaitForChildren(t *testing.T) {
	term := start(t, sh(t, "sleep 1000 & echo begun"))
	if got := wait(t, term); got.String() != "0" || output(term) != "begun\n" {
		t.Errorf("got %v, %q", got, output(term))
	}
}

// Behaviour 137, and what setsid takes out of the group holds nobody up.
func TestReleaseLetsGo(t *testing.T) {
	term := start(t, sh(t, "setsid sleep 3 & echo begun; sleep 1000"))
	printed(t, term, "begun")
	term.Release()
	term.Release()
	if got := wait(t, term); got.Signal == "" {
		t.Errorf("exit: got %v", got)
	}
	done(t, term)
	if output(term) != "begun\n" {
		t.Errorf("output after release: %q", output(term))
	}
	if _, err := term.Write([]byte("x")); !errors.Is(err, ErrNoInput) {
		t.Errorf("write after release: %v", err)
	}
	if err := term.Resize(10, 10); err != nil {
		t.Errorf("resize after release: %v", err)
	}
}

func TestGroupIsReported(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	note := func(what string) func(int) {
		return func(pgid int) {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, fmt.Sprint(what, " ", pgid))
		}
	}
	term, err := Start(sh(t, "true"), Options{Started: note("started"), Ended: note("ended")})
	if err != nil {
		t.Fatal(err)
	}
	done(t, term)
	pgid := term.process.pgid()
	if want := []string{fmt.Sprint("started ", pgid), fmt.Sprint("ended ", pgid)}; !slices.Equal(calls, want) {
		t.Errorf("got %q, want %q", calls, want)
	}
}

func TestWaitByMany(t *testing.T) {
	term := start(t, sh(t, "read x; exit 4"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if status, err := term.Wait(t.Context()); err != nil || status.String() != "4" {
				t.Errorf("got %v, %v", status, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := term.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	term.Write([]byte("\n"))
	wg.Wait()
}

// Behaviour 88.
func TestInput(t *testing.T) {
	term := start(t, sh(t, `stty -echo; echo ready; while read x; do echo "got $x"; done`))
	printed(t, term, "ready")
	for i := range 100 {
		if _, err := term.Write(fmt.Appendf(nil, "%d\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	printed(t, term, "got 99\n")
	at := -1
	for i := range 100 {
		next := strings.Index(output(term), fmt.Sprintf("got %d\n", i))
		if next <= at {
			t.Fatalf("line %d is not after the one before: %q", i, output(term))
		}
		at = next
	}
	term.Write([]byte{4}) // end of file
	if got := wait(t, term); got.Code == nil {
		t.Errorf("exit: got %v", got)
	}
}

// A command that never reads: Write does not block, and says so in the end.
func TestInputIsBounded(t *testing.T) {
	term := start(t, sh(t, "stty raw -echo; echo ready; sleep 1000"))
	printed(t, term, "ready")
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		_, err = term.Write(make([]byte, 64<<10))
	}
	if !errors.Is(err, ErrInputFull) {
		t.Errorf("got %v", err)
	}
}

func TestQueriesAreAnswered(t *testing.T) {
	term := start(t, sh(t, `stty raw -echo; printf 'ab\033[6n'; head -c 6 | od -An -c; stty sane`))
	v := term.View()
	wait(t, term)
	if got := output(term); !strings.Contains(got, "033   [   1   ;   3   R") {
		t.Errorf("got %q", got)
	}
	if got := shown(t, v, 8192); strings.Contains(got, "6n") {
		t.Errorf("the view got %q", got)
	}
}

func TestResize(t *testing.T) {
	term := start(t, sh(t, `trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done`))
	printed(t, term, "ready")
	if err := term.Resize(33, 22); err != nil {
		t.Fatal(err)
	}
	printed(t, term, "22 33")
}

// A command that closes its terminal goes on, and ends when it ends.
func TestCommandThatClosesItsTerminal(t *testing.T) {
	dir := t.TempDir()
	spec := sh(t, "echo begun; exec <&- >&- 2>&-; while ! test -e end; do sleep 0.02; done; exit 5")
	spec.Dir = dir
	term := start(t, spec)
	printed(t, term, "begun")
	if _, _, exit := term.Output(); exit != nil {
		t.Errorf("exit: got %v", exit)
	}
	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, term); got.String() != "5" {
		t.Errorf("exit: got %v", got)
	}
}

// Behaviour 93: nobody reads the view, the command is not held up, and what is kept is bounded.
func TestFlood(t *testing.T) {
	const size = 8 << 20
	term := start(t, sh(t, fmt.Sprintf("yes some line of text | head -c %d; echo; echo end", size)))
	v := term.View()
	wait(t, term)
	text, truncated, _ := term.Output()
	if !truncated || len(text) > defaultLimit || !strings.HasSuffix(text, "\nend\n") {
		t.Errorf("got %d bytes, %v, ending %q", len(text), truncated, text[max(len(text)-20, 0):])
	}
	if n := cap(term.log.buf); n > 4*history {
		t.Errorf("%d bytes of stream", n)
	}
	chunk, skipped := v.Next(8192)
	if !skipped || len(chunk) > 8192 {
		t.Errorf("got %d bytes, skipped %v", len(chunk), skipped)
	}
}

// The agent's text is that of the view, at any time, and reading both at once is safe.
func TestManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 50 {
		term := start(t, sh(t, fmt.Sprintf("for i in 1 2 3; do echo %d.$i; done; exit %d", i, i)))
		wg.Go(func() {
			v := term.View()
			defer v.Close()
			for range v.Poke() {
				v.Next(100)
				term.Tail(3)
				if _, _, exit := term.Output(); exit != nil {
					break
				}
			}
			if got, want := output(term), fmt.Sprintf("%d.1\n%[1]d.2\n%[1]d.3\n", i); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

// No goroutine, file or process is left of many terminals.
func TestNothingLeaks(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), openFiles()
	for i := range 500 {
		line := "true"
		if i%10 == 0 {
			line = "sleep 1000"
		}
		term, err := Start(sh(t, line), Options{Grace: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		term.Release()
		done(t, term)
	}
	eventually(t, "end of the goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
	if now := openFiles(); now > files {
		t.Errorf("%d files open, before %d", now, files)
	}
}

// openFiles counts the files that the process has open, 0 where that is not to be seen.
func openFiles() int {
	names, _ := os.ReadDir("/dev/fd")
	return len(names)
}

func TestWaiting(t *testing.T) {
	term := start(t, sh(t, "echo ready; read x; echo gone; while :; do :; done"))
	printed(t, term, "ready")
	if term.Waiting() {
		t.Error("waiting without 10 s of silence")
	}
	soon := func() bool { return term.waiting(time.Now()) }
	eventually(t, "waiting", soon)
	term.Write([]byte("\n"))
	printed(t, term, "gone")
	if runtime.GOOS == "linux" && soon() {
		t.Error("waiting while it computes")
	}
}

// Behaviours 92 and 134.
func TestDisplay(t *testing.T) {
	term := NewDisplay(Options{})
	v := term.View()
	term.Feed([]byte("one\ntwo\r"))
	term.Feed([]byte("\n\x1b[31mred\x1b[0m\x1b[c"))
	if got, want := shown(t, v, 100), "one\r\ntwo\r\n\x1b[31mred\x1b[0m"; got != want {
		t.Errorf("the view got %q, want %q", got, want)
	}
	if _, err := term.Write([]byte("x")); !errors.Is(err, ErrNoInput) {
		t.Errorf("write: got %v", err)
	}
	if term.Waiting() {
		t.Error("a display terminal waits")
	}
	code := 2
	term.Exit(ExitStatus{Code: &code})
	term.Exit(ExitStatus{Signal: "SIGTERM"})
	if got := wait(t, term); got.String() != "2" || output(term) != "one\ntwo\nred" {
		t.Errorf("got %v, %q", got, output(term))
	}
	term.Kill()
	term.Release()
	done(t, term)
}

// DECISIONS 26 and behaviour 88.
func TestEnv(t *testing.T) {
	base := []string{"NVIM=/run/x", "VIMRUNTIME=/y", "CLAUDECODE=1", "HOME=/h", "PAGER=less", "X=a=b", "TERM=dumb"}
	got := Env(base, map[string]string{"X": "c", "VIM": "set"}, map[string]string{"X": "d", "GIT_PAGER": "delta", "NEW": "a\nb"})
	for _, want := range []string{"HOME=/h", "PAGER=cat", "X=d", "VIM=set", "GIT_PAGER=delta", "NEW=a\nb", "TERM=xterm-256color", "GIT_EDITOR=true"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	for _, entry := range got {
		if name, _, _ := strings.Cut(entry, "="); name == "NVIM" || name == "VIMRUNTIME" || name == "CLAUDECODE" {
			t.Errorf("%s is there", entry)
		}
	}
}
