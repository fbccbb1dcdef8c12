package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

const help = "doc/nvim-acp.txt"

// Neovim accepts the help file, and every link in it has a target.
func TestHelpTags(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvim-acp.txt"), []byte(read(t, help)), 0o600); err != nil {
		t.Fatal(err)
	}
	bareNvim(t, "-c", "helptags "+dir)
	tags, err := os.ReadFile(filepath.Join(dir, "tags"))
	if err != nil {
		t.Fatal(err)
	}
	known := "\n" + string(tags)
	for _, link := range find(t, help, `(?:^|[ \t(])\|([^ \t|]+)\|`) {
		if strings.Contains(known, "\n"+link+"\t") || coreTag(t, link) {
			continue
		}
		t.Errorf("|%s| leads nowhere", link)
	}
}

// coreTag reports whether Neovim's own help has a tag.
func coreTag(t *testing.T, tag string) bool {
	t.Helper()
	script := filepath.Join(t.TempDir(), "tag.lua")
	code := `io.stdout:write(#vim.fn.getcompletion([[` + tag + `]], "help") > 0 and "yes" or "no")`
	if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return tag == "vim.pack" || bareNvim(t, "-c", "luafile "+script) == "yes" // vim.pack: since 0.12
}

// The help has an entry for everything a user can name.
func TestHelpIsComplete(t *testing.T) {
	text := read(t, help)
	has := func(kind, name, needle string) {
		t.Helper()
		if !strings.Contains(text, needle) {
			t.Errorf("%s %s: the help has no %s", kind, name, needle)
		}
	}
	for _, name := range commands(t) {
		has("command", name, "*:"+name+"*")
	}
	for _, name := range find(t, "plugin/nvim-acp.lua", `(?m)^  (\w+) = "Acp\w+",$`) {
		has("mapping", name, "*<Plug>(acp-"+name+")*")
	}
	for _, name := range find(t, "lua/nvim-acp/init.lua", `(?m)^function M\.(\w+)`) {
		has("function", name, "*nvim-acp."+name+"()*")
	}
	groups := []string{"AcpHidden"} // covers text, and has no colour
	for _, path := range luaFiles(t) {
		for _, name := range findMaybe(t, path, `\b(Acp[A-Z]\w+) = "[\w@.]+"`) {
			has("highlight group", name, "*hl-"+name+"*")
			groups = append(groups, name)
		}
	}
	for _, path := range goFiles(t, "host") {
		for _, name := range findMaybe(t, path, `"(Acp[A-Z]\w+)"`) {
			if !slices.Contains(groups, name) && !slices.Contains(events(t), name) {
				t.Errorf("%s: there is no highlight group %s", path, name)
			}
		}
	}
	for _, name := range events(t) {
		has("event", name, "*"+name+"*")
	}
	registry := read(t, "lua/nvim-acp/agents/registry.json")
	for _, path := range presets(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".lua")
		has("agent", name, "\n  "+name+" ")
		for _, command := range findMaybe(t, path, `command = "([^"]+)"`) {
			has("agent", name, command)
		}
		for _, id := range findMaybe(t, path, `registry = "([^"]+)"`) {
			if !strings.Contains(registry, fmt.Sprintf("\n   \"id\": %q,\n", id)) {
				t.Errorf("agent %s: the registry has no %s", name, id)
			}
		}
	}
}

