package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// listen listens with an echo for each session, which says the session's name first.
func listen(t *testing.T) (l *Listener, refused chan string) {
	t.Helper()
	return listenAs(t, os.Getuid())
}

func listenAs(t *testing.T, user int) (l *Listener, refused chan string) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", t.TempDir())
	refused = make(chan string, maxWaiting)
	l, err := listenFor(user, func(session string, conn io.ReadWriteCloser) {
		_, _ = io.WriteString(conn, session+":")
		_, _ = io.Copy(conn, conn)
	}, func(why string) { refused <- why })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l, refused
}

// A bridge with a token reaches its session, byte for byte, and ends with it (behaviour 311).
func TestBridge(t *testing.T) {
	l, _ := listen(t)
	text := strings.Repeat("a line\n", 100_000)
	var out bytes.Buffer
	if err := Bridge(l.Path(), l.Token("one", nil), strings.NewReader(text), &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "one:"+text; got != want {
		t.Errorf("got %d bytes, %.20q, want %d", len(got), got, len(want))
	}
}

// The socket is the user's alone (behaviour 311).
func TestPrivate(t *testing.T) {
	l, _ := listen(t)
	for path, want := range map[string]os.FileMode{l.Path(): 0o600, filepath.Dir(l.Path()): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	l.Close()
	if _, err := os.Stat(filepath.Dir(l.Path())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is left: %v", err)
	}
}

// Whoever knows no token, or is not the user, is refused, and that is said (behaviour 311).
func TestStrangers(t *testing.T) {
	tests := []struct {
		name   string
		says   func(l *Listener) string
		user   int // as whom the listener was made
		answer string
		told   string
	}{
		{"no token", func(*Listener) string { return greeting + "\n" }, os.Getuid(), "refused: ", "no token of an open session"},
		{"another token", func(*Listener) string { return greeting + strings.Repeat("0", 64) + "\n" }, os.Getuid(), "refused: ", "no token"},
		{"another greeting", func(l *Listener) string { return "GET / HTTP/1.1\n" }, os.Getuid(), "refused: ", "no token"},
		{"a token of a closed session", func(l *Listener) string {
			token := l.Token("gone", nil)
			l.Forget("gone", nil)
			return greeting + token + "\n"
		}, os.Getuid(), "refused: ", "no token"},
		{"no end", func(*Listener) string { return strings.Repeat("x", maxLine+1) }, os.Getuid(), "refused: ", "says no token"},
		{"another user", func(l *Listener) string { return greeting + l.Token("one", nil) + "\n" }, os.Getuid() + 1, "refused: ", "is not yours"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, refused := listenAs(t, test.user)
			conn, err := net.Dial("unix", l.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, test.says(l)) // it may be refused before
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			answer, _ := io.ReadAll(conn) // a reset is an end too
			if got := string(answer); !strings.HasPrefix(got, test.answer) && got != "" {
				t.Errorf("it answers %q", got)
			}
			select {
			case why := <-refused:
				if !strings.Contains(why, test.told) {
					t.Errorf("the user is told %q, want %q in it", why, test.told)
				}
			case <-time.After(10 * time.Second):
				t.Error("the user is not told")
			}
		})
	}
}

// A session that is closed ends its connections and no others (behaviour 312).
func TestForget(t *testing.T) {
	l, _ := listen(t)
	in, _ := io.Pipe() // never ends
	begun := make(chan struct{}, 2)
	ended := map[string]chan error{"one": make(chan error, 1), "two": make(chan error, 1)}
	for session, done := range ended {
		token := l.Token(session, nil)
		go func() { done <- Bridge(l.Path(), token, in, signal{begun}) }() // until the session is forgotten
	}
	<-begun
	<-begun
	l.Forget("one", nil)
	<-ended["one"]
	select {
	case err := <-ended["two"]:
		t.Errorf("the other has ended too: %v", err)
	default:
	}
	l.Close()
	<-ended["two"]
	if err := Bridge(l.Path(), "", in, io.Discard); err == nil || !strings.Contains(err.Error(), "has gone") {
		t.Errorf("got %v", err)
	}
}

// What an agent was given ends without that of another one for the same session (behaviour 1201).
func TestForgetAgent(t *testing.T) {
	l, _ := listen(t)
	in, _ := io.Pipe() // never ends
	begun := make(chan struct{}, 2)
	ended := map[int]chan error{1: make(chan error, 1), 2: make(chan error, 1)}
	for agent, done := range ended {
		token := l.Token("one", agent)
		go func() { done <- Bridge(l.Path(), token, in, signal{begun}) }() // until it is forgotten
	}
	<-begun
	<-begun
	unused := l.Token("one", 1)
	l.Forget("one", 1)
	<-ended[1]
	if err := Bridge(l.Path(), unused, in, io.Discard); err == nil || !strings.Contains(err.Error(), "no token") {
		t.Errorf("with another token of its: %v", err)
	}
	select {
	case err := <-ended[2]:
		t.Errorf("the other has ended too: %v", err)
	default:
	}
	l.Forget("one", nil)
	<-ended[2]
}

// signal has a value for each write.
type signal struct{ c chan struct{} }

func (s signal) Write(p []byte) (int, error) {
	s.c <- struct{}{}
	return len(p), nil
}

// The sockets of hosts that were killed are removed, those of others stay (behaviour 312).
func TestSweep(t *testing.T) {
	l, refused := listen(t)
	root := filepath.Dir(filepath.Dir(l.Path()))
	left := filepath.Join(root, prefix+"left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(left, "s")})
	if err != nil {
		t.Fatal(err)
	}
	killed.SetUnlinkOnClose(false)
	killed.Close()
	sweep(root)
	select {
	case why := <-refused: // it was asked whether it lives
		t.Errorf("the user is told: %s", why)
	case <-time.After(50 * time.Millisecond):
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
	if _, err := os.Stat(l.Path()); err != nil {
		t.Error(err)
	}
}

// Hosts that start at the same time do not sweep each other's sockets (behaviour 311).
func TestStartTogether(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", t.TempDir())
	var starts sync.WaitGroup
	for range 16 {
		starts.Go(func() {
			for range 50 {
				l, err := Listen(func(string, io.ReadWriteCloser) {}, func(string) {})
				if err != nil {
					t.Error(err)
					return
				}
				conn, err := net.Dial("unix", l.Path())
				if err != nil {
					t.Error(err)
				} else {
					_ = conn.Close()
				}
				l.Close()
			}
		})
	}
	starts.Wait()
}

// However many connections say nothing, one with a token is served at once: the oldest of too many silent ones ends, and no other
// (behaviour 1543).
func TestSilent(t *testing.T) {
	l, _ := listen(t)
	dial := func() net.Conn {
		c, err := net.Dial("unix", l.Path())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetReadDeadline(time.Now().Add(maxWait - time.Second)) // no silent one ends by itself before
		return c
	}
	served := func(c net.Conn) {
		t.Helper()
		_, _ = io.WriteString(c, greeting+l.Token("one", nil)+"\n")
		if line, err := firstLine(c); line != welcome {
			t.Errorf("it is answered %q: %v", line, err)
		}
	}

	spoken := dial()
	served(spoken)
	var silent []net.Conn
	for range 40 {
		silent = append(silent, dial())
	}
	served(dial())
	for _, c := range silent[:8] {
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("one of too many silent ones is kept")
		}
	}
	served(silent[len(silent)-1])

	_, _ = io.WriteString(spoken, "still here\n")
	if line, err := firstLine(spoken); line != "one:still here" {
		t.Errorf("whoever has spoken is not silent; got %q: %v", line, err)
	}
}
