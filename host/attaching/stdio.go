package attaching

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/internal/direct"
)

// Stdio is the connection to the Neovim that has started the host.
type Stdio struct{ In, Out direct.Pipe }

// TakeStdio moves that connection to descriptors of its own, and leaves /dev/null in its place: what else reads or writes there
// does no harm, and nothing that is opened gets the numbers.
//
// A pipe is read without blocking. A read that blocks has the monitor of the Go runtime look every 20 µs whether it is over,
// which took half of all processor time while an answer came slowly.
func TakeStdio() (*Stdio, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	var files [2]*os.File
	for fd := range files {
		if files[fd], err = take(fd, int(null.Fd())); err != nil {
			return nil, err
		}
	}
	return &Stdio{In: direct.New(files[0]), Out: direct.New(files[1])}, nil
}

// take moves what a descriptor refers to, and leaves what another does in its place.
func take(fd, instead int) (*os.File, error) {
	taken, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}

	var about unix.Stat_t
	err = errors.Join(unix.Fstat(taken, &about), unix.Dup2(instead, fd))
	if kind := about.Mode & unix.S_IFMT; err == nil && (kind == unix.S_IFIFO || kind == unix.S_IFSOCK) { // a terminal is also others'
		err = unix.SetNonblock(taken, true)
	}
	if err != nil {
		return nil, errors.Join(err, unix.Close(taken))
	}

	return os.NewFile(uintptr(taken), "stdio"), nil
}

// Close ends the connection. Stderr stays: a host that lives on has diverted it.
func (s *Stdio) Close() error { return errors.Join(s.In.Close(), s.Out.Close()) }

// divert has all that the process writes to its stderr go to a file, nil: nowhere. What a crash says is written there.
func divert(file *os.File) {
	if file == nil {
		var err error
		if file, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return // it stays where it was
		}
		defer file.Close()
	}
	_ = unix.Dup2(int(file.Fd()), 2) // it fails for no open file
}
