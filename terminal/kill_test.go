package terminal

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestKillEndsTheGroup(t *testing.T) {
	term := start(t, sh(t, `trap "" TERM HUP; sh -c 'trap "" TERM HUP; echo child $$; while :; do sleep 1; done' & echo parent; wait; wait`))
	printed(t, term, "parent")
	printed(t, term, "child")
	child, _ := strconv.Atoi(strings.Fields(output(term)[strings.Index(output(term), "child"):])[1])
	term.Kill()
	if got := wait(t, term); got.Signal != "SIGKILL" {
		t.Errorf("exit: got %v", got)
	}
	eventually(t, "end of the child", func() bool { return dead(child) })
	if !strings.Contains(output(term), "parent") {
		t.Errorf("output after kill: %q", output(term))
	}
}

// dead reports whether a process is gone, or a zombie that nobody has collected yet.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Contains(string(stat), ") Z ")
}

func TestKillAsksFirst(t *testing.T) {
	term, err := Start(sh(t, `trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.05; done`), Options{Grace: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	printed(t, term, "ready")
	term.Kill()
	if got := wait(t, term); got.String() != "7" {
		t.Errorf("exit: got %v", got)
	}
	printed(t, term, "bye")
	term.Kill() // of what has ended: nothing
	term.Release()
	done(t, term)
}

func TestKillOfAStoppedCommand(t *testing.T) {
	term := start(t, sh(t, "kill -STOP $$; echo awake"))
	eventually(t, "stop", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", term.process.pgid()))
		return strings.Contains(string(stat), ") T ") || runtime.GOOS != "linux"
	})
	term.Kill()
	if got := wait(t, term); got.Signal == "" {
		t.Errorf("exit: got %v", got)
	}
}

// Behaviour 87.
func TestWaitDoesNotWaitForChildren(t *testing.T) {
	term := start(t, sh(t, "sleep 1000 & echo begun"))
	if got := wait(t, term); got.String() != "0" || output(term) != "begun\n" {
		t.Errorf("got %v, %q", got, output(term))
	}
}

// Behaviour 137, and what setsid takes out of the group holds nobody up.
func TestReleaseLetsGo(t *testing.T) {
	term := start(t, sh(t, "setsid sleep 3 & echo begun; sleep 1000"))
	printed(t, term, "begun")
	term.Release()
	term.Release()
	if got := wait(t, term); got.Signal == "" {
		t.Errorf("exit: got %v", got)
	}
	done(t, term)
	if output(term) != "begun\n" {
		t.Errorf("output after release: %q", output(term))
	}
	if _, err := term.Write([]byte("x")); !errors.Is(err, ErrNoInput) {
		t.Errorf("write after release: %v", err)
	}
	if err := term.Resize(10, 10); err != nil {
		t.Errorf("resize after release: %v", err)
	}
}

func TestGroupIsReported(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	note := func(what string) func(int) {
		return func(pgid int) {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, fmt.Sprint(what, " ", pgid))
		}
	}
	term, err := Start(sh(t, "true"), Options{Started: note("started"), Ended: note("ended")})
	if err != nil {
		t.Fatal(err)
	}
	done(t, term)
	pgid := term.process.pgid()
	if want := []string{fmt.Sprint("started ", pgid), fmt.Sprint("ended ", pgid)}; !slices.Equal(calls, want) {
		t.Errorf("got %q, want %q", calls, want)
	}
}
