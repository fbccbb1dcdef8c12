package attaching

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
)

// What a Neovim says in the moment in which it gets the seat counts: a verb that is dropped would be waited for.
func TestHeardAsItSitsDown(t *testing.T) {
	for range 20_000 {
		l := New(nil, new(attach.Seat), Config{}, Hooks{})
		g := new(attach.Guest)
		l.joining = g
		heard := make(chan bool)
		go func() { heard <- l.Accepts(g) }() // ends with the round
		l.mu.Lock()
		l.joining = nil
		l.seat.Sit(g)
		l.mu.Unlock()
		if !<-heard {
			t.Fatal("not heard")
		}
	}
}

// A Neovim that asks to be detached, and that another has replaced by the time the host does so, leaves the other where it is.
func TestLateDetach(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	l := New(nil, new(attach.Seat), Config{}, Hooks{})
	former, next := new(attach.Guest), new(attach.Guest)
	l.joining = next

	l.detach(former)
	if l.leaving {
		t.Error("the one that joins is to be detached")
	}
	l.detach(next)
	if !l.leaving {
		t.Error("the one that joins is not to be detached, and has asked for it")
	}

	l.joining, l.leaving = nil, false
	l.seat.Sit(next)
	l.detach(former)
	if l.seat.Guest() != next || l.leaving {
		t.Error("the one that has the seat has lost it")
	}
}

// stuck is a host that does not end.
type stuck struct{ feature.Host }

func (stuck) Done() <-chan struct{} { return nil }

// A detached host that does not end on SIGTERM is ended by the next one, as any program is (behaviour 1357).
func TestSecondSIGTERM(t *testing.T) {
	const variable = "NVIM_ACP_TEST_STUCK"
	if os.Getenv(variable) != "" {
		terminate(New(stuck{}, new(attach.Seat), Config{}, Hooks{}))
		os.Exit(3)
	}

	cmd := exec.Command(os.Args[0], "-test.run", "^TestSecondSIGTERM$")
	cmd.Env = append(os.Environ(), variable+"=yes")
	err := cmd.Run()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() || s.Signal() != syscall.SIGTERM {
		t.Errorf("got %v, want an end by SIGTERM", err)
	}
}

// terminate sends SIGTERM to this process until the host is to end, and then as long as that has no effect, but not for ever.
func terminate(l *Life) {
	heard := make(chan os.Signal, 1) // else the first one would end the process if it came too early
	signal.Notify(heard, syscall.SIGTERM)
	go l.exitOnSIGTERM() // until it is heard
	over := l.Over()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {
		case <-over:
			over = nil
			signal.Stop(heard)
		case <-time.After(time.Millisecond):
		}
	}
}

// The pipe from Neovim is read without a thread that blocks, closing it ends a read, and what is left in its place is empty.
func TestTake(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()

	in, err := take(int(r.Fd()), int(null.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := in.SetReadDeadline(time.Time{}); err != nil {
		t.Errorf("it is read by blocking: %v", err)
	}
	if _, err := w.WriteString("word"); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 4)); n != 0 {
		t.Errorf("the old descriptor still has %d bytes, %v", n, err)
	}
	got := make([]byte, 4)
	if n, err := in.Read(got); string(got[:n]) != "word" {
		t.Errorf("got %q, %v", got[:n], err)
	}

	ended := make(chan error)
	go func() {
		_, err := in.Read(got)
		ended <- err
	}()
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a read after closing: %v", err)
	}
}
