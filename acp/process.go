package acp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/direct"
)

// Command describes how to start an agent.
type Command struct {
	Path string   // looked up in our PATH if it has no slash
	Args []string // without the program's name
	Env  []string // complete, later values win; nil: our own
	Dir  string   // empty: our own

	NewSession bool // it leads a session too, without a controlling terminal
}

// StartOptions configure a process. The zero value is useful.
type StartOptions struct {
	Options

	Started func(pgid int) // called before anything is written to the agent
	Ended   func(pgid int) // called once the agent's process group is gone

	CloseGrace time.Duration // from closing stdin to TERM; 0: 2 s
	TermGrace  time.Duration // from TERM to KILL; 0: 1.5 s
}

// Agent is a running agent and the connection to it. When either ends, the other does, and no process of the agent's group
// is left behind. Two goroutines read its stderr and wait for it; a third ends it when the connection is lost.
type Agent struct {
	*Conn
	opts   StartOptions
	cmd    *exec.Cmd
	pgid   int
	stderr *stderr
	exited chan struct{} // closed when status is set
	gone   chan struct{} // closed when the process group is gone
	status string

	mu   sync.Mutex // guards over
	over bool       // the group is gone, its number may be another's
}

// ExitError has the exit status of an agent and its last stderr.
type ExitError struct {
	Status string // "exit status 1", "signal: killed"; empty if the agent closed its output and runs on
	Stderr string // may be empty
}

func (e *ExitError) Error() string { return "agent " + e.Reason() }

// Reason is the error without the word agent, to go after a name: "crashed (exit 3): no config".
func (e *ExitError) Reason() string {
	s := "crashed (" + strings.Replace(e.Status, "exit status", "exit", 1) + ")"
	switch e.Status {
	case "":
		s = "closed its output"
	case "exit status 0":
		s = "exited"
	}

	switch {
	case e.Stderr == "":
	case strings.HasPrefix(e.Status, "signal: "), slices.Contains(signalExits, e.Status):
		s += "\n" + e.Stderr // it may not be the reason
	default:
		s += ": " + e.Stderr
	}

	return s
}

// signalExits are the statuses of shells, and of other programs that start an agent, where SIGHUP, SIGINT, SIGKILL or SIGTERM has ended it.
var signalExits = []string{"exit status 129", "exit status 130", "exit status 137", "exit status 143"}

// Start starts an agent in a process group of its own and connects to it.
func Start(cmd Command, client Client, opts StartOptions) (*Agent, error) {
	if opts.Log == nil {
		opts.Log = NewLog(0)
	}
	if opts.CloseGrace == 0 {
		opts.CloseGrace = 2 * time.Second
	}
	if opts.TermGrace == 0 {
		opts.TermGrace = 1500 * time.Millisecond
	}

	a := &Agent{
		opts:   opts,
		cmd:    exec.Command(cmd.Path, cmd.Args...),
		exited: make(chan struct{}),
		gone:   make(chan struct{}),
	}
	a.cmd.Env, a.cmd.Dir = cmd.Env, cmd.Dir
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !cmd.NewSession, Setsid: cmd.NewSession}
	if cmd.Dir != "" { // exec blames the program
		if _, err := os.Stat(cmd.Dir); err != nil {
			return nil, err
		}
	}

	p, err := startPiped(a.cmd)
	if err != nil {
		return nil, err
	}

	a.pgid = a.cmd.Process.Pid
	if opts.Started != nil {
		opts.Started(a.pgid)
	}

	a.stderr = newStderr(p.stderr, opts.Log)
	conn := opts.Options
	conn.ended = a.ended
	a.Conn = NewConn(direct.New(p.stdout), p.stdin, client, conn)
	caught.Go(a.stderr.read)               // until every writer of stderr is gone, or wait closes it
	caught.Go(func() { a.wait(p.stdout) }) // until the process has exited, which end sees to
	caught.Go(a.end)                       // until the connection ends
	return a, nil
}

// pipes are our ends.
type pipes struct{ stdin, stdout, stderr *os.File }

