package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	editLines  = 500
	keyedEdits = 8 // edits during which keys are typed: some five hundred keys
)

var edits = []measure{
	{"an edit of 500 lines: its last byte to its diff", func(b *bench) { b.edit("at once", 1) }},
	{"an edit of 500 lines in 1 s, keys above it", func(b *bench) { b.edit("slowly", 1) }},
	{"an edit of 500 lines in 1 s, keys in it", func(b *bench) { b.edit("slowly", 400) }},
}

// editText is code, or with a word the same with every second line of its first half changed.
func editText(word string) []string {
	lines := make([]string, editLines)
	for i := range lines {
		lines[i] = fmt.Sprintf("  value%d := compute(%d, `some words`, other[%d]) // as before", i, i, i)
		if word != "" && i%2 == 1 && i < editLines/2 {
			lines[i] = fmt.Sprintf("  value%d := %s(%d, `some words`, other[%d]) // as before", i, word, i, i)
		}
	}
	return lines
}

// edit answers a request to change lines, and notes when it has written the last of it.
func (a *agent) edit(session, prompt string) {
	lines := editText("changed")
	step := len(lines)
	if strings.Contains(prompt, "slowly") {
		step = 5
	}

	a.write(update(session, "agent_message_chunk", "```go\n"))
	for i := 0; i < len(lines); i += step {
		if i > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		a.write(update(session, "agent_message_chunk", strings.Join(lines[i:i+step], "\n")+"\n"))
		a.flush()
	}

	a.write(update(session, "agent_message_chunk", "```\n"))
	a.flush()
	a.note("last")
}

// edit measures from the last byte of an answer to its diff in the window, and to all of it; what counts beside that is how keys are answered
// meanwhile, which are typed into a line.
func (b *bench) edit(how string, line int) {
	e := b.start()
	text := append([]string{"package bench", ""}, editText("")...)
	check(os.WriteFile(filepath.Join(e.dir, "bench.go"), []byte(strings.Join(text, "\n")+"\n"), 0o666))
	e.run(`vim.cmd.edit("bench.go")`)
	e.chat(false)
	e.run(`
		local draw, shown = require("nvim-acp.edit.draw"), false
		local diff = draw.diff
		draw.diff = function(place, frame)
			if #place.marks == 0 and #frame.marks > 0 then
				vim.rpcnotify(bench.channel, "bench", "begins")
			end
			diff(place, frame)
			if frame.phase == "ready" and not shown then -- the part of the diff that the window shows
				shown = true
				vim.cmd.redraw()
				vim.rpcnotify(bench.channel, "bench", "shown")
			end
		end
		vim.api.nvim_create_autocmd("User", { pattern = "AcpEditReady", callback = function()
			shown = false
			vim.cmd.redraw()
			vim.rpcnotify(bench.channel, "bench", "AcpEditReady")
		end })`)

	host := e.host()
	one := func() *row {
		neovims, hosts := cpu(e.pid), cpu(host)
		e.run(`local how, last = ...
			require("nvim-acp").edit({ range = { 3, last }, instruction = how })`, how, editLines+2)
		e.awaits("begins")
		e.quiet.Store(false)
		e.awaits("shown")
		shown := time.Now()
		e.awaits("AcpEditReady")
		all := time.Now()
		e.quiet.Store(true)
		last := e.noted("last")
		e.run(`local _, p = next(require("nvim-acp.edit.place").all)
			require("nvim-acp.edit").finish(p, "dropped")`)
		whole := fmt.Sprintf("all of it after %s ms", ms(all.Sub(last)))
		return &row{took: shown.Sub(last), cpu: cpu(e.pid) - neovims, host: cpu(host) - hosts, note: whole}
	}

	r := median(5, one)
	e.run(`vim.api.nvim_win_set_cursor(0, { ..., 0 }) vim.cmd("normal! o")`, line)
	e.quiet.Store(true) // keys count while the answer comes, not while the session starts
	e.watched(r, true, func() {
		for range keyedEdits {
			one()
		}
	})
	e.quiet.Store(false)
	if how == "slowly" {
		r.limit = &row{name: "the same marks by a bare loop"}
		e.watched(r.limit, true, func() {
			for range keyedEdits {
				e.run(`bench.edit(...)`, 2, editText(""), editText("changed"))
				e.awaits("edited")
			}
		})
	}

	b.named(r)
}

// awaits waits until Neovim says something, whatever it says before.
func (e *editor) awaits(what string) {
	for {
		select {
		case got := <-e.said:
			if got == what {
				return
			}
		case <-time.After(patience):
			check(fmt.Errorf("never heard of %s", what))
		}
	}
}
