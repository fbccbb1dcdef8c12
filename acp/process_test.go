package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// sh starts a shell script as an agent.
func sh(t *testing.T, script string, opts StartOptions) *Agent {
	t.Helper()
	a, err := Start(Command{Path: "/bin/sh", Args: []string{"-c", script}}, &recorder{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// eventually polls a condition to a deadline.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}

func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // on Linux, a zombie is not alive
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

const short = 50 * time.Millisecond

// The error of a failed start says why (behaviour 5).
func TestExitIsExplained(t *testing.T) {
	tests := []struct{ name, script, status, want string }{
		{"status and stderr", "echo 'no config' >&2; read line; exit 3", "exit status 3", "agent crashed (exit 3): no config"},
		{"signal", "kill -9 $$", "signal: killed", "agent crashed (signal: killed)"},
		{"signal, with stderr", "echo remark >&2; kill -9 $$", "signal: killed", "agent crashed (signal: killed)\nremark"},
		{"signal of what a shell has started", "echo remark >&2; exit 143", "exit status 143", "agent crashed (exit 143)\nremark"},
		{"clean exit", "exit 0", "exit status 0", "agent exited"},
		{"several lines", "printf 'a\\n\\nb\\n' >&2; exit 1", "exit status 1", "agent crashed (exit 1): a\n\nb"},
		{"a grandchild holds the pipes", "sleep 60 & echo oops >&2; exit 4", "exit status 4", "agent crashed (exit 4): oops"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := sh(t, test.script, StartOptions{})
			_, err := a.Initialize(t.Context(), &InitializeRequest{ProtocolVersion: 1})
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			var exit *ExitError
			if !errors.As(err, &exit) {
				t.Errorf("got %T, want *ExitError", err)
			}
			<-a.Exited()
			if got := a.ExitStatus(); got != test.status {
				t.Errorf("status %q, want %q", got, test.status)
			}
		})
	}
}

// Secrets in an agent's last stderr are masked before they are shown or recorded (behaviour 228).
func TestExitMasksSecrets(t *testing.T) {
	log := NewLog(0)
	log.Mask("hush-hush-1")
	a := sh(t, "echo token hush-hush-1 is wrong >&2; exit 3", StartOptions{Options: Options{Log: log}})
	_, err := a.Initialize(t.Context(), &InitializeRequest{ProtocolVersion: 1})
	if want := "agent crashed (exit 3): token *** is wrong"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got, want := a.Stderr(), "token *** is wrong\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAgentClosesItsOutput(t *testing.T) {
	a := sh(t, "echo closing >&2; exec >&-; sleep 60", StartOptions{CloseGrace: short, TermGrace: short})
	<-a.Done()
	if got, want := a.Err().Error(), "agent closed its output: closing"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	<-a.Exited() // the agent is taken down: it is of no use
}

func TestStartFails(t *testing.T) {
	_, err := Start(Command{Path: "no-such-agent"}, &recorder{}, StartOptions{})
	if err == nil || !strings.Contains(err.Error(), "no-such-agent") {
		t.Errorf("got %v", err)
	}
	_, err = Start(Command{Path: "/bin/sh", Dir: "/no/such/folder"}, &recorder{}, StartOptions{})
	if err == nil || !strings.Contains(err.Error(), "/no/such/folder") {
		t.Errorf("got %v", err)
	}
}

// No shell touches the environment or the arguments (behaviour 11).
func TestEnvironmentAndArguments(t *testing.T) {
	value := "a b \"c\" 'd'\n$HOME"
	a, err := Start(Command{
		Path: "/bin/sh",
		Args: []string{"-c", `printf '%s|%s|%s|%s' "$V" "$1" "$HOME" "$(pwd)" >&2`, "sh", value},
		Env:  []string{"V=" + value, "HOME=first", "HOME=last"},
		Dir:  "/",
	}, &recorder{}, StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	<-a.Done()
	if got, want := a.Stderr(), value+"|"+value+"|last|/"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Stop closes stdin, then terminates, then kills a process that ignores SIGTERM (behaviour 122).
func TestStop(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"ends with its input", "while read line; do :; done; exit 7", "exit status 7"},
		{"needs TERM", "exec sleep 60", "signal: terminated"},
		{"needs KILL", "trap '' TERM; echo ready >&2; while :; do sleep 0.01; done", "signal: killed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := sh(t, test.script, StartOptions{CloseGrace: 4 * short, TermGrace: short})
			if strings.Contains(test.script, "ready") {
				eventually(t, "ready", func() bool { return a.Stderr() != "" })
			}
			a.Stop(t.Context())
			if got := a.ExitStatus(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if a.Err() == nil {
				t.Error("the connection still runs")
			}
		})
	}
}

func TestStopWritesWhatIsEnqueued(t *testing.T) {
	a := sh(t, "cat >&2", StartOptions{})
	a.Cancel(&CancelNotification{SessionID: "last words"})
	a.Stop(t.Context())
	if got := a.Stderr(); !strings.Contains(got, "last words") {
		t.Errorf("the agent read %q", got)
	}
}

func TestStopIsCutShort(t *testing.T) {
	a := sh(t, "trap '' TERM; while :; do sleep 0.01; done", StartOptions{CloseGrace: time.Hour, TermGrace: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	a.Stop(ctx)
	if got, want := a.ExitStatus(), "signal: killed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Grandchildren end too, and the owner learns of the group at its start and its end (behaviours 8, 122).
func TestGroupIsGone(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	var mu sync.Mutex
	var told []string
	tell := func(what string) func(int) {
		return func(pgid int) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprint(what, " ", pgid))
		}
	}
	script := "(trap '' TERM HUP; echo child >&2; while :; do sleep 0.01; done) & echo $! > " + pidFile + "; read line"
	a := sh(t, script, StartOptions{CloseGrace: time.Second, TermGrace: short, Started: tell("started"), Ended: tell("ended")})
	eventually(t, "child", func() bool { return strings.Contains(a.Stderr(), "child") })
	pid := 0
	eventually(t, "pid", func() bool {
		text, err := os.ReadFile(pidFile)
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false // not written yet
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	a.Stop(t.Context())
	eventually(t, "grandchild gone", func() bool { return !alive(pid) })
	mu.Lock()
	defer mu.Unlock()
	want := fmt.Sprintf("started %d|ended %d", a.Pgid(), a.Pgid())
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Stderr of any amount and content never blocks the agent, and its tail is kept.
func TestStderrIsBounded(t *testing.T) {
	a := sh(t, `head -c 3000000 /dev/zero | tr '\0' '\377' >&2; printf 'the end' >&2; read line`, StartOptions{})
	eventually(t, "the end", func() bool { return strings.HasSuffix(a.Stderr(), "the end") })
	if n := len(a.Stderr()); n > 3*stderrTail {
		t.Errorf("%d bytes kept", n)
	}
	if n := len(a.stderr.tail); n > 2*stderrTail {
		t.Errorf("%d bytes held", n)
	}
}

// The last line counts without a newline.
func TestLastWords(t *testing.T) {
	a := sh(t, `read line; printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'`, StartOptions{})
	res, err := a.Initialize(t.Context(), &InitializeRequest{ProtocolVersion: 1})
	if err != nil || res.ProtocolVersion != 1 {
		t.Errorf("got %v, %v", res, err)
	}
}

// An agent that does not read blocks nobody, and is ended in the end.
func TestAgentDoesNotRead(t *testing.T) {
	a := sh(t, "exec sleep 60", StartOptions{CloseGrace: short, TermGrace: short})
	text := Text(strings.Repeat("x", 8<<20))
	for range 12 {
		a.Prompt(&PromptRequest{SessionID: "s", Prompt: []ContentBlock{text}}, func(*PromptResponse, error) {})
	}
	<-a.Done()
	if !errors.Is(a.Err(), errNotReading) {
		t.Errorf("got %v, want %v", a.Err(), errNotReading)
	}
}

func TestCloseTakesTheProcessDown(t *testing.T) {
	a := sh(t, "exec sleep 60", StartOptions{CloseGrace: short})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-a.Exited():
	default:
		t.Error("the process runs after Close")
	}
	if !errors.Is(a.Err(), ErrClosed) || errors.Is(a.Err(), io.EOF) {
		t.Errorf("got %v, want %v", a.Err(), ErrClosed)
	}
}

// No goroutine, process or descriptor is left of many agents, however they ended (behaviour 8).
func TestNoLeaks(t *testing.T) {
	files := func() int {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	sh(t, "exit 0", StartOptions{}).Stop(t.Context()) // whatever the first use opens for good
	openFiles, goroutines := files(), runtime.NumGoroutine()
	for i := range 30 {
		a := sh(t, []string{"exit 1", "cat >/dev/null", "exec >&- 2>&-; read line"}[i%3], StartOptions{})
		a.Cancel(&CancelNotification{SessionID: "s"})
		if i%2 == 0 {
			a.Stop(t.Context())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "no file left", func() bool { return files() <= openFiles })
	eventually(t, "no goroutine left", func() bool { return runtime.NumGoroutine() <= goroutines })
}
