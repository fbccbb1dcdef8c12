package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// bigEditor opens a file of that text in a session with a raw agent.
func bigEditor(b *testing.B, text string) (e *editor, dir string) {
	b.Helper()
	dir = b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "big.txt"), []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
	e = agentEditor(b, dir, mustLook("raw-agent"), filepath.Join(dir, "requests"), filepath.Join(dir, "took"))
	_, err := e.lua(`vim.cmd.edit("big.txt") require("nvim-acp").chat({ focus = false })`)
	if err == nil {
		err = e.wait(`require("nvim-acp").status().state == "idle"`)
	}
	if err != nil {
		b.Fatal(err)
	}
	return e, dir
}

// bare measures what Lua needs for the bare operation, in milliseconds: the median of five runs, each with the garbage of
// the one before to collect, as the plugin has.
func bare(b *testing.B, e *editor, code string) float64 {
	b.Helper()
	times := make([]float64, 5)
	for i := range times {
		if err := e.ExecLua(`
			local code = assert(loadstring(...))
			local began = vim.uv.hrtime()
			code()
			return (vim.uv.hrtime() - began) / 1e6`, &times[i], code); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(times)
	return times[2]
}

// BenchmarkReadModified is fs/read_text_file of a buffer of 100 000 lines that was modified since it was read last, against
// a bare nvim_buf_get_lines.
func BenchmarkReadModified(b *testing.B) {
	e, dir := bigEditor(b, bigText(100_000, -1, ""))
	limit := bare(b, e, `local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)`)
	typed := `vim.api.nvim_buf_set_lines(1, 0, 1, false, { "typed" })`
	playTurns(b, e, dir, typed, func(int) []byte {
		return rawRequest(1, "fs/read_text_file", filepath.Join(dir, "big.txt"), "")
	})
	b.ReportMetric(limit, "limit-ms")
}

// BenchmarkReadAgain is the same for a buffer that has not changed since.
func BenchmarkReadAgain(b *testing.B) {
	e, dir := bigEditor(b, bigText(100_000, -1, ""))
	playTurns(b, e, dir, "", func(int) []byte {
		read := rawRequest(1, "fs/read_text_file", filepath.Join(dir, "big.txt"), "")
		return append(read, read...)
	})
}

// BenchmarkWriteOneLine is fs/write_text_file of one changed line in 100 000 that the agent has read before, against get,
// trim, set and save.
func BenchmarkWriteOneLine(b *testing.B) {
	e, dir := bigEditor(b, bigText(100_000, -1, ""))
	limit := bare(b, e, `
		local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
		vim.api.nvim_buf_set_lines(0, 50000, 50001, false, { lines[50001] .. "." })
		vim.cmd("silent write!")`)
	path := filepath.Join(dir, "big.txt")
	playTurns(b, e, dir, "", func(turn int) []byte {
		write := rawRequest(2, "fs/write_text_file", path, bigText(100_000, 50_000, fmt.Sprint("agent", turn)))
		return append(rawRequest(1, "fs/read_text_file", path, ""), write...)
	})
	b.ReportMetric(limit, "limit-ms")
}

// BenchmarkRewrite is a rewrite of every line of 5 MB.
func BenchmarkRewrite(b *testing.B) {
	e, dir := bigEditor(b, bigText(70_000, -1, ""))
	playTurns(b, e, dir, "", func(turn int) []byte {
		text := strings.ReplaceAll(bigText(70_000, -1, ""), "line", fmt.Sprint("agent", turn))
		return rawRequest(1, "fs/write_text_file", filepath.Join(dir, "big.txt"), text)
	})
}
