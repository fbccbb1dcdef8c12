package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A copy of the plugin, and Neovims that have its cache.
type compiled struct {
	t          *testing.T
	root, home string
}

// run runs Lua in a Neovim and returns what that returns.
func (c compiled) run(code string) string {
	c.t.Helper()
	script := filepath.Join(c.t.TempDir(), "run.lua")
	text := `
		vim.opt.rtp:prepend(vim.env.ROOT)
		cache = function() return vim.fn.glob(vim.fn.stdpath("cache") .. "/nvim-acp/*.luac") end
		bytecode = require("nvim-acp.bytecode")
		io.write(tostring((function() ` + code + ` end)()))`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(nvimPath(), "--clean", "-l", script)
	cmd.Env = append(os.Environ(), "ROOT="+c.root, "XDG_CACHE_HOME="+c.home, "XDG_STATE_HOME="+c.home, "XDG_CONFIG_HOME="+c.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", code, err, out)
	}
	return string(out)
}

// module replaces a module of the copy, with a time of its own within the same second.
func (c compiled) module(text string, at time.Duration) {
	c.t.Helper()
	path := filepath.Join(c.root, "lua/nvim-acp/ui/time.lua")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	then := time.Unix(1_700_000_000, 0).Add(at)
	if err := os.Chtimes(path, then, then); err != nil {
		c.t.Fatal(err)
	}
}

// Modules are compiled once and kept; one whose file has changed is compiled anew, and a file of them that is damaged or of another
// LuaJIT is made anew (behaviour 650).
func TestBytecode(t *testing.T) {
	t.Parallel()
	c := compiled{t, filepath.Join(t.TempDir(), "a plugin%"), t.TempDir()}
	if err := os.CopyFS(filepath.Join(c.root, "lua"), os.DirFS(filepath.Join(plugin(t), "lua"))); err != nil {
		t.Fatal(err)
	}
	const (
		load  = `bytecode.enable() return require("nvim-acp.ui.time")`
		keep  = `bytecode.enable() require("nvim-acp.ui.time") return vim.wait(10000, function() return vim.fn.getfsize(cache()) > 100 end)`
		again = `loadfile = function() error("compiled anew") end ` + load
	)
	check := func(code, want string) {
		t.Helper()
		if got := c.run(code); got != want {
			t.Fatalf("%s: got %q, want %q", code, got, want)
		}
	}
	forget := func() { check(`return vim.fn.delete(cache())`, "0") }

	c.module(`return "first"`, time.Millisecond)
	check(keep, "true")
	check(again, "first")
	c.module(`return "other"`, 2*time.Millisecond) // of the same size
	check(load, "other")
	forget()
	check(keep, "true")
	c.module(`return "longer than before"`, 2*time.Millisecond) // at the same time
	check(load, "longer than before")

	forget()
	check(keep, "true")
	check(again, "longer than before")
	check(`vim.fn.writefile({ "damaged" }, cache(), "b") `+load, "longer than before")
	check(keep, "true")
	check(`local file = io.open(cache(), "rb")
		local all = vim.mpack.decode(file:read("*a"))
		for _, module in pairs(all) do module.code = "\27LJ\9" .. module.code:sub(5) end
		file = io.open(cache(), "wb")
		file:write(vim.mpack.encode(all))
		file:close() `+load, "longer than before")

	c.module("\n\nreturn (\n", 0)
	if got := c.run(`bytecode.enable() return select(2, pcall(require, "nvim-acp.ui.time"))`); !strings.Contains(got, "time.lua:4:") {
		t.Errorf("a module with an error: %q", got)
	}
	// A module's loops are interpreted, also those in its functions: tracing them costs more than it saves.
	c.module(`
		local traces = 0
		local function count(what) traces = traces + (what == "start" and 1 or 0) end
		jit.attach(count, "trace")
		local function loop() for _ = 1, 1e4 do end end
		for _ = 1, 1e4 do end
		loop()
		jit.attach(count)
		return traces`, time.Second)
	forget()
	check(load, "0")
	check(keep, "true")
	check(again, "0")

	check(`local before = #package.loaders bytecode.enable() bytecode.disable() return #package.loaders - before`, "0")

	// A chat's modules are all loaded so, and nothing else's.
	check(`bytecode.enable() require("nvim-acp.chat") require("vim.lsp.log") return vim.wait(10000, function()
		local file = io.open(cache(), "rb")
		local all = file and vim.mpack.decode(file:read("*a")) or {}
		return all["nvim-acp.chat"] and not all["vim.lsp.log"] and vim.fn.getfperm(cache()) == "rw-------"
	end)`, "true")
}
