package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// At start-up nothing is loaded but the file in plugin/: its own top level requires nothing.
func TestStartup(t *testing.T) {
	code := `
		local loaded = {}
		for name in pairs(package.loaded) do
			if name:match("^nvim%-acp") then table.insert(loaded, name) end
		end
		io.stdout:write(vim.g["loaded_nvim-acp"] or "no plugin", " ", table.concat(loaded, " "))`
	script := filepath.Join(t.TempDir(), "loaded.lua")
	if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(bareNvim(t, "-c", "luafile "+script)), "1"; got != want {
		t.Errorf("got %q, want %q and no module", got, want)
	}
}

// bareNvim runs a headless Neovim with the plugin until it has done what args say, and returns its stdout.
func bareNvim(t *testing.T, args ...string) string {
	t.Helper()
	home := t.TempDir()
	argv := append([]string{"--headless", "--clean", "-n", "--cmd", "set rtp^=" + strings.ReplaceAll(plugin(t), " ", `\ `)}, args...)
	cmd := exec.Command(nvimPath(), append(argv, "-c", "qall!")...)
	cmd.Env = os.Environ()
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+home)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s", nvimPath(), err, &stderr)
	}
	return string(out)
}

// read returns a file of the plugin.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(plugin(t), path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// find returns what the first group of a pattern matches in a file of the plugin, which is something.
func find(t *testing.T, path, pattern string) []string {
	t.Helper()
	found := findMaybe(t, path, pattern)
	if len(found) == 0 {
		t.Fatalf("%s: nothing matches %s", path, pattern)
	}
	return found
}

// findMaybe is find where there may be nothing.
func findMaybe(t *testing.T, path, pattern string) []string {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, path), -1) {
		found = append(found, m[1])
	}
	return found
}
