package direct

import (
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

type pipe struct {
	file   *os.File
	conn   syscall.RawConn
	reads  transfer
	writes transfer
}

// open returns nil for a file that may block, or that the runtime does not wait for.
func open(f *os.File) Pipe {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}

	flags := 0
	var about unix.Stat_t
	if conn.Control(func(fd uintptr) {
		if flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0); err == nil {
			err = unix.Fstat(int(fd), &about)
		}
	}) != nil || err != nil {
		return nil
	}
	if flags&unix.O_NONBLOCK == 0 || f.SetDeadline(time.Time{}) != nil {
		return nil
	}

	p := &pipe{file: f, conn: conn, reads: transfer{call: unix.SYS_READ}, writes: transfer{call: unix.SYS_WRITE}}
	if about.Mode&unix.S_IFMT == unix.S_IFSOCK { // whose other owners may have it block by now
		p.reads = transfer{call: unix.SYS_RECVFROM, flags: unix.MSG_DONTWAIT}
		p.writes = transfer{call: unix.SYS_SENDTO, flags: unix.MSG_DONTWAIT}
	}

	p.reads.once = p.reads.try // made once: no closure for each call
	p.writes.once = p.writes.try
	return p
}

// transfer is one call that reads or writes.
type transfer struct {
	call  uintptr
	flags uintptr // of a socket
	once  func(fd uintptr) bool
	data  []byte // not empty
	n     int
	err   syscall.Errno
}

// maxCall is how many bytes one call is given: while it copies them, no other goroutine runs on its processor.
const maxCall = 64 << 10

// try makes the call, and reports whether it is over: else there is nothing to read, or no room.
func (t *transfer) try(fd uintptr) bool {
	for {
		size := min(len(t.data), maxCall)
		n, _, err := unix.RawSyscall6(t.call, fd, uintptr(unsafe.Pointer(&t.data[0])), uintptr(size), t.flags, 0, 0)
		if err == unix.EINTR {
			continue
		}
		t.n, t.err = int(n), err
		return err != unix.EAGAIN
	}
}

// over returns what the call has given.
func (t *transfer) over(op string, waited error) (int, error) {
	t.data = nil // it is the caller's
	switch {
	case waited != nil:
		return 0, &os.PathError{Op: op, Path: "pipe", Err: os.ErrClosed}
	case t.err != 0:
		return 0, &os.PathError{Op: op, Path: "pipe", Err: t.err}
	}
	return t.n, nil
}

func (p *pipe) Read(data []byte) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	p.reads.data = data
	n, err := p.reads.over("read", p.conn.Read(p.reads.once))
	if n == 0 && err == nil {
		return 0, io.EOF
	}
	return n, err
}

func (p *pipe) Write(data []byte) (int, error) {
	written := 0
	for written < len(data) {
		p.writes.data = data[written:]
		n, err := p.writes.over("write", p.conn.Write(p.writes.once))
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

func (p *pipe) Close() error { return p.file.Close() }
