package tests

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

// prompt sends a prompt and waits until the agent has it.
func (s *story) prompt(t testing.TB) {
	t.Helper()
	if _, err := s.editor.lua(`require("nvim-acp").prompt("run it")`); err != nil {
		t.Fatal(err)
	}
	s.until1(t, `require("nvim-acp").terminals()[1]`)
}

// openTerminal opens a window on the first command.
func (s *story) openTerminal(t testing.TB) {
	t.Helper()
	if _, err := s.editor.lua(`require("nvim-acp.terminal").open(require("nvim-acp").terminals()[1].id)`); err != nil {
		t.Fatal(err)
	}
	s.until1(t, `vim.bo.buftype == "terminal"`)
}

// shows waits until the current buffer has a line, for up to two minutes.
func (s *story) shows(t testing.TB, line string) {
	t.Helper()
	err := poll(2*time.Minute, func() (bool, error) {
		return s.editor.holds(fmt.Sprintf("vim.tbl_contains(vim.api.nvim_buf_get_lines(0, -60, -1, false), %q)", line)) == nil, nil
	})
	if err != nil {
		t.Fatalf("never shown: %s: %v", line, err)
	}
}

// TestTerminalFlood runs a command that prints 200 MB, with a window on it: all of it is read, and the host's memory
// does not grow with the output (behaviour 93). Neovim's response times are logged here and measured by the benchmarks.
func TestTerminalFlood(t *testing.T) {
	t.Parallel()
	flood := fmt.Sprintf("until [ -e go ]; do sleep 0.01; done; yes a line like any other | head -c %d; echo; echo end", floodSize)
	s := commanded(t, runner(flood, 1))
	s.prompt(t)
	s.openTerminal(t)
	before, _ := proc.Memory(s.host(t))
	stop := s.editor.bystander()
	if _, err := s.editor.lua(`vim.fn.writefile({}, "go")`); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "end")
	s.until1(t, "idle")
	waited := stop()
	_, most := proc.Memory(s.host(t))
	t.Logf("%d answers, p99 %v, longest %v, %d MiB more", len(waited), waited.at(0.99), waited.at(1), (most-before)>>20)
	if most-before > floodMemory {
		t.Errorf("the host grew by %d MiB, want %d at most", (most-before)>>20, floodMemory>>20)
	}
}

// TestTerminalLeaks runs 500 commands: afterwards there are no more processes and descriptors than before.
func TestTerminalLeaks(t *testing.T) {
	t.Parallel()
	s := commanded(t, runner("echo one", 500))
	count := func() (processes, descriptors int) {
		pids, err := s.all()
		if err != nil {
			t.Fatal(err)
		}
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.host(t)))
		if err != nil {
			t.Fatal(err)
		}
		return len(pids), len(fds)
	}
	processes, descriptors := count()
	s.prompt(t)
	for n := 50; n <= 500; n += 50 { // on a busy machine all take longer than one wait
		s.until1(t, fmt.Sprintf(`#require("nvim-acp").terminals() >= %d`, n))
	}
	s.until1(t, "idle")
	err := s.editor.poll(func() (bool, error) {
		p, d := count()
		// Goroutines blocked in system calls and the guard, which starts with the first command, have some descriptors.
		return p <= processes+1 && d <= descriptors+4, nil
	})
	if err != nil {
		p, d := count()
		t.Errorf("got %d processes and %d descriptors after, %d and %d before", p, d, processes, descriptors)
	}
}
