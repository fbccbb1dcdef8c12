package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// streamScript streams n chunks of 40 bytes, two lines to a chunk and a half, and writes a file when they are out.
func streamScript(n int) string {
	return fmt.Sprintf(`< initialize
> {"protocolVersion": 1}
< session/new
> {"sessionId": "s"}
< session/prompt
repeat %d
> session/update {"sessionId": "s", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "word word word word word word $i word\n"}}}
end
> {"stopReason": "end_turn"}
`, n)
}

// cpu is the processor time a process has used, in seconds.
func cpu(tb testing.TB, pid int) float64 {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		tb.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	user, _ := strconv.Atoi(fields[11]) // the kernel's numbers
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) / 100
}

// benchEditor is a Neovim with a screen of 200×50 and a chat whose agent plays script.
func benchEditor(tb testing.TB, script string) *editor {
	tb.Helper()
	dir := tb.TempDir()
	path := filepath.Join(dir, "script")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		tb.Fatal(err)
	}
	env := append(os.Environ(), "XDG_STATE_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	e, err := startEditor(plugin(tb), dir, env)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(e.close)
	if err := e.AttachUI(200, 50, map[string]any{"ext_linegrid": true, "rgb": true}); err != nil {
		tb.Fatal(err)
	}
	_, err = e.lua(`
		local bin, script = ...
		require("nvim-acp").setup({ agent = "s", agents = { s = { command = bin, args = { "agent", "--script", script } } } })
		require("nvim-acp").chat()`, mustLook("nvim-acp"), path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := e.wait(`require("nvim-acp").status().state=="idle"`); err != nil {
		tb.Fatal(err)
	}
	return e
}

// bareLoop is the limit: a plain Lua loop that decodes the same messages and appends their text in 16 ms batches.
const bareLoop = `
	local n = ...
	local buf = vim.api.nvim_create_buf(false, true)
	vim.api.nvim_open_win(buf, false, { split = "right", win = -1 })
	local i, began = 0, vim.uv.hrtime()
	local line = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"word word word word word word %d word\\n"}}}}'
	local busy = 0
	while i < n do
		local start, batch = vim.uv.hrtime(), {}
		while i < n and #batch < 700 do
			i = i + 1
			table.insert(batch, (vim.json.decode(line:format(i)).params.update.content.text:gsub("\n", "")))
		end
		vim.api.nvim_buf_set_lines(buf, -1, -1, false, batch)
		vim.cmd.redraw()
		busy = busy + vim.uv.hrtime() - start
	end
	return tostring(busy / 1e9)`

// BenchmarkStream streams 10 000 chunks of 40 B at the pipe's speed. Metrics: seconds in all, CPU of Neovim, the longest
// round trip of a bystander, and the limit of the same text appended by a bare Lua loop.
func BenchmarkStream(b *testing.B) {
	const n = 10_000
	for range b.N {
		e := benchEditor(b, streamScript(n))
		limit, err := e.lua(bareLoop, n)
		if err != nil {
			b.Fatal(err)
		}
		before, began := cpu(b, e.pid), time.Now()
		if _, err := e.lua(`require("nvim-acp").prompt("go")`); err != nil {
			b.Fatal(err)
		}
		var longest time.Duration
		for idle := false; !idle; {
			start := time.Now()
			if err := e.ExecLua(`return require("nvim-acp").status().state == "idle"`, &idle); err != nil {
				b.Fatal(err)
			}
			longest = max(longest, time.Since(start))
			time.Sleep(time.Millisecond)
		}
		total := time.Since(began)
		bare, _ := strconv.ParseFloat(limit, 64)
		b.ReportMetric(total.Seconds(), "s")
		b.ReportMetric(cpu(b, e.pid)-before, "cpu-s")
		b.ReportMetric(bare, "limit-s")
		b.ReportMetric(float64(longest.Microseconds())/1000, "rtt-max-ms")
		e.close()
	}
}
