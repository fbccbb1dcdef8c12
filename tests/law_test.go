//go:build !race

// Laws read sources: they hold or not with any Neovim, and the race detector would only make them slow.

package tests

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/host"
)

const module = "github.com/nvim-acp/nvim-acp/"

// Packages depend on each other in one direction only: acp, buffers and terminal know neither each other nor the host nor
// Neovim, and what the host is made of knows nothing of Neovim either.
func TestDependencies(t *testing.T) {
	const neovim = "github.com/neovim/go-client"
	// Whoever wants may depend on these: a codec that talks to nobody, and leaves.
	free := []string{neovim + "/msgpack", module + "host/plain", module + "host/paths", module + "host/bounds"}
	laws := []struct {
		pkg    string
		others []string // that it must not depend on, with what is below them
	}{
		{"acp", []string{"buffers", "terminal", "host", "cmd", neovim}},
		{"buffers", []string{"acp", "terminal", "host", "cmd", neovim}},
		{"terminal", []string{"acp", "buffers", "host", "cmd", neovim}},
		{"host/transcript", []string{"terminal", "cmd", neovim}},
		{"host/highlight", []string{"acp", "terminal", "cmd", neovim}},
		{"host/plain", []string{"acp", "buffers", "terminal", "host", "cmd", neovim}},
		{"host/bounds", []string{"acp", "buffers", "terminal", "host", "cmd", neovim}},
		{"host/paths", []string{"acp", "buffers", "terminal", "host", "cmd", neovim}},
		{"host/marks", []string{"acp", "terminal", "host/transcript", "host/permission", "host/session", "cmd", neovim}},
		{"host/markdown", []string{"acp", "terminal", "host/transcript", "host/session", "cmd", neovim}},
		{"host/shell", []string{"acp", "buffers", "terminal", "host/transcript", "host/rules", "cmd", neovim}},
		{"host/rules", []string{"acp", "terminal", "cmd", neovim}},
		{"host/input", []string{"acp", "buffers", "host", "terminal", "cmd", neovim}},
		{"host/skills", []string{"acp", "buffers", "terminal", "cmd", neovim}},
		{"host/unsaved", []string{"acp", "host", "terminal", "cmd", neovim}},
		{"host/mcp", []string{"acp", "buffers", "terminal", "host/session", "host/transcript", "host/files", "host/agents", "cmd", neovim}},
		{"host/mcp/socket", []string{"acp", "buffers", "terminal", "host/session", "cmd", neovim, "github.com/modelcontextprotocol/go-sdk"}},
		{"host/mcp/loopback", []string{
			"acp", "buffers", "terminal", "host/session", "host/mcp/socket", "cmd", neovim, "github.com/modelcontextprotocol/go-sdk",
		}},
		{"host/edit", []string{"acp", "terminal", "host/transcript", "host/session", "cmd", neovim}},
		{"host/problems", []string{"acp", "buffers", "host", "terminal", "cmd", neovim}},
		{"host/secrets", []string{"acp", "buffers", "host", "terminal", "cmd", neovim}},
		{"host/record", []string{"acp", "buffers", "terminal", "cmd", neovim}},
		{"host/terminals", []string{"host/session", "host/permission", "host/agents", "cmd", neovim}},
		{"host/permission", []string{"host/session", "host/agents", "host/terminals", "terminal", "cmd", neovim}},
		{"host/subagents", []string{"host/session", "host/agents", "host/terminals", "host/permission", "terminal", "cmd", neovim}},
		{"host/session", []string{"host/terminals", "terminal", "cmd", neovim}}, // of host/agents it has a pointer, and no more
		{"host/agents", []string{"host/session", "host/transcript", "host/permission", "host/terminals", "terminal", "cmd", neovim}},
		{"host/files", []string{"host", "terminal", "cmd", neovim}},
		{"host/review", []string{"acp", "host/session", "host/files", "host/agents", "host/record", "terminal", "cmd", neovim}},
		{"host/checkpoint", []string{"acp", "buffers", "terminal", "host", "cmd", neovim}},
		{"host/rewind", []string{"acp", "terminal", "host/files", "host/session", "host/transcript", "cmd", neovim}},
		{"host/forms", []string{"buffers", "terminal", "host", "cmd", neovim}},
		{"host/elsewhere", []string{"terminal", "host/agents", "host/session", "host/transcript", "cmd", neovim}},
		{"host/guard", []string{"acp", "buffers", "terminal", "cmd", neovim}},
		{"host/install", []string{"acp", "buffers", "terminal", "host", "cmd", neovim}},
		{"host/settings", []string{"acp/acptest", "host/session", "terminal", "cmd", neovim}},
		{"host/feature", []string{"host/files", "cmd", neovim}},
		{"host/renamed", []string{"acp", "terminal", "host/files", "host/session", "cmd", neovim}},
		{"host/history", []string{"host/review", "host/moves", "host/diagnostics", "cmd", neovim}},
		{"host/moves", []string{"host/reviewing", "host/diagnostics", "cmd", neovim}},
		{"host/command", []string{"acp", "buffers", "terminal", "host", "cmd", neovim}},
		{"host/budget", []string{"host/files", "host/history", "host/review", "cmd", neovim}},
		{"host/reviewing", []string{"host/diagnostics", "cmd", neovim}},
		{"host/diagnostics", []string{"host/review", "host/moves", "cmd", neovim}},
		{"host/find", []string{"host/review", "host/files", "cmd", neovim}},
		{"host/logview", []string{"host/review", "host/files", "cmd", neovim}},
		{"host/skillsets", []string{"host/review", "host/files", "cmd", neovim}},
		{"host/tools", []string{"host/review", "host/moves", "host/diagnostics", "host/history", "cmd", neovim}},
		{"host/editing", []string{"host/review", "host/files", "host/history", "cmd", neovim}},
		{"host/viewing", []string{"host/review", "host/files", "host/history", "cmd", neovim}},
		{"host/prompt", []string{"host/review", "host/history", "host/tools", "cmd", neovim}},
		{"host/outside", []string{"host/review", "host/files", "host/history", "cmd", neovim}},
		{"host/policy", []string{"host/review", "host/files", "host/history", "host/tools", "cmd", neovim}},
		{"host", []string{"cmd", "acp/acptest"}},
		{"acp/acptest", []string{"host", "buffers", "terminal", "cmd", neovim}},
		{"cmd/nvim-acp", []string{"github.com/alecthomas/chroma/v2/lexers"}}, // whose init takes longer than all else at the start
		{"cmd/nvim-acp/demo", []string{"acp", "host", "buffers", "terminal", neovim}},
	}
	for _, law := range laws {
		t.Run(law.pkg, func(t *testing.T) {
			t.Parallel()
			deps := dependencies(t, law.pkg)
			for _, other := range law.others {
				if !strings.Contains(other, ".") {
					other = module + other
				}
				for _, dep := range deps {
					if !slices.Contains(free, dep) && (dep == other || strings.HasPrefix(dep, other+"/")) {
						t.Errorf("%s depends on %s", law.pkg, dep)
					}
				}
			}
		})
	}
}

