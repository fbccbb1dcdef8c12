// Package guard ends the processes of a host that has ended, in whatever way.
//
// The host starts `nvim-acp guard` right after its first agent and tells it each process group over a pipe. The end of that pipe
// is the host's end, also by SIGKILL: the guard then terminates every remaining group, kills the processes that survive, and on
// Linux finds processes that have left their group by a mark in their environment. A guard that is killed is replaced at once;
// a host that leaves without one ends its processes itself; and Neovim starts a guard for a host that was killed.
package guard

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// RunVar is the environment variable that marks every process of one host; the mark of a command's processes has a suffix of
// its own after a slash.
const RunVar = "NVIM_ACP_RUN"

// guardedVar names the mark of the processes that a guard ends.
const guardedVar = "NVIM_ACP_GUARDED"

const (
	// grace is the time between SIGTERM and SIGKILL: all processes must end within 2 s after the host.
	grace = 1200 * time.Millisecond
	// steady is the lifetime after which a guard is replaced at once. After a shorter one the replacement waits, so that a
	// program that cannot run is not started in a loop.
	steady = 100 * time.Millisecond
	// patience is the time in which a guard must confirm that it takes over.
	patience = 300 * time.Millisecond
)

// Guard is the host's side. Safe for concurrent use; its methods write a few bytes to a pipe that is always read.
type Guard struct {
	argv   []string
	run    string
	failed func(error)

	mu     sync.Mutex // guards the fields below
	groups map[int]bool
	begun  bool           // the first guard was started, or will be in a moment
	pipe   io.WriteCloser // nil: no guard runs
	took   *os.File       // gets a byte when the guard takes over, and ends with it
	alone  bool           // no Neovim sees to a host that is killed
	left   bool           // the host is going
}

// New returns a guard that is started after the first process group is registered: on Linux a moment after it, since both want a
// processor then, and the Neovim that a host serves sees to one that is killed before. argv is the command line of `nvim-acp guard`, run
// the value of [RunVar]. An error of that start goes to failed.
func New(argv []string, run string, failed func(error)) *Guard {
	return &Guard{argv: argv, run: run, failed: failed, groups: map[int]bool{}}
}

// most is how many groups a guard finds in its pipe as it starts: as many as the pipe holds in any case.
const most = 2000

// start starts the process, which finds the current groups in its pipe: the host may be killed in the next moment. g.mu is held.
func (g *Guard) start() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}

	in, pipe, err := os.Pipe()
	if err != nil {
		return err
	}

	defer in.Close()
	took, out, err := os.Pipe()
	if err != nil {
		_ = pipe.Close() // nothing was written
		return err
	}

	defer out.Close()

	cmd := &exec.Cmd{Path: exe, Args: g.argv, Stdin: in, Stdout: out, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, RunVar+"=") })
	cmd.Env = append(cmd.Env, guardedVar+"="+g.run)
	told := 0
	for pgid := range g.groups {
		if told++; told <= most {
			_, _ = fmt.Fprintf(pipe, "+%d\n", pgid) // what fails is seen when it starts
		}
	}

	if err := cmd.Start(); err != nil {
		_, _ = pipe.Close(), took.Close() // nobody reads it
		return err
	}

	g.pipe, g.took = pipe, took
	if told > most {
		for pgid := range g.groups {
			g.tell('+', pgid)
		}
	}

	began := time.Now()
	caught.Go(func() { g.keep(cmd, began) }) // ends with the guard, or with the host, which the guard outlives
	return nil
}

// keep replaces a guard that has ended before the host.
func (g *Guard) keep(cmd *exec.Cmd, began time.Time) {
	_ = cmd.Wait() // however it ended
	if time.Since(began) < steady {
		time.Sleep(steady)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left {
		return
	}
	_, _ = g.pipe.Close(), g.took.Close() // nobody is at their other ends
	g.pipe, g.took = nil, nil
	_ = g.start() // without one, the host ends its processes itself
}

// Add registers a process group that must not outlive the host.
func (g *Guard) Add(pgid int) {
	if g == nil {
		return
	}

	g.mu.Lock()
	g.groups[pgid] = true
	g.tell('+', pgid)
	first := !g.begun
	g.begun = true
	now := g.alone || g.left
	g.mu.Unlock()

	switch {
	case first && now:
		g.begin()
	case first:
		caught.After(settle, g.begin)
	}
}

// Alone says that no Neovim sees to a host that is killed: a guard begins at once from now on.
func (g *Guard) Alone() {
	g.mu.Lock()
	g.alone = true
	g.mu.Unlock()
	g.begin()
}

// begin starts the first guard, if there is a process group and none runs yet. If that fails the next group has it tried again.
func (g *Guard) begin() {
	g.mu.Lock()
	var err error
	if len(g.groups) > 0 && g.pipe == nil {
		err = g.start()
		g.begun = err == nil
	}
	g.mu.Unlock()
	if err != nil {
		g.failed(fmt.Errorf("start guard: %w", err))
	}
}

// Remove unregisters a process group that has ended.
func (g *Guard) Remove(pgid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, pgid)
	g.tell('-', pgid)
}

// tell writes to the guard. g.mu is held.
func (g *Guard) tell(sign byte, pgid int) {
	if g.pipe != nil {
		_, _ = fmt.Fprintf(g.pipe, "%c%d\n", sign, pgid) // one that was killed is replaced, and its successor told all
	}
}

// Leave hands the remaining processes to the guard. If no guard answers it ends them itself, which takes as long as they need.
func (g *Guard) Leave() {
	if g == nil {
		return
	}

	g.mu.Lock()
	defer g.mu.Unlock()

	g.left = true
	if !g.begun && len(g.groups) == 0 {
		return // nothing was ever started
	}
	if g.pipe == nil {
		_ = g.start() // it was to begin in a moment, or could not be replaced
	}
	if g.pipe != nil && g.handOver() {
		return
	}

	clear(g.groups, g.run)
}

// handOver reports whether the guard has taken over. g.mu is held.
func (g *Guard) handOver() bool {
	if err := g.pipe.Close(); err != nil {
		return false
	}
	if err := g.took.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return false
	}
	n, _ := g.took.Read(make([]byte, 1)) // its end is the guard's
	return n == 1
}