// startPiped starts cmd on three pipes. They are made here and not by exec, whose Wait would close them under a reader.
func startPiped(cmd *exec.Cmd) (p pipes, err error) {
	var files []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w
	}

	childIn, stdin := pipe()
	stdout, childOut := pipe()
	stderr, childErr := pipe()
	widen(stdin)
	widen(stdout)
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, childErr
		err = cmd.Start()
	}
	if err != nil {
		for _, f := range files {
			_ = f.Close() // nothing was written
		}
		return pipes{}, err
	}
	for _, f := range []*os.File{childIn, childOut, childErr} {
		_ = f.Close() // the child has its own
	}

	return pipes{stdin, stdout, stderr}, nil
}

// Pgid returns the agent's process group.
func (a *Agent) Pgid() int { return a.pgid }

// Stderr returns the last 64 KiB of the agent's stderr, with secrets masked.
func (a *Agent) Stderr() string { return a.stderr.text() }

// Exited is closed when the process has exited and was reaped.
func (a *Agent) Exited() <-chan struct{} { return a.exited }

// ExitStatus returns how the process ended, "exit status 1" or "signal: killed"; empty while it runs.
func (a *Agent) ExitStatus() string {
	select {
	case <-a.exited:
		return a.status
	default:
		return ""
	}
}

// Stop ends the agent: it writes the queue and closes stdin; after CloseGrace the group gets SIGTERM, after TermGrace SIGKILL.
// It returns once the process is reaped and its group gone. The end of ctx sends SIGKILL at once.
func (a *Agent) Stop(ctx context.Context) {
	a.out.finish()
	if !a.await(ctx, a.opts.CloseGrace) {
		a.signal(syscall.SIGTERM)
		if !a.await(ctx, a.opts.TermGrace) {
			a.signal(syscall.SIGKILL)
		}
	}

	<-a.exited
	select {
	case <-a.gone:
	case <-ctx.Done():
		a.signal(syscall.SIGKILL)
		<-a.gone
	}
}

// Close ends the connection at once and then the process, as [Agent.Stop] does. Like that, it must not be called from the
// read goroutine.
func (a *Agent) Close() error {
	err := a.Conn.Close()
	<-a.gone
	return err
}

// await waits for the exit, and reports false if it took longer than d or ctx ended.
func (a *Agent) await(ctx context.Context, d time.Duration) bool {
	select {
	case <-a.exited:
		return true
	case <-ctx.Done():
	case <-time.After(d):
	}
	return false
}

// signal sends to the whole group, as long as its number is certain.
func (a *Agent) signal(sig syscall.Signal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over {
		_ = syscall.Kill(-a.pgid, sig) // ESRCH: it is gone
	}
}

// end stops the process when the connection is lost.
func (a *Agent) end() {
	<-a.Done()
	a.Stop(context.Background())
}

// wait reaps the process, reads the rest of its pipes, and ends the rest of its group.
func (a *Agent) wait(stdout io.Closer) {
	_ = a.cmd.Wait() // the state says it all
	a.status = a.cmd.ProcessState.String()
	close(a.exited)
	a.signal(syscall.SIGTERM)
	select { // a grandchild may hold the pipes open
	case <-a.Done():
	case <-time.After(drainTime):
		_ = stdout.Close() // ends the reader
		<-a.Done()
	}

	a.clear()
	a.stderr.close()
	if a.opts.Ended != nil {
		a.opts.Ended(a.pgid)
	}

	close(a.gone)
}

// clear waits until the group is gone, with a KILL after TermGrace. A process that was killed and is not reaped, which
// can happen where process 1 does not reap, counts as gone after a while.
func (a *Agent) clear() {
	kill := time.After(a.opts.TermGrace)
	var unreaped <-chan time.Time
	for syscall.Kill(-a.pgid, 0) == nil {
		select {
		case <-kill:
			a.signal(syscall.SIGKILL)
			unreaped = time.After(drainTime)
		case <-unreaped:
			a.forget()
			return
		case <-time.After(5 * time.Millisecond):
		}
	}

	a.forget()
}

func (a *Agent) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// ended returns why the connection ended, from the exit of the process if it is known soon: pipes close a little before.
func (a *Agent) ended(err error) error {
	lost := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE)
	if !lost {
		return err
	}

	e := new(ExitError)
	select {
	case <-a.exited:
		e.Status = a.status
	case <-time.After(exitTime):
	}

	a.stderr.settle()
	e.Stderr = a.stderr.block()
	return e
}