// The help shows every option with its default, and explains it.
func TestHelpOptions(t *testing.T) {
	text := read(t, help)
	shown := between(t, text, "These are the defaults", "\n<\n")
	explained := between(t, text, "\n<\nSome options", "\n====")
	defaults := between(t, read(t, "lua/nvim-acp/config/init.lua"), "M.defaults = {", "\n}")
	for _, m := range regexp.MustCompile(`(?m)^( +)(\w+) = ([^{\n]*?)(?:,(?: -.*)?$|\{)`).FindAllStringSubmatch(defaults, -1) {
		key, value := m[2], m[3]
		if !strings.Contains(shown, key+" = "+value) {
			t.Errorf("option %s: the defaults in the help lack %q", key, key+" = "+value)
		}
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(explained) {
			t.Errorf("option %s is not explained", key)
		}
		if tag := "*nvim-acp-config-" + key + "*"; len(m[1]) == 2 && !strings.Contains(text, tag) {
			t.Errorf("option %s: the help has no %s", key, tag)
		}
	}
	own := between(t, read(t, "lua/nvim-acp/config/schema.lua"), "local agent = {", "\n}")
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) = `).FindAllStringSubmatch(own, -1) {
		if !strings.Contains(explained, m[1]) {
			t.Errorf("agents.%s is not explained", m[1])
		}
	}
}

// Help is read in a window of 80 columns.
func TestHelpWidth(t *testing.T) {
	for i, line := range strings.Split(read(t, help), "\n") {
		if n := len([]rune(line)); n > 78 {
			t.Errorf("%s:%d has %d columns, more than 78", help, i+1, n)
		}
	}
}

// The README names every preset, and its links have targets.
func TestReadme(t *testing.T) {
	text := read(t, "README.md")
	for _, path := range presets(t) {
		for _, title := range find(t, path, `title = "([^"]+)"`) {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(title)) {
				t.Errorf("the README does not name %s", title)
			}
		}
	}
	for _, file := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "doc/design.md"} {
		for _, link := range findMaybe(t, file, `\]\(([^)#:]+)\)`) {
			if _, err := os.Stat(filepath.Join(plugin(t), filepath.Dir(file), link)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// commands are those that plugin/ defines.
func commands(t *testing.T) []string {
	t.Helper()
	names := find(t, "plugin/nvim-acp.lua", `\b(Acp[A-Z]\w+)\b`)
	slices.Sort(names)
	return slices.Compact(names)
}

// events are the patterns of all User autocommands, from the places that raise them.
func events(t *testing.T) []string {
	t.Helper()
	var names []string
	walk(t, func(path string) {
		ext := filepath.Ext(path)
		if strings.HasPrefix(path, "host/") && ext == ".go" || strings.HasPrefix(path, "lua/") && ext == ".lua" {
			names = append(names, findMaybe(t, path, `[eE]mit\("(Acp\w+)"`)...)
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

func presets(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, path := range luaFiles(t) {
		if filepath.Dir(path) == "lua/nvim-acp/agents" {
			files = append(files, path)
		}
	}
	return files
}

// between returns the text between two marks.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	part, _, end := strings.Cut(rest, to)
	if !ok || !end {
		t.Fatalf("nothing between %q and %q", from, to)
	}
	return part
}

// The Lua in the README and the help compiles, and setup accepts its options.
func TestSnippets(t *testing.T) {
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```lua\n(.*?)```").FindAllStringSubmatch(read(t, "README.md"), -1) {
		blocks = append(blocks, m[1])
	}
	for _, m := range regexp.MustCompile(`(?s) >lua\n(.*?)\n<?\n`).FindAllStringSubmatch(read(t, help), -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) < 8 {
		t.Fatalf("only %d blocks of Lua were found", len(blocks))
	}
	const check = `
		local chunk = loadstring("return " .. text) or assert(loadstring(text))
		local config = require("nvim-acp.config")
		if text:find("agent = nil") then -- the defaults
			config.take(chunk())
		elseif text:find('nvim-acp").setup(', 1, true) then
			chunk()
		end
		require("nvim-acp.config.setup").check()
		io.stdout:write(table.concat(config.problems, "; "))`
	for _, block := range blocks {
		script := filepath.Join(t.TempDir(), "snippet.lua")
		code := "local text = [==[" + block + "]==]\n" + check
		if err := os.WriteFile(script, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		if problems := bareNvim(t, "-c", "luafile "+script); problems != "" {
			t.Errorf("%s\nin\n%s", problems, block)
		}
	}
}

// The example of a story in CONTRIBUTING.md passes.
func TestExampleOfAStory(t *testing.T) {
	part := between(t, read(t, "CONTRIBUTING.md"), "### Writing a story", "\n## ")
	story := filepath.Join(t.TempDir(), "example.txtar")
	if err := os.WriteFile(story, []byte(between(t, part, "```\n", "```\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := words(t)
	p.Files = []string{story}
	testscript.Run(t, p)
}

// The threat model names tests and stories that there are (behaviour 834).
func TestSecurityPage(t *testing.T) {
	all := map[string]bool{}
	walk(t, func(path string) {
		switch name, story := strings.CutSuffix(filepath.Base(path), ".txtar"); {
		case story:
			all[name] = true
		case strings.HasSuffix(path, "_test.go"):
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(read(t, path), -1) {
				all[m[1]] = true
			}
		}
	})
	for line := range strings.Lines(read(t, "doc/security.md")) {
		cells := strings.Split(strings.Trim(line, "|\n "), "|")
		if len(cells) != 5 || strings.HasPrefix(line, "| who") || strings.HasPrefix(line, "|---") {
			continue
		}
		for _, cell := range cells[1:] {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("a row is not complete: %s", line)
			}
		}
		for name := range strings.SplitSeq(cells[4], ",") {
			if name = strings.TrimSpace(name); !all[name] {
				t.Errorf("no test %q: %s", name, line)
			}
		}
	}
}

// The README's two ways to install it, and the demo, map the same keys.
func TestSuggestedKeys(t *testing.T) {
	const list = `
		local out = {}
		for _, mode in ipairs({ "n", "x" }) do
			for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
				if map.lhs:find("^\\%l$") then
					table.insert(out, mode .. map.lhs .. map.rhs)
				end
			end
		end
		table.sort(out)
		io.stdout:write(table.concat(out, "\n"))`
	keys := func(code string) string {
		script := filepath.Join(t.TempDir(), "keys.lua")
		if err := os.WriteFile(script, []byte(code+list), 0o600); err != nil {
			t.Fatal(err)
		}
		return bareNvim(t, "-c", "luafile "+script)
	}

	want := keys(suggested(t))
	if strings.Count(want, "\n") < 10 {
		t.Fatalf("keys of the README:\n%s", want)
	}
	pack := between(t, read(t, "README.md"), "vim.pack.add(", "```")
	if got := keys(pack[strings.Index(pack, "\n"):]); got != want {
		t.Errorf("keys beside vim.pack:\n%s\nwant:\n%s", got, want)
	}
	if got := keys(read(t, "scripts/demo-keys.lua")); got != want {
		t.Errorf("keys of the demo:\n%s\nwant:\n%s", got, want)
	}
}
