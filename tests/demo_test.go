package tests

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// `make demo` without a terminal, as a newcomer runs it first: a script that waits for the agent, with nobody at a screen
// (behaviour 299).
func TestDemo(t *testing.T) {
	t.Parallel()
	demo := demoScript(t)
	out, err := demo.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Everything went as it should.") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// What was detached in the demo ends with it: nothing is written into its folder after that, which stays removed (behaviour 1112).
func TestDemoDetached(t *testing.T) {
	t.Parallel()
	demo, temp := demoScript(t), runDir(t)
	demo.Env = append(demo.Env, "TERM=xterm-256color", "TMPDIR="+temp)
	tty, err := pty.StartWithSize(demo, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	go func() { _, _ = io.Copy(io.Discard, tty) }() // until it is closed

	var records []string
	write := func(keys string) {
		if _, err := tty.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	write("\x1b:lua require('nvim-acp').prompt('/slow 100')\r:AcpDetach\r")
	err = poll(patience, func() (bool, error) {
		records, _ = filepath.Glob(filepath.Join(temp, "*/state/nvim/nvim-acp/hosts/[0-9]*"))
		return len(records) > 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	write("\x1b:qa!\r")
	if err := demo.Wait(); err != nil {
		t.Error(err)
	}
	for _, record := range records {
		pid, _, _ := strings.Cut(filepath.Base(record), "-")
		if line, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && len(line) > 0 { // else nobody has waited for it yet
			t.Errorf("host %s still runs: %q", pid, line)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*/shop")); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no scene", left, err)
	}
}

// demoScript is the command of the demo, on a copy of the plugin without a program of its own: that may be an old one.
func demoScript(t *testing.T) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"scripts", "lua", "plugin"} {
		if err := os.Symlink(filepath.Join(plugin(t), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	nvim, err := exec.LookPath(nvimPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(nvim, filepath.Join(dir, "nvim")); err != nil {
		t.Fatal(err)
	}
	demo := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "scripts", "demo"))
	demo.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "NVIM_ACP_DEMO_PACE=0s")
	return demo
}
