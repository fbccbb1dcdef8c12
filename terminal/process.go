package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

const (
	defaultGrace = 1500 * time.Millisecond
	// ladderStep is how often a killed group is looked for.
	ladderStep = 10 * time.Millisecond
	// After a command has exited, its output is complete once the pty has been quiet for drainStep. While another process
	// keeps writing, drainMost bounds the wait. Usually the pty ends with the command, and there is no wait.
	drainStep = 500 * time.Millisecond
	drainMost = 2 * time.Second
)

// process is a command on its pty.
type process struct {
	cmd   *exec.Cmd
	io    *os.File // the pty, for reading and writing with deadlines
	ctl   *os.File // the pty, for control calls
	input *outbox
	read  chan struct{} // closed when the read goroutine has ended
	gone  chan struct{} // closed when all goroutines have

	mu      sync.Mutex    // guards all below
	reads   int           // how often something was read
	ladder  chan struct{} // closed when the ladder has ended; nil if there is none
	release bool          // let go of the pty at the ladder's end
	over    bool          // nothing of the command is left on the pty, and no ladder may start
}

// Start runs a command in a session and process group of its own. A missing working directory or program is an error
// (behaviour 237).
func Start(spec Spec, opts Options) (*Terminal, error) {
	p, err := spec.start()
	if err != nil {
		return nil, fmt.Errorf("start command: %w", err)
	}
	t := newTerminal(spec, opts, p)
	if opts.Started != nil {
		opts.Started(p.pgid())
	}
	caught.Go(func() { p.readFrom(t.feed) })         // ends with the pty, or at the latest after Release
	caught.Go(func() { p.input.writeTo(p.io) })      // ends when the input is closed, below
	caught.Go(func() { p.supervise(t, opts.Ended) }) // ends after both, and after the command
	return t, nil
}

func (s Spec) start() (*process, error) {
	cmd, err := s.command()
	if err != nil {
		return nil, err
	}

	cols, rows := s.size()
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: cols, Rows: rows})
	if err != nil {
		return nil, err
	}

	defer file.Close()
	p := &process{
		cmd: cmd, input: newOutbox(),
		read: make(chan struct{}), gone: make(chan struct{}),
	}
	if p.io, p.ctl, err = twice(file); err != nil {
		_ = p.signal(syscall.SIGKILL) // it has just begun
		_ = cmd.Wait()                // and was killed
		return nil, err
	}

	return p, nil
}

// twice opens two more files on a pty: one for reading and writing with deadlines, one for control calls, which make
// their file blocking.
func twice(file *os.File) (io, ctl *os.File, err error) {
	fd := int(file.Fd())
	if ctl, err = duplicate(fd, file.Name()); err != nil {
		return nil, nil, err
	}
	if err = syscall.SetNonblock(fd, true); err == nil {
		io, err = duplicate(fd, file.Name())
	}
	if err != nil {
		ctl.Close()
	}
	return io, ctl, err
}

// duplicate returns a file on a copy of fd that children do not inherit.
func duplicate(fd int, name string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(fd)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), name), nil
}

// pgid returns the process group, which the command leads.
func (p *process) pgid() int { return p.cmd.Process.Pid }

// readFrom passes on output until the read deadline is set, or until the pty ends: with EIO, when no process has its
// other side open.
//
// Linux can return EIO too early, when the last write and the end both come during a read. The next read returns what
// was written, so only the second EIO in a row counts.
func (p *process) readFrom(feed func([]byte)) {
	defer close(p.read)
	buf := make([]byte, 64<<10)
	for failed := false; ; {
		n, err := p.io.Read(buf)
		if n > 0 {
			feed(buf[:n])
			p.mu.Lock()
			p.reads++
			p.mu.Unlock()
		}
		if err != nil && (failed || !errors.Is(err, syscall.EIO)) {
			return
		}
		failed = err != nil
	}
}

// supervise waits for the end of the command, then for the end of what it left on the pty, and cleans up.
func (p *process) supervise(t *Terminal, ended func(int)) {
	_ = p.cmd.Wait() // its error is in the state too
	p.drain()
	t.end(exitStatus(p.cmd.ProcessState))
	<-p.read
	t.finish()
	p.input.close()
	_ = p.io.SetWriteDeadline(time.Now()) // if that is not supported, closing the pty ends a write
	<-p.input.ended
	p.close()
	if ended != nil {
		ended(p.pgid())
	}

	close(p.gone)
}

// close waits for the ladder and closes the pty.
func (p *process) close() {
	p.mu.Lock()
	p.over = true
	ladder := p.ladder
	p.mu.Unlock()
	if ladder != nil {
		<-ladder
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.io.Close()
	p.ctl.Close()
}

// drain waits until pending output has been read. The pty may never end: a child can keep it open (behaviour 87).
func (p *process) drain() {
	deadline := time.Now().Add(drainMost)
	for before := -1; time.Now().Before(deadline); {
		p.mu.Lock()
		reads := p.reads
		p.mu.Unlock()
		if reads == before {
			return
		}
		before = reads
		select {
		case <-p.read:
			return
		case <-time.After(drainStep):
		}
	}
}

// kill starts the ladder; if one is running, it only changes what happens at its end. Once the command and its pty have
// ended it does nothing: the id of the group may be reused.
func (p *process) kill(grace time.Duration, release bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release = p.release || release
	if p.over || p.ladder != nil {
		return
	}
	if grace == 0 {
		grace = defaultGrace
	}
	p.ladder = make(chan struct{})
	ladder := p.ladder
	caught.Go(func() { p.climb(grace, ladder) }) // ends after the grace, or before, with the group
}

// climb terminates the group, and after the grace period kills what is left of it: children may ignore SIGTERM even if
// the command has exited.
func (p *process) climb(grace time.Duration, ended chan struct{}) {
	defer close(ended)
	_ = p.signal(syscall.SIGTERM) // no group: nothing to stop
	_ = p.signal(syscall.SIGCONT) // a stopped process handles SIGTERM only once it continues
	for deadline := time.Now().Add(grace); p.signal(0) == nil; <-time.After(ladderStep) {
		if time.Now().After(deadline) {
			_ = p.signal(syscall.SIGKILL)
			break
		}
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if !p.over {
		p.ladder = nil
	}
	if p.release {
		_ = p.io.SetReadDeadline(time.Now()) // if that is not supported, the read goroutine stays as long as the pty
	}
}

// signal signals the process group. It returns an error if there is none.
func (p *process) signal(s syscall.Signal) error { return syscall.Kill(-p.pgid(), s) }

func (p *process) resize(cols, rows uint16) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := pty.Setsize(p.ctl, &pty.Winsize{Cols: cols, Rows: rows})
	if errors.Is(err, syscall.EBADF) || errors.Is(err, os.ErrClosed) {
		return nil // the command has ended
	}
	return err
}

// exitStatus returns how a process ended. Without a state, which should not happen, the code is -1.
func exitStatus(state *os.ProcessState) ExitStatus {
	if state != nil {
		if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return ExitStatus{Signal: signalName(status.Signal())}
		}
	}
	code := state.ExitCode()
	return ExitStatus{Code: &code}
}

// signalName returns the name of a signal, or its number where the system has no name for it.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(s))
}
