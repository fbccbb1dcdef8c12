package elsewhere

// agents are the programs that read orders in a folder of a project, and in folders of their own, also where they are started without a
// sandbox. Both [runs] and [ownFiles] are made from it.
var agents = []agent{
	{
		by: "Claude Code", project: ".claude/", own: []string{"~/.claude/", "$CLAUDE_CONFIG_DIR/"},
		more:    []string{"CLAUDE.md", "remote-settings.json", "loop.md"},
		root:    []string{".mcp.json"},
		written: []string{"remote-settings.json", ".claude.json", "CLAUDE.md"},
		home:    []string{".claude.json"},
		made:    []string{"shell-snapshots/", "session-env/"},
		data: []string{
			".credentials.json", ".claude.json*", "projects/", "todos/", "tasks/", "teams/", "statsig/", "debug/",
			"file-history/", "ide/", "telemetry/",
			"cache/", "paste-cache/", "image-cache/", "plans/", "backups/", "sessions/", "session-data/", "transcripts/",
			"logs/", "usage-data/", "uploads/",
			"downloads/", "jobs/", "stats-cache.json", "mcp-needs-auth-cache.json", "policy-limits.json",
			"security_warnings_state_*", ".last-*", ".update*",
		},
	},
	{
		by: "Codex", project: ".codex/", own: []string{"~/.codex/", "$CODEX_HOME/"},
		more: []string{
			"AGENTS.md", "AGENTS.override.md", "requirements.toml", "managed_config.toml", "vendor_imports/", "packages/",
		},
		written: []string{"rules/"},
		made:    []string{"shell_snapshots/", "tmp/", ".tmp/"},
		git:     []string{"worktrees/"},
		data: []string{
			"auth.json", "sessions/", "archived_sessions/", "log/", "version.json", "models_cache.json",
			"internal_storage.json", ".personality_migration",
			".codex-global-state.json*", "session_index.jsonl", "cloud-requirements-cache.json", "installation_id",
			"cache/", "worktrees/", "memories/", "memories_*",
		},
	},
	{
		by: "Cursor", project: ".cursor/", own: []string{"~/.cursor/", "~/.config/cursor/"},
		more:    []string{"environment.json", "worktrees.json", "argv.json", "cli-config.json", "cli.json", "skills-cursor/"},
		written: []string{"cli-config.json"},
		git:     []string{"worktrees/"},
		data: []string{
			"auth.json", "projects/", "chats/", "prompt_history.json", "ide_state.json", "agent-cli-state.json",
			"ai-tracking/", "statsig-cache.json", "worktrees/",
		},
	},
	{
		by: "Gemini CLI", project: ".gemini/", own: []string{"~/.gemini/"},
		more: []string{
			"GEMINI.md", "system.md", "trustedFolders.json", "tmp/bin/", "extension_integrity.json", "acknowledgments/",
		},
		written: []string{"settings.json", "trustedFolders.json", "policies/", "GEMINI.md"},
		git:     []string{"history/"},
		data: []string{
			"oauth_creds.json", "mcp-oauth-tokens*.json", "google_accounts.json", "installation_id", "user_id",
			"state.json", "projects.json", "tmp/",
			"history/", "google_account_id", "gemini-credentials.json", "ide/",
		},
	},
	{
		by: "Qwen Code", project: ".qwen/", own: []string{"~/.qwen/"},
		more:    []string{"QWEN.md", "system.md", "trustedFolders.json", "tmp/bin/"},
		written: []string{"settings.json", "trustedFolders.json", "QWEN.md"},
		git:     []string{"history/"},
		data: []string{
			"oauth_creds.json", "mcp-oauth-tokens*.json", "installation_id", "user_id", "tmp/", "history/", "projects/",
			"todos/", "debug/", "ide/",
			"source.json", "usage*", "sessions/", "file-history/", "memories/", "extension-store/", ".openai-logs-*",
			"output-language.md",
		},
	},
	{
		by: "OpenCode", project: ".opencode/", own: []string{"~/.config/opencode/", "~/.local/share/opencode/", "~/.local/state/opencode/"},
		more: []string{"opencode.json", "opencode.jsonc", "AGENTS.md", "themes/", "tui.json", "plugins.json", "bun.lock"},
		root: []string{"opencode.json", "opencode.jsonc"},
		git:  []string{"snapshot/"},
		data: []string{
			"auth.json", "mcp-auth.json", "storage/", "log/", "snapshot/", "tool-output/", "project/", "worktree/",
			"repos/", "kv.json", "model.json", "locks/",
			"prompt-history.jsonl", "frecency.jsonl",
		},
	},
	{
		by: "Auggie", project: ".augment/", own: []string{"~/.augment/"},
		more:    []string{"binaries/", "user-guidelines.md"},
		written: []string{"settings.json"},
		data: []string{
			"session.json", "sessions/", "checkpoint-documents/", "task-storage/", "history/", "logs/", "memories/",
			".auggie.json",
		},
	},
	{
		by: "Copilot", project: ".github/", own: []string{"~/.copilot/"},
		// the rest of .github is for a server
		only: []string{
			"hooks/", "agents/", "skills/", "prompts/", "extensions/", "mcp.json", "mcp-config.json",
		},
		root:    []string{".copilot/"},
		more:    []string{"pkg/", "installed-plugins/", "lsp-config.json", "copilot-instructions.md", "permissions-config.json"},
		written: []string{"config.json", "permissions-config.json"},
		data: []string{
			"session-state/", "history-session-state/", "command-history-state.json", "logs/", "ide/", "restart/",
			"session-store.db*", "mcp-oauth-config/",
			"marketplace-cache/",
		},
	},
	{
		by: "goose", project: ".goose/", own: []string{"~/.config/goose/", "~/.local/share/goose/", "~/.local/state/goose/"},
		more: []string{
			"permission.yaml", "permissions/", "custom_providers/", "declarative_providers/", "recipes/", ".goosehints",
		},
		root:    []string{".goosehints"},
		written: []string{"permission.yaml", "permissions/"},
		data: []string{
			"secrets.yaml", "sessions/", "history.txt", "logs/", "schedule.json", "scheduled_recipes/", "projects.json",
			"tunnel*", "telemetry*", "memory/",
		},
	},
	{
		by: "Kimi", project: ".kimi/", own: []string{"~/.kimi/"},
		written: []string{"config.json"},
		data: []string{
			"credentials/", "sessions/", "logs/", "kimi.json", "device_id", "user-history/", "latest_version.txt",
			"telemetry/", "plans/",
		},
	},
	{
		by: "Vibe", project: ".vibe/", own: []string{"~/.vibe/"},
		more:    []string{"trusted_folders.toml", "instructions.md"},
		written: []string{".env", "trusted_folders.toml"},
		data:    []string{"logs/", "vibehistory", "plans/", "sessions/", "cache.toml", "update_cache.json"},
	},
	{
		by: "Cline", project: ".clinerules/", own: []string{"~/.cline/"},
		root: []string{".cline/"},
		more: []string{"data/settings/cline_mcp_settings.json", "data/workflows/", "data/hooks/"},
		data: []string{"data/"},
	},
}

