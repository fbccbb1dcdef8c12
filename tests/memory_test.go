//go:build !race

package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

// The race detector has several bytes for each: memory is measured without it.

// mostMemory is what the host may have in memory, in bytes, whatever an agent sends: some thirteen times a message of these tests.
const mostMemory = 400 << 20

// No message of an agent's takes a multiple of its size in the host, whatever is large in it (behaviour 1043).
func TestLargeMessages(t *testing.T) {
	const n = 30 << 20
	lines := func(n int, line string) string { return strings.Repeat(line+`\n`, n/(len(line)+2)) }
	numbers := func(n int, every int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `%d\n`, i+i%every*1_000_000_000)
		}
		return b.String()
	}
	diff := func(old, text string) string {
		return `"content": [{"type": "diff", "path": "$CWD/a.txt", "oldText": "` + old + `", "newText": "` + text + `"}]`
	}
	for _, tt := range []struct{ name, call, shown string }{
		{"lines", `"kind": "edit", ` + diff("", lines(n, "a")), " more lines; <CR> opens the whole"},
		{"numbers", `"kind": "edit", ` + diff(numbers(n/2, 1), numbers(n/2, 3)), "lines are not compared"},
		{"command", `"kind": "execute", "rawInput": {"command": "` + lines(n, "ls") + `"}`, "done"},
		{"raw input", `"rawInput": {"a": [` + strings.Repeat("1,", n/2) + `1]}`, "t"},
		{"raw output", `"rawOutput": {"exitCode": [` + strings.Repeat("1,", n/2) + `1], "contents": {}}`, "t"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, run := scripted(t, `< initialize
> {"protocolVersion": 1}
< session/new
> {"sessionId": "s"}
< session/prompt
> session/update {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", `+tt.call+`}}
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "It is done."}}}
> {"stopReason": "end_turn"}
`)
			run(`acp = require("nvim-acp") require("nvim-acp.config").options.chat.fold_calls = false acp.chat() acp.prompt("go")`)
			s.checkMemory(t, run, fmt.Sprintf(`acp.status().state == "idle" and vim.iter({ %q, "It is done" }):all(function(word)
				return table.concat(vim.api.nvim_buf_get_lines(acp.status().bufnr, 0, -1, false), "\n"):find(word, 1, true) ~= nil
			end)`, tt.shown))
		})
	}
}

// checkMemory waits for something, and looks at what the host has had in memory.
func (s *story) checkMemory(t *testing.T, run func(string, ...any) string, expr string) {
	t.Helper()
	if err := s.editor.wait(expr); err != nil {
		t.Fatal(err)
	}
	_, most := proc.Memory(s.host(t))
	for calm := time.Now(); time.Since(calm) < time.Second; { // what is worked out later counts too
		if _, now := proc.Memory(s.host(t)); now > most {
			most, calm = now, time.Now()
		}
		run(`vim.wait(50)`)
	}
	t.Logf("at most %d MiB", most>>20)
	if most > mostMemory {
		t.Errorf("the host had %d MiB, want %d at most", most>>20, mostMemory>>20)
	}
}
