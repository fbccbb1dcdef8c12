package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// `make demo` without a terminal, as a newcomer runs it first: a script that waits for the agent, with nobody at a screen
// (behaviour 299).
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"scripts", "lua", "plugin"} { // without bin/, whose program may be an old one
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
	out, err := demo.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Everything went as it should.") {
		t.Errorf("%v:\n%s", err, out)
	}
}
