//go:build !race

package tests

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// censusFile lists the functions of Neovim that our Lua uses. Each is one to which any text may be given, or that [sinks] watches.
const censusFile = "testdata/census.txt"

var (
	used = regexp.MustCompile(`\b(?:vim\.fn|vim\.api|api|vim\.uv|uv|vim)\.[A-Za-z_][A-Za-z0-9_]*`)
	// hidesUse is how a function can be used without its name, so that neither the census nor a sink sees it.
	hidesUse = regexp.MustCompile(`\b(?:vim|vim\.fn|vim\.api|vim\.uv|vim\.cmd|api)\s*\[|=\s*vim\.(?:fn|cmd|keymap)\s*(?:$|[\n;,])|=\s*vim\s*(?:$|[\n;,])|\bwinbar\s*,|` +
		`\bvim\.call\b|nvim_call_function\(\s*[^"\s]|nvim_call_dict_function|nvim_exec_lua|nvim_eval_statusline\(\s*[^"\s]|rawget\(\s*(?:vim|_G)|_G\s*\[|` +
		`[gs]etmetatable\(\s*vim\b|\bfn\.(?:map|filter|reduce|call)\(|\bfn\.sort\([^()\n]*,|fn\.set(?:win|buf|tab|tabwin)var\(|\bsetfenv\b`)
)

// Our Lua uses functions of Neovim by their names, and each that is used was looked at: a new one is either harmless with any text, or needs a
// door (behaviour 710). -update writes the list.
func TestCensus(t *testing.T) {
	found := map[string]bool{}
	for _, file := range append(luaFiles(t), "plugin/nvim-acp.lua") {
		text := uncommented(read(t, file))
		for _, name := range used.FindAllString(text, -1) {
			if strings.HasPrefix(name, "api.") || strings.HasPrefix(name, "uv.") {
				name = "vim." + name
			}
			found[name] = true
		}
		for _, at := range hidesUse.FindAllStringIndex(text, -1) {
			t.Errorf("%s:%d: a function is used without its name: %s", file, strings.Count(text[:at[0]], "\n")+1, strings.TrimSpace(text[at[0]:at[1]]))
		}
	}
	var list []string
	for name := range found {
		list = append(list, name)
	}
	slices.Sort(list)
	if *update {
		if err := os.WriteFile(censusFile, []byte(strings.Join(list, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(censusFile)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(data))
	for _, name := range list {
		if !slices.Contains(known, name) {
			t.Errorf("%s is used, and is not in %s: what does it do with a text of others?", name, censusFile)
		}
	}
	for _, name := range known {
		if !found[name] {
			t.Errorf("%s is in %s, and is not used", name, censusFile)
		}
	}
}

// Ways to use a function so that a text of others is run, of which each is seen by the census, by what hides a use, or by a sink.
func TestCensusSees(t *testing.T) {
	data, err := os.ReadFile(censusFile)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(data))
	for _, use := range []string{
		`vim.fn.setwinvar(win, "&winbar", t)`, `vim.fn.setbufvar(b, "&x", t)`, `vim.api.nvim_call_function(name, {})`, `vim.call("execute", t)`, `vim["cmd"](t)`,
		"local cmd = vim.cmd\ncmd(t)", "local f = vim.fn\nf.execute(t)", "local v = vim\nv.cmd(t)", `vim.fn["execute"](t)`, `api["nvim_" .. name](t)`,
		`vim.fn.map(list, t)`, `vim.fn.filter(list, t)`, `vim.fn.sort(list, t)`, `vim.fn.inputlist(t)`, `vim.fn.complete_add(t)`, `vim.fn.matchaddpos(t)`,
		`vim.fn.sign_define(t, {})`, `vim.api.nvim_exec_lua(t, {})`, `vim.api.nvim_eval_statusline(t, {})`,
		`vim.fn.rpcrequest(1, t)`, `rawget(vim, "cmd")(t)`, `_G["vim"].cmd(t)`, `vim.wo[w].winbar, x = t, 1`, `vim.api.nvim_command(t)`,
		`vim.fn.execute(t)`, `vim.cmd(t)`, `vim.fn.systemlist(t)`, `loadstring(t)()`,
	} {
		seen := hidesUse.MatchString(use)
		for _, name := range used.FindAllString(use, -1) {
			if strings.HasPrefix(name, "api.") {
				name = "vim." + name
			}
			seen = seen || !slices.Contains(known, name)
		}
		for _, s := range sinks {
			if at := regexp.MustCompile(s.use).FindStringIndex(use); at != nil {
				seen = seen || s.fits == "" || !regexp.MustCompile(`^(?:`+s.fits+`)`).MatchString(use[at[0]:])
			}
		}
		if !seen {
			t.Errorf("nothing sees %s", use)
		}
	}
}
