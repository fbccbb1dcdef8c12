package tests

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

func (s *story) sigkill(_ *testscript.TestScript, args []string) error {
	pids, err := s.find(args[0])
	if err != nil {
		return err
	}
	if len(pids) == 0 {
		return fmt.Errorf("no process: %s", args[0])
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) { // it may end with another
			return err
		}
	}
	return poll(patience, func() (bool, error) { // one that dies could be taken for its successor, or for alive
		return !slices.ContainsFunc(pids, isAlive), nil
	})
}

// isAlive reports whether a process has not ended. One that has stays until its parent has asked how.
func isAlive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && !bytes.HasPrefix(state, []byte("Z")) && !bytes.HasPrefix(state, []byte("X"))
}

func (s *story) runs(_ *testscript.TestScript, args []string) error {
	return poll(patience, func() (bool, error) {
		pids, err := s.find(args[0])
		return len(pids) > 0, err
	})
}

func (s *story) processes(ts *testscript.TestScript, _ []string) error {
	pids, err := s.all()
	fmt.Fprintln(ts.Stdout(), len(pids))
	return err
}

func (s *story) gone(_ *testscript.TestScript, but []string) error {
	var pids []int
	err := poll(patience, func() (_ bool, err error) {
		if pids, err = s.all(); err != nil {
			return false, err
		}
		for _, pid := range s.neovims { // one that ends has no environment any more, and may still be taken for alive
			if isAlive(pid) && !slices.Contains(pids, pid) {
				pids = append(pids, pid)
			}
		}
		for _, role := range but {
			kept, err := s.find(role)
			if err != nil {
				return false, err
			}
			pids = slices.DeleteFunc(pids, func(pid int) bool { return slices.Contains(kept, pid) })
		}
		return len(pids) == 0, nil
	})
	if err != nil {
		var names []string
		for _, pid := range pids {
			line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline") // it may end now
			names = append(names, fmt.Sprintf("%d %s", pid, strings.ReplaceAll(string(line), "\x00", " ")))
		}
		return fmt.Errorf("still there: %q: %w", names, err)
	}
	return nil
}

// killDetached ends what a story has left behind on purpose, or by failing.
func (s *story) killDetached() {
	pids, _ := s.find("host") // without /proc there are none to be found
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
