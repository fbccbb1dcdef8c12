package tests

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func (s *story) sees(_ *testscript.TestScript, args []string) error {
	text, err := regexp.Compile(args[0])
	if err != nil {
		return err
	}
	return s.editor.poll(func() (bool, error) { return text.MatchString(s.editor.screen.text()), nil })
}

func (s *story) to(_ *testscript.TestScript, args []string) error {
	n, err := strconv.Atoi(args[0])
	if err == nil {
		s.editor = s.editors[n-1]
	}
	return err
}

// sigstop stops the process whose number a file has, and waits until each of its threads is stopped: on a busy machine the others go on
// until the one that has the signal gets a processor.
func (s *story) sigstop(ts *testscript.TestScript, args []string) error {
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	return poll(patience, func() (bool, error) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // without /proc there is nothing to wait for
		for _, path := range threads {
			text, _ := os.ReadFile(path) // of one that has just ended
			_, rest, ok := bytes.Cut(text, []byte(") "))
			if ok && rest[0] != 'T' {
				return false, nil
			}
		}
		return true, err
	})
}

// faults fails a story in which something of ours broke that it did not look for: Neovim goes on, and has a traceback among its messages.
func (s *story) faults(e *editor) {
	said := make(chan string, 1)
	go func() { // ends when Neovim answers or is closed
		if m, err := e.Mode(); err != nil || m.Blocking {
			said <- ""
			return
		}
		text, _ := e.run(`vim.fn.execute("messages")`)
		said <- text
	}()
	select {
	case text := <-said:
		if s.t != nil && strings.Contains(text, "stack traceback") {
			s.t.Errorf("a fault among the messages: %s", text)
		}
	case <-time.After(time.Second): // it is stopped, or waits for a key
	}
}

// settle waits until all is known that turns which are over have changed: the line at the end of a turn says so, and what the story writes
// next is not the turn's. It does not wait long, since in some stories that is not to be known, or Neovim waits for a key.
func (s *story) settle() {
	_ = poll(2*time.Second, func() (bool, error) {
		mode, err := s.editor.Mode()
		if err != nil || mode.Blocking {
			return true, err
		}
		known, err := s.editor.lua(`not settled or settled()`)
		return known == "true", err
	})
}
