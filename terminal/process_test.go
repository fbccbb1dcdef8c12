package terminal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A kill ends a grandchild that ignores SIGTERM (behaviour 86).
func TestKillEndsTheGroup(t *testing.T) {
	term := start(t, sh(t, `trap "" TERM HUP; sh -c 'trap "" TERM HUP; echo child $$; while :; do sleep 1; done' & echo parent; wait; wait`))
	printed(t, term, "parent")
	eventually(t, "child", func() bool { return strings.Count(output(term), "\n") == 2 })
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

// A kill ends a child that ignores SIGTERM after its parent has obeyed.
func TestKillEndsTheGroupAfterItsLeader(t *testing.T) {
	term := start(t, sh(t, `sh -c 'trap "" TERM HUP; echo child $$; while :; do sleep 1; done' & wait`))
	printed(t, term, "child")
	eventually(t, "number", func() bool { return strings.HasSuffix(output(term), "\n") })
	child, _ := strconv.Atoi(strings.Fields(output(term))[1])
	term.Kill()
	if got := wait(t, term); got.Signal != "SIGTERM" {
		t.Errorf("exit: got %v", got)
	}
	eventually(t, "end of the child", func() bool { return dead(child) })
	done(t, term)
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
	term, err := Start(sh(t, `trap "exit 7" TERM; kill -STOP $$; echo awake`), Options{Grace: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "stop", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", term.process.pgid()))
		return strings.Contains(string(stat), ") T ") || runtime.GOOS != "linux"
	})
	term.Kill()
	if got := wait(t, term); got.String() != "7" {
		t.Errorf("exit: got %v", got)
	}
	term.Release()
	done(t, term)
}

// Wait returns when the command exits, though a child holds the pty (behaviour 87).
func TestWaitDoesNotWaitForChildren(t *testing.T) {
	term := start(t, sh(t, "sleep 1000 & echo begun"))
	if got := wait(t, term); got.String() != "0" || output(term) != "begun\n" {
		t.Errorf("got %v, %q", got, output(term))
	}
}

// A release ends a running command, and a process that has left its group delays nobody (behaviour 137).
func TestReleaseLetsGo(t *testing.T) {
	term := start(t, sh(t, "setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000"))
	eventually(t, "number", func() bool { return strings.HasSuffix(output(term), "\n") })
	child, err := strconv.Atoi(strings.TrimSpace(output(term)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
	term.Release()
	term.Release()
	select {
	case <-term.Done():
	case <-time.After(3 * time.Second): // 0.7 s on an idle machine
		t.Fatal("not let go while a child in another session holds the pty")
	}
	if dead(child) {
		t.Fatal("the child has not held the pty")
	}
	if got := wait(t, term); got.Signal == "" {
		t.Errorf("exit: got %v", got)
	}
	if output(term) != fmt.Sprintln(child) {
		t.Errorf("output after release: %q", output(term))
	}
	if _, err := term.Write([]byte("x")); !errors.Is(err, ErrNoInput) {
		t.Errorf("write after release: %v", err)
	}
	if err := term.Resize(10, 10); err != nil {
		t.Errorf("resize after release: %v", err)
	}
}

// Kill and Release wait for nothing: a command may take all of its grace.
func TestReleaseReturnsAtOnce(t *testing.T) {
	term, err := Start(sh(t, `trap "" TERM; echo ready; read x`), Options{Grace: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer done(t, term)
	defer func() { _ = term.process.signal(syscall.SIGKILL) }()
	printed(t, term, "ready")
	returned := make(chan struct{})
	go func() { // ends with the command at the latest
		term.Kill()
		term.Release()
		close(returned)
	}()
	select {
	case <-returned:
	case <-time.After(2 * time.Second):
		t.Error("they wait")
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

// A command that closes its terminal runs on until its own exit (behaviour 87).
func TestCommandThatClosesItsTerminal(t *testing.T) {
	dir := t.TempDir()
	spec := sh(t, "echo begun; exec <&- >&- 2>&-; while ! test -e end; do sleep 0.02; done; exit 5")
	spec.Dir = dir
	term := start(t, spec)
	printed(t, term, "begun")
	if _, _, exit := term.Output(); exit != nil {
		t.Errorf("exit: got %v", exit)
	}
	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, term); got.String() != "5" {
		t.Errorf("exit: got %v", got)
	}
}

// No goroutine, file or process is left of many terminals.
func TestNothingLeaks(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), openFiles()
	for i := range 500 {
		line := "true"
		if i%10 == 0 {
			line = "sleep 1000"
		}
		term, err := Start(sh(t, line), Options{Grace: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		term.Release()
		done(t, term)
	}
	eventually(t, "end of the goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
	if now := openFiles(); now > files {
		t.Errorf("%d files open, before %d", now, files)
	}
}

// openFiles counts the files that the process has open, 0 where that is not to be seen.
func openFiles() int {
	names, _ := os.ReadDir("/dev/fd")
	return len(names)
}

// A start without a free pty is an error, and leaves nothing behind.
func TestStartWithoutDescriptors(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	spec, before := sh(t, "true"), openFiles()
	for spare := range 8 {
		few := syscall.Rlimit{Cur: uint64(before + spare), Max: was.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		term, err := Start(spec, Options{})
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Fatal(err)
		}
		switch {
		case err == nil:
			done(t, term)
		case spare == 7:
			t.Error(err)
		}
		if err == nil && spare == 0 {
			t.Error("a pty without descriptors")
		}
		if got := openFiles(); got > before {
			t.Errorf("%d spare: %d files open, before %d", spare, got, before)
		}
	}
}