// agent is what one of [agents] reads and writes. A name that ends in "/" is a folder with all in it.
type agent struct {
	by      string
	project string   // its folder in a project
	only    []string // all that it reads in its folder in a project; nil: kinds and more
	root    []string // what it reads in a project outside of its folder there
	own     []string // its own folders
	home    []string // what it reads in the home folder, and in its own folders
	more    []string // names of what says what it runs, in addition to kinds
	written []string // names of what says what it runs and what it must be able to write: a change that adds a program is reported
	made    []string // own folders of scripts that it makes for one session: those of other sessions must not change
	git     []string // own folders of repositories that it uses with Git
	data    []string // patterns of files that it writes in its own folders and that nobody runs
}

// kinds are the names of what says what an agent runs, or is told to do, in its folder.
var kinds = []string{
	// settings, which name commands
	"settings.json", "settings.local.json", "config.json", "config.toml", "config.yaml", "config.yml", "mcp.json",
	"mcp-config.json", "mcp_config.json",
	"mcp_settings.json", "mcp/", "hooks.json", ".env", "package.json", "launch.json", "tasks.json", "keybindings.json",
	// code
	"hooks/", "plugin/", "plugins/", "extension/", "extensions/", "tool/", "tools/", "bin/", "local/", "scripts/",
	"node_modules/",
	// what it is told to do, often with commands
	"command/", "commands/", "agent/", "agents/", "subagents/", "skill/", "skills/", "mode/", "modes/", "prompts/",
	"rules/", "policies/", "workflows/",
	"output-styles/", "system-prompts/",
}

// anyData are the patterns of what any agent writes, and nobody runs.
var anyData = []string{
	"*.jsonl", "*.log", "*.db", "*.db-*", "*.sqlite", "*.sqlite-*", "*.sqlite3*", "*.lock", "*.pid", "*.tmp",
	"*.tmp.*", ".gitignore", ".DS_Store",
}

// orders returns what says what an agent runs, by its path in its folder.
func (a agent) orders() []string { return append(append([]string{}, kinds...), a.more...) }

// runner is one of [runs].
type runner struct{ name, by string }

// projectRuns returns what agents read in projects.
func projectRuns() (list []runner) {
	for _, a := range agents {
		names := a.only
		if names == nil {
			names = a.orders()
		}
		by := a.by + outsideOfIt
		for _, name := range names {
			list = append(list, runner{a.project + name, by})
		}
		for _, name := range a.root {
			list = append(list, runner{name, by})
		}
	}

	return list
}

// outsideOfIt is added to the name of an agent: in the sandbox it may run what it likes.
const outsideOfIt = " outside of the sandbox"
