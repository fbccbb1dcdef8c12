package direct_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/direct"
)

// waiting calls a method of a pipe, and returns when it waits, with what it returns in the end.
func waiting(t *testing.T, method string, call func() (int, error)) <-chan error {
	t.Helper()
	ended := make(chan error)
	go func() { // until somebody takes the error
		_, err := call()
		ended <- err
	}()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		for _, one := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			head, _, _ := strings.Cut(one, "\n")
			if strings.Contains(head, "[IO wait") && strings.Contains(one, "direct.(*pipe)."+method) {
				return ended
			}
		}
	}
	t.Fatalf("nobody waits in %s", method)
	return nil
}

// Closing ends who waits, in either direction, and later calls.
func TestClose(t *testing.T) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) { testClose(t, kind) })
	}
}

func testClose(t *testing.T, kind string) {
	r, w := pipes(t, kind)
	ended := waiting(t, "Read", func() (int, error) { return r.Read(make([]byte, 1)) })
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a read: %v", err)
	}
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a later read: %v", err)
	}
	if _, err := w.Write([]byte("a")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("nobody reads: %v", err)
	}

	_, w = pipes(t, kind)
	ended = waiting(t, "Write", func() (int, error) { return w.Write(make([]byte, 3<<20)) })
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write: %v", err)
	}
}

// A socket that its other owners have made block is still read without blocking: the program goes on.
func TestSharedSocket(t *testing.T) {
	in, out, err := sockets()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	shared, err := syscall.Dup(int(in.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(shared)
	if err := syscall.SetNonblock(shared, true); err != nil { // Fd may have made it block
		t.Fatal(err)
	}
	r := direct.New(in)
	if err := syscall.SetNonblock(shared, false); err != nil {
		t.Fatal(err)
	}
	ended := waiting(t, "Read", func() (int, error) { return r.Read(make([]byte, 1)) })
	if _, err := out.WriteString("a"); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