// dependencies are all packages that one is built of, itself left out.
func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-tags", "lexers", "./"+pkg)
	cmd.Dir = plugin(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(dep string) bool { return dep == module+pkg })
}

// The number of the interface between Lua and Go is written down on both sides.
func TestInterface(t *testing.T) {
	got := find(t, "lua/nvim-acp/rpc.lua", `(?m)^M\.interface = (\d+)$`)
	if want := strconv.Itoa(host.Interface); !slices.Equal(got, []string{want}) {
		t.Errorf("rpc.lua has interface %v, host has %s", got, want)
	}

	names := takenVerbs(t)
	for _, file := range goFiles(t, "host") {
		names = append(names, findMaybe(t, file, `require\("nvim-acp\.(host"\)\.[a-z_]+)`)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var fields []string
	for _, file := range goFiles(t, "host") {
		for _, field := range findMaybe(t, file, "(?m)^\\s+\\w+\\s+([^`\n]+`msgpack:\"[^\"]+)\"") {
			fields = append(fields, strings.Join(strings.Fields(field), " "))
		}
	}
	slices.Sort(fields) // by type and name: in which file they are does not matter
	sum := sha256.Sum256([]byte(strings.Join(slices.Concat(names, fields), "\n")))
	if got := fmt.Sprintf("%d %x", host.Interface, sum[:4]); got != interfaceNames {
		t.Errorf("verbs, Lua functions or fields have come or gone: raise the interface on both sides, then interfaceNames to %q", got)
	}
}

// interfaceNames is the number of the interface, and a sum of the names that it has.
const interfaceNames = "28 2a7c3916"

// Both sides know which variables a project's files may use.
func TestProjectVariables(t *testing.T) {
	word := regexp.MustCompile(`"([A-Z_]+)"`)
	given := word.FindAllString(between(t, read(t, "host/agents/servers.go"), "forProject = []string{", "}"), -1)
	shown := word.FindAllString(between(t, read(t, "lua/nvim-acp/config/trust.lua"), "M.variables = {", "}"), -1)
	if !slices.Equal(given, shown) {
		t.Errorf("the host gives %v, config/trust.lua shows %v", given, shown)
	}
}

// Every choice has a kind, by which pickers tell them apart (behaviour 376).
func TestSelectKinds(t *testing.T) {
	for _, file := range luaFiles(t) {
		parts := regexp.MustCompile(`choose(?:"\))?\.from\(`).Split(read(t, file), -1)
		for _, part := range parts[1:] {
			call, _, _ := strings.Cut(part, "function(")
			before, _, ok := strings.Cut(part, "kind = \"acp-")
			if !ok || len(before) > len(call) {
				t.Errorf("%s: a choice without a kind: %.60s", file, part)
			}
		}
	}
}

// Every Lua function that the host calls is in host.lua, and the other way round.
func TestLuaCalls(t *testing.T) {
	var called []string
	for _, file := range goFiles(t, "host") {
		called = append(called, findMaybe(t, file, `require\("nvim-acp\.host"\)\.(\w+)`)...)
	}
	var defined []string
	for _, form := range []string{`(?m)^function M\.(\w+)`, `(?m)^M\.(\w+) = (?:from|going)\(`} {
		defined = append(defined, findMaybe(t, "lua/nvim-acp/host.lua", form)...)
	}
	slices.Sort(called)
	slices.Sort(defined)
	if !slices.Equal(called, defined) {
		t.Errorf("the host calls\n%v, host.lua has\n%v", called, defined)
	}
}

// takenVerbs are the verbs that the host takes.
func takenVerbs(t *testing.T) []string {
	t.Helper()
	taken := find(t, "host/verbs.go", `(?m)^\t\t"(\w+)": `)
	for _, file := range goFiles(t, "host") { // each feature has its own
		if strings.Contains(read(t, file), ") Verbs(") {
			taken = append(taken, findMaybe(t, file, `"(\w+)": +\w+[.(]`)...)
		}
	}
	return taken
}

// Every verb that Lua sends is one that the host takes.
func TestVerbs(t *testing.T) {
	taken := takenVerbs(t)
	for _, file := range luaFiles(t) {
		sent := findMaybe(t, file, `notify\([^"()]*"(\w+)"`)
		for _, verb := range sent {
			if !slices.Contains(taken, verb) {
				t.Errorf("%s sends %q, which the host does not take", file, verb)
			}
		}
	}
}

// The parts of the Lua folder are layers: a module requires others of its own part and of those before it, wherever in its
// code it does so, and nothing requires itself through others. The modules beside the folders are the entrances: what
// users, Neovim and the host call. They may require everything.
func TestLuaLayers(t *testing.T) {
	layers := []string{
		"ui", "config", "rpc", "build", "state", "install", // what all features stand on …
		"files", "knowledge", "places", "terminal", "permission", "prompt", "chat", "review", "sessions", "rewind", "edit", "attach", // … and each feature on those before it
	}
	const entrance = 100
	rank := func(module string) int {
		part, _, _ := strings.Cut(module, ".")
		if i := slices.Index(layers, part); i >= 0 {
			return i
		}
		return entrance
	}

	requires := map[string][]string{}
	for _, file := range luaFiles(t) {
		name := moduleName(file)
		for _, other := range findMaybe(t, file, `["']nvim-acp\.([\w.]+)["']\)`) {
			if other = luaModule(t, other); other == "" || other == name {
				continue // a namespace, a group, or a key's command that calls its own module
			}
			requires[name] = append(requires[name], other)
			if rank(other) > rank(name) {
				t.Errorf("%s requires %s, which is above it", name, other)
			}
		}
	}
	for _, cycle := range cycles(requires) {
		t.Errorf("these modules require each other: %s", strings.Join(cycle, ", "))
	}
}

// moduleName is the name by which a file below lua/nvim-acp is required, without the plugin's.
func moduleName(file string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(file, "lua/nvim-acp/"), ".lua")
	return strings.ReplaceAll(strings.TrimSuffix(name, "/init"), "/", ".")
}

// luaModule returns a name if it is that of a module of the plugin, else "".
func luaModule(t *testing.T, name string) string {
	path := filepath.Join(plugin(t), "lua/nvim-acp", strings.ReplaceAll(name, ".", "/"))
	for _, file := range []string{path + ".lua", path + "/init.lua"} {
		if _, err := os.Stat(file); err == nil {
			return name
		}
	}
	return ""
}

// cycles returns the groups of nodes of which each reaches all others of its group.
func cycles(edges map[string][]string) [][]string {
	reach := func(from string) map[string]bool {
		seen, todo := map[string]bool{}, []string{from}
		for len(todo) > 0 {
			node := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, next := range edges[node] {
				if !seen[next] {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
		return seen
	}
	var found [][]string
	done := map[string]bool{}
	for node := range edges {
		from := reach(node)
		if done[node] || !from[node] {
			continue
		}
		group := []string{node}
		for other := range from {
			if other != node && reach(other)[node] {
				group = append(group, other)
				done[other] = true
			}
		}
		slices.Sort(group)
		found = append(found, group)
	}
	return found
}

// Files are short enough to be read in one go.
func TestFileSize(t *testing.T) {
	const most = 400
	walk(t, func(path string) {
		if ext := filepath.Ext(path); ext != ".go" && ext != ".lua" {
			return
		}
		if n := strings.Count(read(t, path), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", path, n, most)
		}
	})
}
