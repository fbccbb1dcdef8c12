package guard

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main runs the guard. It returns once the host and all processes that it started have ended.
func Main(stdin io.Reader, stdout io.Writer) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	groups := map[int]bool{}
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		var sign byte
		var pgid int
		if _, err := fmt.Sscanf(lines.Text(), "%c%d", &sign, &pgid); err != nil || pgid <= 1 {
			continue
		}
		if sign == '+' {
			groups[pgid] = true
		} else {
			delete(groups, pgid)
		}
	}

	_, _ = stdout.Write([]byte{'.'}) // a host that was killed does not hear it
	clear(groups, os.Getenv(guardedVar))
}

// End ends the processes with a mark: SIGTERM, then SIGKILL. It waits for their end, and does nothing where processes cannot be
// found by their environment.
func End(mark string) { clear(nil, mark) }

// EndLeft ends the processes with the mark of a host that was killed, unless a guard does so, and returns how many there
// were, and whether none is left and no guard runs. It waits for their end, and finds none where processes cannot be found by
// their environment.
func EndLeft(mark string) (ended int, over bool) {
	if guarded(mark) {
		return 0, false
	}

	ended = len(marked(mark))
	if ended == 0 {
		return 0, true
	}

	End(mark)
	// Those that were killed end a moment later.
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if len(marked(mark)) == 0 {
			return ended, true
		}
	}

	return ended, false
}

// clear ends the groups and the marked processes: SIGTERM, then SIGKILL for the survivors.
func clear(groups map[int]bool, run string) {
	signalAll(groups, marked(run), syscall.SIGTERM)
	for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if !anyAlive(groups) && len(marked(run)) == 0 { // the second reads every process
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
