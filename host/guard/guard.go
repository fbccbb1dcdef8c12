// Package guard ends the processes of a host that has gone, however it went.
//
// The host starts `nvim-acp guard` before its first agent and tells it each process group over a pipe. The end of that pipe
// is the host's end, also by SIGKILL: the guard then terminates every group that is left, kills what stays, and on Linux
// finds by a mark in their environment the processes that have left their group.
package guard

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// RunVar is the environment variable that marks every process of one host; those of one command have a part of their own
// behind a slash.
const RunVar = "NVIM_ACP_RUN"

// grace is how long processes have between SIGTERM and SIGKILL: all are to be gone 2 s after the host.
const grace = 1200 * time.Millisecond

// Guard is the host's side. Safe for concurrent use; its methods write a few bytes to a pipe that is always read.
type Guard struct {
	mu   sync.Mutex // guards pipe
	pipe io.WriteCloser
}

// Start starts a guard: argv is the command line of `nvim-acp guard`, run the value of [RunVar].
func Start(argv []string, run string) (*Guard, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start guard: %w", err)
	}
	cmd := &exec.Cmd{Path: exe, Args: argv, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	cmd.Env = append(withoutRun(os.Environ()), "NVIM_ACP_GUARDED="+run)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start guard: %w", err)
	}
	go func() { _ = cmd.Wait() }() // ends with the guard, which outlives the host
	return &Guard{pipe: pipe}, nil
}

func withoutRun(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		if len(v) < len(RunVar)+1 || v[:len(RunVar)+1] != RunVar+"=" {
			out = append(out, v)
		}
	}
	return out
}

// Add tells of a process group that must not outlive the host.
func (g *Guard) Add(pgid int) { g.tell("+%d\n", pgid) }

// Remove tells that a process group is gone.
func (g *Guard) Remove(pgid int) { g.tell("-%d\n", pgid) }

func (g *Guard) tell(format string, pgid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = fmt.Fprintf(g.pipe, format, pgid) // a guard that was killed guards nothing; the host ends its processes itself
}

// Main is the guard. It returns when the host is gone and so is everything it had started.
func Main(stdin io.Reader) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	run := os.Getenv("NVIM_ACP_GUARDED")
	groups := map[int]bool{}
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		var sign byte
		var pgid int
		if _, err := fmt.Sscanf(lines.Text(), "%c%d", &sign, &pgid); err != nil || pgid <= 1 {
			continue
		}
		groups[pgid] = sign == '+'
	}
	for pgid, alive := range groups {
		if !alive {
			delete(groups, pgid)
		}
	}
	clear(groups, run)
}

// End ends what has a mark: SIGTERM, then SIGKILL for what is left. It waits for that, and does nothing where processes cannot
// be found by their environment.
func End(mark string) { clear(nil, mark) }

// clear ends the groups and the marked processes: SIGTERM, then SIGKILL for what is left.
func clear(groups map[int]bool, run string) {
	signalAll(groups, marked(run), syscall.SIGTERM)
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if !anyAlive(groups) && len(marked(run)) == 0 { // the second costs a look at every process
			return
		}
	}
	signalAll(groups, marked(run), syscall.SIGKILL)
}

func signalAll(groups map[int]bool, pids []int, sig syscall.Signal) {
	for pgid := range groups {
		_ = syscall.Kill(-pgid, sig)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig)
	}
}

func anyAlive(groups map[int]bool) bool {
	for pgid := range groups {
		if syscall.Kill(-pgid, 0) == nil {
			return true
		}
	}
	return false
}
