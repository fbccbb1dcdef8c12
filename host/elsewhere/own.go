package elsewhere

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// ownFiles are the files in agents' own folders that say what the agent runs, also where it is started without a sandbox. A name that ends
// in "/" is a folder with all in it. What an agent has to write, as its choice of a login, it can; then a change of what it says of
// programs is said.
var ownFiles = []struct {
	folders []string
	file    string
	by      string
	written bool
}{
	{[]string{"~/.claude/", "$CLAUDE_CONFIG_DIR/"}, "settings.json", "Claude Code", false},
	{[]string{"~/.claude/", "$CLAUDE_CONFIG_DIR/"}, "settings.local.json", "Claude Code", false},
	{[]string{"~/.claude/", "$CLAUDE_CONFIG_DIR/"}, "hooks/", "Claude Code", false},
	{[]string{"~/.claude/", "$CLAUDE_CONFIG_DIR/"}, "plugins/config.json", "Claude Code", false},
	{[]string{"~/.claude/", "$CLAUDE_CONFIG_DIR/"}, "plugins/installed_plugins.json", "Claude Code", false},
	{[]string{"~/", "$CLAUDE_CONFIG_DIR/"}, ".claude.json", "Claude Code", true},
	{[]string{"~/.codex/", "$CODEX_HOME/"}, "config.toml", "Codex", false},
	{[]string{"~/.codex/", "$CODEX_HOME/"}, "hooks.json", "Codex", false},
	{[]string{"~/.codex/", "$CODEX_HOME/"}, "hooks/", "Codex", false},
	{[]string{"~/.codex/", "$CODEX_HOME/"}, "rules/", "Codex", true},
	{[]string{"~/.cursor/"}, "hooks.json", "Cursor", false},
	{[]string{"~/.cursor/"}, "mcp.json", "Cursor", false},
	{[]string{"~/.cursor/"}, "hooks/", "Cursor", false},
	{[]string{"~/.gemini/"}, "settings.json", "Gemini CLI", true},
	{[]string{"~/.gemini/"}, "extensions/", "Gemini CLI", false},
	{[]string{"~/.qwen/"}, "settings.json", "Qwen Code", true},
	{[]string{"~/.qwen/"}, "extensions/", "Qwen Code", false},
	{[]string{"~/.config/opencode/"}, "opencode.json", "OpenCode", false},
	{[]string{"~/.config/opencode/"}, "opencode.jsonc", "OpenCode", false},
	{[]string{"~/.config/opencode/"}, "config.json", "OpenCode", false},
	{[]string{"~/.config/opencode/"}, "plugin/", "OpenCode", false},
	{[]string{"~/.config/opencode/"}, "plugins/", "OpenCode", false},
	{[]string{"~/.augment/"}, "settings.json", "Auggie", true},
	{[]string{"~/.copilot/"}, "mcp-config.json", "Copilot", false},
	{[]string{"~/.copilot/"}, "hooks/", "Copilot", false},
	{[]string{"~/.config/goose/"}, "config.yaml", "goose", false},
	{[]string{"~/.kimi/"}, "config.toml", "Kimi", false},
	{[]string{"~/.kimi/"}, "config.json", "Kimi", true},
	{[]string{"~/.kimi/"}, "mcp.json", "Kimi", false},
	{[]string{"~/.vibe/"}, "config.toml", "Vibe", false},
	{[]string{"~/.cline/"}, "data/settings/cline_mcp_settings.json", "Cline", false},
}

// protectOwn makes read-only in a sandbox what says what agents run outside of it, where the sandbox shows it writable, and has watched
// what the agent writes, and what is not there yet.
func (p *Place) protectOwn(access map[string]Access) {
	var folders []string
	for path, a := range access {
		if a == Writable {
			folders = append(folders, path)
		}
	}
	for _, o := range ownFiles {
		for _, folder := range o.folders {
			dir := p.own(folder)
			if dir == "" {
				continue
			}
			path := filepath.Join(dir, o.file)
			if !buffers.Inside(folders, path) {
				continue
			}
			by := o.by + " outside of the sandbox"
			if !o.written {
				p.keep(path, by, folders, access)
			}
			real, err := buffers.Real(path)
			if err == nil && access[real] == ReadOnly && real == path {
				continue
			}
			if o.written {
				p.repositories.watchParts(path)
			}
			p.repositories.watch(by, path)
		}
	}
}

// orders matches the members of an agent's settings that say what it runs, and what it trusts.
var orders = regexp.MustCompile(`(?i)^(mcp.*|hooks?|.*commands?|.*helper|.*trust.*|statusline|plugins?|extensions|tools|enabled.*)$`)

// ordersOf returns a text that changes with what settings say of programs; with all of them, if they are not JSON.
func ordersOf(path string) string {
	text, err := regular.Read(path, 64<<20)
	var value any
	if err != nil || json.Unmarshal(text, &value) != nil {
		return version(path)
	}
	var b strings.Builder
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				within := at + "/" + name
				if !orders.MatchString(name) {
					visit(within, value[name])
				} else if text, _ := json.Marshal(value[name]); !slices.Contains([]string{"{}", "[]", "null", "false", `""`}, string(text)) {
					fmt.Fprintln(&b, within, string(text))
				}
			}
		case []any:
			for i, v := range value {
				visit(fmt.Sprint(at, "/", i), v)
			}
		}
	}
	visit("", value)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}
