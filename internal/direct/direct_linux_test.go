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

// waits returns when a goroutine waits in a method of a pipe.
func waits(t *testing.T, method string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); runtime.Gosched() {
		for _, one := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			head, _, _ := strings.Cut(one, "\n")
			if strings.Contains(head, "[IO wait") && strings.Contains(one, "direct.(*pipe)."+method) {
				return
			}
		}
	}
	t.Fatalf("nobody waits in %s", method)
}

// Closing ends who waits, in either direction, and later calls.
func TestClose(t *testing.T) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) { testClose(t, kind) })
	}
}

func testClose(t *testing.T, kind string) {
	r, w := pipes(t, kind)
	ended := make(chan error)
	go func() {
		_, err := r.Read(make([]byte, 1))
		ended <- err
	}()
	waits(t, "Read")
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
	go func() {
		_, err := w.Write(make([]byte, 3<<20))
		ended <- err
	}()
	waits(t, "Write")
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
	ended := make(chan error)
	go func() {
		_, err := r.Read(make([]byte, 1))
		ended <- err
	}()
	waits(t, "Read")
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
