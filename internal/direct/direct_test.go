package direct_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/direct"
)

// sockets returns two sockets that are joined, as Neovim makes them for the programs that it starts.
func sockets() (r, w *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, fd := range fds {
		err = errors.Join(err, syscall.SetNonblock(fd, true))
	}
	return os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w"), err
}

var kinds = map[string]func() (r, w *os.File, err error){"pipe": os.Pipe, "socket": sockets}

func pipes(t *testing.T, kind string) (r, w direct.Pipe) {
	t.Helper()
	in, out, err := kinds[kind]()
	if err != nil {
		t.Fatal(err)
	}
	r, w = direct.New(in), direct.New(out)
	if _, plain := r.(*os.File); plain && runtime.GOOS == "linux" {
		t.Error("the pipe is used as a file")
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return r, w
}

// What is written is read, also more than a pipe holds, and its end.
func TestPipe(t *testing.T) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) { testPipe(t, kind) })
	}
}

func testPipe(t *testing.T, kind string) {
	r, w := pipes(t, kind)
	sent := make([]byte, 3<<20)
	for i := range sent {
		sent[i] = byte(rand.IntN(256))
	}
	wrote := make(chan error)
	go func() {
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+rand.IntN(300<<10))
			if got, err := w.Write(rest[:n]); got != n || err != nil {
				wrote <- errors.Join(err, io.ErrShortWrite)
				return
			}
			rest = rest[n:]
		}
		wrote <- w.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d of %d bytes, %v", len(got), len(sent), err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("nothing to be read: %d, %v", n, err)
	}
}

// A file that may block is used as it is.
func TestBlocking(t *testing.T) {
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	in, out := os.NewFile(uintptr(fds[0]), "in"), os.NewFile(uintptr(fds[1]), "out")
	defer in.Close()
	defer out.Close()
	if got := direct.New(in); got != direct.Pipe(in) {
		t.Errorf("it is %T", got)
	}
}
