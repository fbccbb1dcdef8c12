package hostile

import (
	"maps"
	"slices"
)

// Metas returns the members of `_meta` that the program reads, and a value of each with texts in it.
func (s *Schema) Metas() map[string]any {
	t := func(field string) string { return s.text("_meta." + field) }
	terminal := func(name string, more ...any) map[string]any {
		out := map[string]any{"terminal_id": []string{"t1", "t2", t(name + ".terminal_id")}[s.Pick(3)]}
		for i := 0; i+1 < len(more); i += 2 {
			out[more[i].(string)] = more[i+1]
		}
		return out
	}

	return map[string]any{
		"terminal_info":         terminal("terminal_info"),
		"terminal_output":       terminal("terminal_output", "data", t("terminal_output.data")),
		"terminal_output_delta": terminal("terminal_output_delta", "data", t("terminal_output_delta.data")),
		"terminal_exit":         terminal("terminal_exit", "signal", t("terminal_exit.signal"), "exit_code", s.Pick(3)),
		"claudeCode": map[string]any{
			"toolName": t("claudeCode.toolName"), "mcpServer": map[string]any{"name": t("claudeCode.mcpServer")},
			"parentToolUseId": t("claudeCode.parentToolUseId"),
		},
		"github.com/copilot":  map[string]any{"agentId": t("copilot.agentId")},
		"toolName":            t("toolName"),
		"serverId":            t("serverId"),
		"is_mcp_tool_call":    s.Pick(2) == 0,
		"qwenDiscreteMessage": s.Pick(2) == 0,
		"_claude/rateLimit": map[string]any{
			"status": []string{"rejected", "allowed_warning", t("rateLimit.status")}[s.Pick(3)], "rateLimitType": t("rateLimit.type"), "utilization": 0.9,
		},
		"promptSuggestions": map[string]any{"suggestions": []any{map[string]any{"text": t("promptSuggestions.text")}}},
		"steering":          map[string]any{"supported": s.Pick(2) == 0},
		"api-key":           map[string]any{"provider": t("api-key.provider")},
		"type":              t("type"),
		"args":              []any{t("args")},
		"terminal-auth": map[string]any{
			"command": t("terminal-auth.command"), "args": []any{t("terminal-auth.args")}, "env": map[string]any{t("terminal-auth.env"): t("terminal-auth.env")},
		},
		"usage":    map[string]any{"totalTokens": []any{s.Pick(1000), t("usage.totalTokens")}[s.Pick(2)]},
		"quota":    map[string]any{"token_count": map[string]any{"input_tokens": s.Pick(9), "output_tokens": t("quota.output_tokens")}},
		"nvim-acp": map[string]any{"conflicts": s.Pick(2)},
	}
}

// meta returns some of them, as one `_meta`.
func (s *Schema) meta() any {
	out := map[string]any{}
	if s.Pick(3) > 0 {
		return out // most messages have none, and with all of them no two would differ
	}
	all := s.Metas()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if s.Pick(3) == 0 {
			out[name] = all[name]
		}
	}
	return out
}
