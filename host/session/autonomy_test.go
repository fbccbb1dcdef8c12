package session

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Modes of agents in which they decide by themselves are told from those in which they ask (behaviour 670).
func TestAutonomy(t *testing.T) {
	modes := []struct {
		id, name, description string
		want                  bool
	}{
		{"default", "Default", "Standard behavior, prompts for dangerous operations", false},
		{"plan", "Plan Mode", "Analyze but do not modify files or execute commands", false},
		{"auto", "Auto", "", true},
		{"acceptEdits", "Accept Edits", "Auto-accept file edit operations", true},
		{"bypassPermissions", "Bypass Permissions", "", true},
		{"dontAsk", "Don't Ask", "", true},
		{"read-only", "Read Only", "", false},
		{"workspace-write", "Workspace", "", true},
		{"agent", "Agent", "asks before it runs commands", false},
		{"agent-full-access", "Agent (full access)", "", true},
		{"autoEdit", "Auto Edit", "", true},
		{"auto-edit", "Edits", "", true},
		{"yolo", "YOLO", "", true},
		{"https://agentclientprotocol.com/protocol/session-modes#agent", "Agent", "", false},
		{"https://agentclientprotocol.com/protocol/session-modes#autopilot", "Autopilot", "", true},
		{"https://auto.example.com/yolo.modes#agent", "Agent", "", false},
		{"m1", "Fast", "edits and runs without asking", true},
		{"build", "Build", "", false},
		{"author", "Author", "writes documentation", false},
		{"ask", "Ask", "always asks", false},
		{"architect", "Architect", "", false},
		{"smart_approve", "smart_approve", "Ask only for sensitive tool calls", true},
		{"approve", "approve", "Ask before every tool call", false},
		{"m", "Coder", "Automatically approves all tool calls", true},
		{"m", "Coder", "Auto-approves everything without asking", true},
		{"m", "Agent", "Never prompts for approval", true},
		{"m", "Agent", "Skips permission checks", true},
		{"m", "Agent", "Skip all confirmation prompts", true},
		{"m", "Agent", "Approve everything", true},
		{"m", "Agent", "No questions asked", true},
		{"m", "Agent", "Doesn't ask for approval", true},
		{"m", "Agent", "Runs tools without permission prompts", true},
		{"m", "Safe", "Never edits without asking", false},
		{"m", "Safe", "Does not run commands without your permission", false},
		{"m", "Careful", "No file is changed without confirmation", false},
		{"m", "Careful", "Nothing is run until you approve it", false},
		{"m", "Careful", "Does not edit before asking", false},
		{"m", "Manual", "Disables auto-approve; asks every time", false},
		{"m", "Manual", "Auto-approve is off", false},
		{"m", "Manual", "Does not auto-approve anything", false},
		{"m", "Reader", "Reads files. Requires approval to edit and run commands.", false},
		{"m", "Reader", "No edits, and it asks before each command", false},
		{"never", "Never", "edits nothing", false},
		{"bypassPermissions", "", "", true},
		{"default", "", "", false},
		{"unrestricted", "Unrestricted", "", true},
		{"m", "Run Everything", "", true},
		{"m", "Trust", "", true},
		{"m", "Turbo", "", true},
		{"fullauto", "", "", true},
		{"m", "Allow Edits", "", true},
		{"m", "Coder", "All tools are allowed", true},
		{"m", "Coder", "All tool calls are allowed", true},
		{"m", "Coder", "Everything is allowed", true},
		{"m", "Coder", "Tools run immediately", true},
		{"m", "Coder", "Runs commands immediately", true},
		{"m", "Coder", "Edits are applied immediately", true},
		{"m", "Coder", "Full access: nothing is asked", true},
		{"m", "Careful", "Not all tools are allowed", false},
		{"m", "Careful", "No tools are allowed", false},
		{"m", "Careful", "All tools are allowed once approved", false},
		{"m", "Careful", "All tools are allowed if you confirm", false},
		{"m", "Careful", "Nothing is run immediately", false},
		{"m", "Careful", "Nothing is approved automatically", false},
		{"m", "Careful", "Does not trust anything", false},
		{"m", "Careful", "Allow edits with your approval", false},
		{"m", "Restricted", "Runs in an untrusted folder", false},
	}
	for _, m := range modes {
		for _, dialect := range []string{"modes", "options"} {
			var o Options
			if dialect == "modes" {
				o.init(&acp.SessionModeState{CurrentModeID: m.id, AvailableModes: []acp.SessionMode{{ID: m.id, Name: m.name, Description: m.description}}}, nil, nil)
			} else {
				o.init(nil, nil, []acp.SessionConfigOption{{
					Type: acp.ConfigSelect, ID: "m", Name: "Mode", Category: acp.CategoryMode, CurrentValue: m.id,
					Options: []acp.SessionConfigSelectOption{{Value: m.id, Name: m.name, Description: m.description}},
				}})
			}
			if got := autonomy(o.list) != ""; got != m.want {
				t.Errorf("%s %s (%s): decides by itself: %t, want %t", m.id, m.name, dialect, got, m.want)
			}
		}
	}
	var o Options
	o.init(nil, nil, []acp.SessionConfigOption{{Type: acp.ConfigSelect, ID: "approval_policy", Name: "Approval", CurrentValue: "never"}})
	if autonomy(o.list) == "" {
		t.Error("approval: never counts as asking")
	}
	for _, tt := range []struct {
		id, name, value string
		bool            bool
		want            string
	}{
		{"yolo", "YOLO", "", true, "YOLO"},
		{"yolo", "", "", true, "yolo"},
		{"yolo", "YOLO", "", false, ""},
		{"allow_all", "Allow all tools", "", true, "Allow all tools"},
		{"no_yolo", "Disable YOLO", "", true, ""},
		{"auto_compact", "Compact automatically", "", true, ""},
		{"turbo", "Turbo", "", true, ""},
		{"autonomy", "Autonomy", "high", false, "Autonomy: high"},
		{"autonomy_level", "", "medium", false, "autonomy_level: medium"},
		{"autonomy", "Autonomy", "off", false, ""},
		{"autonomy", "Autonomy", "ask", false, ""},
		{"yolo", "YOLO", "on", false, "YOLO: on"},
		{"yolo", "YOLO", "off", false, ""},
		{"effort", "Effort", "high", false, ""},
		{"mode", "Mode", "yolo", false, "yolo"},
		{"mode", "Mode", "ask", false, ""},
	} {
		opt := acp.SessionConfigOption{Type: acp.ConfigSelect, ID: tt.id, Name: tt.name, CurrentValue: tt.value}
		if tt.value == "" {
			opt.Type, opt.CurrentBool = acp.ConfigBoolean, tt.bool
		}
		o.init(nil, nil, []acp.SessionConfigOption{opt})
		if got := autonomy(o.list); got != tt.want {
			t.Errorf("%s: %q %t: %q, want %q", tt.id, tt.value, tt.bool, got, tt.want)
		}
	}
	o.init(nil, nil, []acp.SessionConfigOption{{Type: acp.ConfigSelect, ID: "model", Category: acp.CategoryModel, CurrentValue: "auto"}})
	if got := autonomy(o.list); got != "" {
		t.Errorf("a model makes it decide: %s", got)
	}
}
