package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
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

// Input reaches the command (behaviour 88).
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

// Write to a command that never reads does not block, and returns an error in the end.
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

// Output that nobody reads does not delay the command, and its memory is bounded (behaviour 93).
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

// The agent's text equals the view's at any time, and reading both at once is safe.
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

// A display terminal takes output and exit status from updates (behaviours 92, 134).
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
