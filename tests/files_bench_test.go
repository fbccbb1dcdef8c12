package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// stallWatch measures how long Neovim's loop was held: how long a bystander's round trip took at most.
type stallWatch struct {
	stop chan struct{}
	most chan time.Duration
}

func watchStalls(e *editor) stallWatch {
	w := stallWatch{make(chan struct{}), make(chan time.Duration, 1)}
	go func() { // until end
		var most time.Duration
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				w.most <- most
				return
			case <-tick.C:
			}
			began := time.Now()
			var one int
			if e.ExecLua("return 1", &one) == nil {
				most = max(most, time.Since(began))
			}
		}
	}()
	return w
}

func (w stallWatch) end() float64 {
	close(w.stop)
	return float64((<-w.most).Microseconds()) / 1000
}

// bigText is a text of n lines, about 67 bytes each; change names the line that differs.
func bigText(n, change int, word string) string {
	var b strings.Builder
	for i := range n {
		w := "line"
		if i == change {
			w = word
		}
		fmt.Fprintf(&b, "%s %d of a text that is long enough to be like a line of code, or so\n", w, i)
	}
	return b.String()
}

// bigEditor opens a file of that text, and starts an agent that plays the rest of the script at its prompt.
func bigEditor(b *testing.B, text, rest string) *editor {
	b.Helper()
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "big.txt"), []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(dir, "agent.script")
	head := "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\n< session/prompt\n"
	if err := os.WriteFile(script, []byte(head+rest+"> {\"stopReason\": \"end_turn\"}\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	e := raceEditor(b, dir, script)
	_, err := e.lua(`vim.cmd.edit("big.txt") require("nvim-acp").chat({ focus = false })`)
	if err == nil {
		err = e.wait(`require("nvim-acp").status().state == "idle"`)
	}
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// playTurn sends the prompt and measures until the turn is over.
func playTurn(b *testing.B, e *editor) {
	b.Helper()
	w := watchStalls(e)
	b.ResetTimer()
	if _, err := e.lua(`require("nvim-acp").prompt("go")`); err != nil {
		b.Fatal(err)
	}
	if err := e.wait(`require("nvim-acp").status().state == "idle"`); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(w.end(), "stall-ms")
}

// bare measures what Lua needs for the bare operation, in milliseconds.
func bare(b *testing.B, e *editor, code string) float64 {
	b.Helper()
	var ms float64
	if err := e.ExecLua(`
		local code = assert(loadstring(...))
		local best = math.huge
		for _ = 1, 5 do
			local began = vim.uv.hrtime()
			code()
			best = math.min(best, (vim.uv.hrtime() - began) / 1e6)
		end
		return best`, &ms, code); err != nil {
		b.Fatal(err)
	}
	return ms
}

// BenchmarkReadModified is fs/read_text_file of a modified buffer of 100 000 lines, against a bare nvim_buf_get_lines.
func BenchmarkReadModified(b *testing.B) {
	rest := fmt.Sprintf("repeat %d\n> request fs/read_text_file {\"sessionId\": \"s\", \"path\": \"$CWD/big.txt\"}\n< {}\nend\n", b.N)
	e := bigEditor(b, bigText(100_000, -1, ""), rest)
	if _, err := e.lua(`vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })`); err != nil {
		b.Fatal(err)
	}
	limit := bare(b, e, `local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)`)
	playTurn(b, e)
	b.ReportMetric(limit, "limit-ms")
}

// BenchmarkWriteOneLine is fs/write_text_file of one changed line in 100 000, against get, trim, set and save.
func BenchmarkWriteOneLine(b *testing.B) {
	var rest strings.Builder
	for i := range b.N {
		fmt.Fprintf(&rest, "> request fs/write_text_file {\"sessionId\": \"s\", \"path\": \"$CWD/big.txt\", \"content\": %q}\n< {}\n",
			bigText(100_000, 50_000, fmt.Sprint("agent", i)))
	}
	e := bigEditor(b, bigText(100_000, -1, ""), rest.String())
	limit := bare(b, e, `
		local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
		lines[50000] = vim.trim(lines[50000])
		vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
		vim.cmd("silent write!")`)
	playTurn(b, e)
	b.ReportMetric(limit, "limit-ms")
}

// BenchmarkRewrite is a rewrite of every line of 5 MB.
func BenchmarkRewrite(b *testing.B) {
	var rest strings.Builder
	for i := range b.N {
		fmt.Fprintf(&rest, "> request fs/write_text_file {\"sessionId\": \"s\", \"path\": \"$CWD/big.txt\", \"content\": %q}\n< {}\n",
			strings.ReplaceAll(bigText(70_000, -1, ""), "line", fmt.Sprint("agent", i)))
	}
	playTurn(b, bigEditor(b, bigText(70_000, -1, ""), rest.String()))
}
