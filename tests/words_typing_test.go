package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// While the user types at lines all of which the agent writes anew, again and again, conflicts have hundreds of lines, many of them
// equal on both sides: what is left of the cursor stays there, and never is the cursor in the agent's half (behaviour 704).
func TestTyping(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	p := newGame(t, seed)
	p.lua(`local function lines(word)
			local list = {}
			for i = 1, 400 do list[i] = word .. " " .. i end
			return list
		end
		vim.api.nvim_buf_set_lines(0, 1, -2, false, lines("base"))
		vim.cmd("silent write")
		vim.api.nvim_buf_set_lines(0, 1, -2, false, lines("mine"))`)
	base, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}

	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- rewriter(p, string(base), rand.New(rand.NewPCG(seed, 2)), stop) }()
	conflicts, enough, last := 0, time.Now().Add(*wordsFor/3), time.Now().Add(*wordsFor/3+patience)
	for (time.Now().Before(enough) || conflicts < 200 && time.Now().Before(last)) && !t.Failed() { // a busy machine takes longer
		keys := []string{"<F5>", []string{"A ", "o", "I"}[p.rand.IntN(3)]}
		for _, char := range p.word() {
			keys = append(keys, string(char))
		}
		if err := p.keys(append(keys, "<Esc>")...); err != nil {
			t.Fatal(err)
		}
		var u userState
		if err := p.e.ask("return ledger.state()", &u); err != nil {
			t.Fatal(err)
		}
		conflicts = max(conflicts, longest(u.Text))
		for _, problem := range u.Problems {
			t.Error(problem)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
	t.Logf("the longest conflict had %d lines", conflicts)
	if conflicts < 200 {
		t.Errorf("the longest conflict had %d lines: that is no test", conflicts)
	}
}

// rewriter writes the file anew until stop: from what it was at first, or from what the editor has, with most lines changed.
func rewriter(p *game, base string, r *rand.Rand, stop <-chan struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return nil
		case <-time.After(time.Duration(r.IntN(15)) * time.Millisecond):
		}
		text := base
		if r.IntN(2) == 0 {
			now, err := p.agent.read(0, 0)
			if err != nil {
				return err
			}
			text = now
		}
		var out []string
		for i, line := range strings.Split(text, "\n") {
			switch {
			case marker(line):
			case r.IntN(3) == 0 && strings.HasPrefix(line, "base"):
				out = append(out, fmt.Sprint("mine ", i))
			case r.IntN(4) > 0 && (strings.HasPrefix(line, "base") || strings.HasPrefix(line, "mine")):
				out = append(out, fmt.Sprintf("agent %d %d", n, i))
			default:
				out = append(out, line)
			}
		}
		if len(out) > 1000 {
			out = out[:1000]
		}
		if err := p.agent.write(strings.TrimSuffix(strings.Join(out, "\n"), "\n") + "\n"); err != nil {
			return err
		}
	}
}

// longest returns the number of lines of the longest conflict in a text.
func longest(text string) int {
	most, from := 0, -1
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "<<<<<<<"):
			from = i
		case strings.HasPrefix(line, ">>>>>>>") && from >= 0:
			most = max(most, i-from+1)
			from = -1
		}
	}
	return most
}

// What autocommands make of a saved text is merged in Lua: there too the hunks lead from the old text to the new one, and no line of the
// user's to an equal one in the agent's half (behaviour 704).
func TestMoves(t *testing.T) {
	t.Parallel()
	_, run := scripted(t, "")
	if got := run(`local rebase = require("nvim-acp.files.rebase")
		local function some(n)
			local list = {}
			for i = 1, n do list[i] = "l" .. math.random(6) end
			return list
		end
		for round = 1, 2000 do
			local from = some(math.random(1, 12))
			local at = math.random(0, #from)
			local first, n = {}, math.random(0, #from - at)
			local to = vim.list_slice(from, 1, at)
			if round % 3 == 0 then vim.list_extend(to, some(2)) end
			table.insert(to, "<<<<<<< yours")
			local mine = #to
			vim.list_extend(to, vim.list_slice(from, at + 1, at + n))
			table.insert(to, "=======")
			vim.list_extend(to, some(4))
			vim.list_extend(to, vim.list_slice(from, at + 1, at + n))
			table.insert(to, ">>>>>>> agent")
			vim.list_extend(to, vim.list_slice(from, at + n + 1))
			local shift, row = 0, 0
			for _, h in ipairs(rebase.moves(from, to)) do
				for i = row, h.first - 1 do
					assert(from[i + 1] == to[i + shift + 1], round .. ": another line " .. vim.inspect({ from, to, rebase.moves(from, to) }))
					assert(round % 3 == 0 or i < at or i >= at + n or i + shift == mine + i - at, round .. ": in another half")
				end
				shift, row = shift + h.count - (h.last - h.first), h.last
			end
			assert(#to - #from == shift, round .. ": another length")
		end
		return "all"`); got != "all" {
		t.Error(got)
	}
}
