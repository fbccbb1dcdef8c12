package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

var files = []measure{
	{"read 100 000 lines, modified", readModified},
	{"read 100 000 lines again", readAgain},
	{"write 100 000 lines, one changed", writeOne},
	{"write 100 000 lines, one changed, modified", writeModified},
	{"write 70 000 lines, all changed", rewrite},
}

// text is n lines of about 67 bytes; change names the one that differs.
func text(n, change int, word string) string {
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

// big is a Neovim with a file of n lines open, in a session with the agent.
func (b *bench) big(n int) (e *editor, path string) {
	e = b.start()
	path = filepath.Join(e.dir, "big.txt")
	check(os.WriteFile(path, []byte(text(n, -1, "")), 0o666))
	e.run(`vim.cmd.edit("big.txt")`)
	e.chat(false)
	return e, path
}

// bareTime is what Lua alone takes.
func (e *editor) bareTime(name, code string) *row {
	var took float64
	check(e.ExecLua(`return bench.time(...)`, &took, code))
	return &row{name: name, took: time.Duration(took * float64(time.Millisecond))}
}

func request(method, path, content string) []byte {
	params := map[string]any{"sessionId": "s1", "path": path}
	if method == "fs/write_text_file" {
		params["content"] = content
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	check(err)
	return append(data, '\n')
}

// exchange plays turns in which the user does something and the agent then sends its requests; what counts is how long
// the last of them took, in the median turn, and how Neovim answered meanwhile in all of them.
func (b *bench) exchange(e *editor, limit *row, user string, requests func(turn int) []byte) {
	const turns = 7
	var took []time.Duration
	r := &row{limit: limit}
	e.watched(r, false, func() {
		for turn := range turns {
			check(os.WriteFile(filepath.Join(e.dir, "requests"), requests(turn), 0o666))
			e.run(user)
			e.prompt("requests")
			took = append(took, e.asked())
		}
	})
	slices.Sort(took)
	r.took = took[turns/2]
	_, r.memory = proc.Memory(e.host())
	b.named(r)
}

const getLines = `local lines = vim.api.nvim_buf_get_lines(1, 0, -1, false)`

// asked is how long the last request of the agent's took.
func (e *editor) asked() time.Duration {
	data, err := os.ReadFile(filepath.Join(e.dir, "took"))
	check(err)
	var times []float64
	check(json.Unmarshal(data, &times))
	return time.Duration(times[len(times)-1] * float64(time.Millisecond))
}

func readModified(b *bench) {
	e, path := b.big(100_000)
	limit := e.bareTime("nvim_buf_get_lines", getLines)
	b.exchange(e, limit, `vim.api.nvim_buf_set_lines(1, 0, 1, false, { "typed" })`, func(int) []byte {
		return request("fs/read_text_file", path, "")
	})
}

func readAgain(b *bench) {
	e, path := b.big(100_000)
	b.exchange(e, e.bareTime("nvim_buf_get_lines", getLines), "", func(int) []byte {
		return append(request("fs/read_text_file", path, ""), request("fs/read_text_file", path, "")...)
	})
}

func writeOne(b *bench) {
	e, path := b.big(100_000)
	limit := e.bareTime("get, set one line, save", getLines+`
		vim.api.nvim_buf_set_lines(1, 50000, 50001, false, { lines[50001] .. "." })
		vim.api.nvim_buf_call(1, function() vim.cmd("silent write!") end)`)
	b.exchange(e, limit, "", func(turn int) []byte {
		return append(request("fs/read_text_file", path, ""),
			request("fs/write_text_file", path, text(100_000, 50_000, fmt.Sprint("agent", turn)))...)
	})
}

// writeModified is writeOne into a buffer with unsaved changes at its beginning, of which the agent has read some.
func writeModified(b *bench) {
	e, path := b.big(100_000)
	limit := e.bareTime("get, set one line, save", getLines+`
		vim.api.nvim_buf_set_lines(1, 50000, 50001, false, { lines[50001] .. "." })
		vim.api.nvim_buf_call(1, function() vim.cmd("silent write!") end)`)
	typed := `bench.typed = (bench.typed or 0) + 1
		vim.api.nvim_buf_set_lines(1, 0, 1, false, { "typed " .. bench.typed, "and more" })`
	b.exchange(e, limit, typed, func(turn int) []byte {
		_, rest, _ := strings.Cut(text(100_000, 50_000, fmt.Sprint("agent", turn)), "\n")
		seen := fmt.Sprintf("typed %d\n", turn) + strings.Repeat("and more\n", turn) + rest
		return append(request("fs/read_text_file", path, ""), request("fs/write_text_file", path, seen)...)
	})
}

func rewrite(b *bench) {
	e, path := b.big(70_000)
	limit := e.bareTime("get, vim.diff, set all, save", getLines+`
		local other = {}
		for i, line in ipairs(lines) do other[i] = line .. "." end
		vim.diff(table.concat(lines, "\n"), table.concat(other, "\n"), { result_type = "indices" })
		vim.api.nvim_buf_set_lines(1, 0, -1, false, other)
		vim.api.nvim_buf_call(1, function() vim.cmd("silent write!") end)`)
	b.exchange(e, limit, "", func(turn int) []byte {
		return request("fs/write_text_file", path, strings.ReplaceAll(text(70_000, -1, ""), "line", fmt.Sprint("agent", turn)))
	})
}
