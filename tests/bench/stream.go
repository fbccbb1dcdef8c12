package main

import (
	"fmt"
	"os"
	"time"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

var streams = []measure{
	{"1 000 chunks of 40 B", stream("chunks 1000", 5)},
	{"10 000 chunks of 40 B", stream("chunks 10000", 3)},
	{"100 000 chunks of 40 B", stream("chunks 100000", 1)},
	{"10 000 chunks, half of them code", stream("fences 10000", 3)},
	{"10 000 chunks of thoughts", stream("thoughts 10000", 3)},
	{"200 calls with diffs of 20 lines", stream("calls 200", 3)},
	{"200 calls with diffs that are shown", stream("edits 200", 3)},
	{"one message of 64 MiB on one line", wideLine},
	{"20 sessions, 1 000 chunks each, at once", manySessions},
	{"session/load of 20 000 updates", load},
}

// prompt has the agent do something, and waits until all of it is shown.
func (e *editor) prompt(text string) {
	e.run(`require("nvim-acp").prompt(...)`, text)
	e.hear("AcpTurnEnd")
}

// bare has the bare loop show the same.
func (e *editor) bare(text string) {
	exe, err := os.Executable()
	check(err)
	e.run(`bench.bare(...)`, exe, e.dir, text)
	e.hear("bare")
}

// timed measures time and processor time, with nobody looking.
func (e *editor) timed(host int, run func()) *row {
	r := &row{}
	mine := cpu(e.pid)
	var its time.Duration
	if host != 0 {
		its = cpu(host)
	}

	began := time.Now()
	run()
	r.took = time.Since(began)
	r.cpu = cpu(e.pid) - mine
	if host != 0 {
		r.host = cpu(host) - its
	}

	return r
}

// settled is timed until nothing more is done about it: until what is over is highlighted.
func (e *editor) settled(host int, run func()) *row {
	return e.timed(host, func() {
		run()
		e.calm(host)
	})
}

// calm waits until neither Neovim nor the host, if there is one, does anything.
func (e *editor) calm(host int) {
	used := time.Duration(-1)
	for quiet := 0; quiet < 5; time.Sleep(100 * time.Millisecond) {
		now := cpu(e.pid)
		if host != 0 {
			now += cpu(host)
		}
		if quiet++; now-used > 10*time.Millisecond {
			quiet = 0
		}
		used = now
	}
}

// stream measures a turn and its limit: some times with nobody looking, then once watched.
func stream(prompt string, times int) func(*bench) {
	return func(b *bench) {
		e := b.chat()
		limit := median(times, func() *row {
			r := e.timed(0, func() { e.bare(prompt) })
			e.run(`bench.clear()`)
			return r
		})
		before, _ := proc.Memory(e.pid)
		e.bare(prompt)
		after, _ := proc.Memory(e.pid)
		limit.grew = after - before
		e.run(`bench.clear()`)
		limit.pause = e.longest(func() { e.bare(prompt) })
		e.run(`bench.clear()`)
		e.watched(limit, true, again(func() {
			e.bare(prompt)
			e.run(`bench.clear()`)
		}))
		limit.name = "a bare Lua client"
		e.close()

		e = b.chat()
		host := e.host()
		before, _ = proc.Memory(e.pid)
		grew := 0
		r := median(times, func() *row {
			r := e.timed(host, func() { e.prompt(prompt) })
			if grew == 0 {
				after, _ = proc.Memory(e.pid)
				grew = after - before
			}
			return r
		})
		whole := e.settled(host, func() { e.prompt(prompt) })
		r.note = fmt.Sprintf("with what comes after it: host %s ms, Neovim %s ms", ms(whole.host), ms(whole.cpu))
		r.pause = e.longest(func() { e.prompt(prompt) })
		e.watched(r, true, again(func() { e.prompt(prompt) }))
		r.grew = grew
		_, r.memory = proc.Memory(host)
		r.limit = limit
		b.named(r)
	}
}

// named adds a row that was measured under the name of the running measure.
func (b *bench) named(r *row) {
	r.name = b.running
	b.rows = append(b.rows, r)
}

// wideLine has no limit: a bare client would decode it in one go.
func wideLine(b *bench) {
	e := b.chat()
	r := e.timed(e.host(), func() { e.prompt("line 67108864") })
	e.watched(r, true, func() { e.prompt("line 67108864") })
	_, r.memory = proc.Memory(e.host())
	b.named(r)
}

func manySessions(b *bench) {
	const n = 20
	e := b.chat()
	for range n - 1 {
		e.run(`require("nvim-acp").chat({ new = true, focus = false })`)
		e.hear("AcpReady")
	}

	all := func() {
		e.run(`for _, s in ipairs(require("nvim-acp").sessions()) do require("nvim-acp").prompt("chunks 1000", { session = s.session }) end`)
		for range n {
			e.hear("AcpTurnEnd")
		}
	}

	limit := e.timed(0, func() { e.bare(fmt.Sprint("chunks ", n*1000)) })
	e.run(`bench.clear()`)
	limit.name = "a bare Lua client, in one window"
	r := median(3, func() *row { return e.timed(e.host(), all) })
	e.watched(r, true, again(all))
	_, r.memory = proc.Memory(e.host())
	r.limit = limit
	b.named(r)
}

func load(b *bench) {
	e := b.chat()
	limit := e.timed(0, func() { e.bare("load 20000") })
	e.run(`bench.clear()`)
	limit.name = "a bare Lua client"
	opened := func(id int) func() {
		return func() {
			e.run(`require("nvim-acp").chat({ session = ..., agent = "bench" })`, fmt.Sprint("old", id))
			e.hear("AcpReady")
		}
	}

	id := 0
	r := median(3, func() *row { id++; return e.timed(e.host(), opened(id)) })
	e.watched(r, false, opened(id+1))
	first := middle([]*row{e.firstScreen(id + 2), e.firstScreen(id + 3), e.firstScreen(id + 4)}, func(r *row) time.Duration { return r.took })
	r.note = fmt.Sprintf("the first screen %s ms after the first update, %s after the command", ms(first.took), first.note)
	_, r.memory = proc.Memory(e.host())
	r.limit = limit
	b.named(r)
}

// firstScreen measures from the first update of a previous session, opened after a quiet moment, until its transcript fills a screen.
func (e *editor) firstScreen(id int) *row {
	time.Sleep(500 * time.Millisecond)
	e.run(`bench.first_lines(...)`, fmt.Sprint("old", id))
	e.hear("AcpReady")
	var took, at float64
	check(e.ExecLua(`return bench.first.took`, &took))
	check(e.ExecLua(`return bench.first.at`, &at))
	return &row{took: time.UnixMicro(int64(at * 1e3)).Sub(e.noted("first")), note: fmt.Sprintf("%.1f", took)}
}

var long = []measure{
	{"100 chunks a second behind 10 000", paced},
	{"a chunk at 50 000 against at 1 000", lengths},
	{"100 000 lines: page down, 200 times", scroll},
	{"idle, 3 s", idleTime},
}

// paced is the share of a core that a steady stream takes, in turns with its limit: what counts is processor time, which depends on what
// else the machine does.
func paced(b *bench) {
	const seconds, times = 3, 5
	prompt := fmt.Sprint("paced ", 100*seconds)
	e := b.chat()
	e.prompt("blocks 10000")
	e.bare("blocks 10000")
	e.run(`bench.clear()`)
	var limits, rows []*row
	for range times {
		limits = append(limits, e.timed(0, func() { e.bare(prompt) }))
		e.run(`bench.clear()`)
		rows = append(rows, e.timed(e.host(), func() { e.prompt(prompt) }))
	}

	used := func(r *row) time.Duration { return r.cpu + r.host }
	limit, r := middle(limits, used), middle(rows, used)
	limit.name = "a bare Lua client"
	e.watched(r, true, func() { e.prompt(prompt) })
	r.limit = limit
	whole := used(r).Seconds()
	r.note = fmt.Sprintf("%.1f %% of a core in Neovim, %.1f %% in the host; both %.2f × the limit", 100*r.cpu.Seconds()/r.took.Seconds(),
		100*r.host.Seconds()/r.took.Seconds(), whole/used(limit).Seconds())
	b.named(r)
}

// lengths compares what a chunk costs Neovim in a long transcript and in a short one. The limit is the short one.
func lengths(b *bench) {
	e := b.chat()
	cost := func() *row {
		return median(5, func() *row { return e.timed(e.host(), func() { e.prompt("blocks 1000") }) })
	}
	e.prompt("blocks 1000")
	short := cost()
	short.name = "at 1 000 to 6 000"
	e.prompt("blocks 45000")
	time.Sleep(2 * time.Second) // what came with it is highlighted
	r := cost()
	r.limit = short
	b.named(r)
}

// scroll opens a transcript of 100 000 lines, and goes through it.
func scroll(b *bench) {
	e := b.chat()
	e.prompt("blocks 100000")
	pages := func() {
		e.run(`vim.cmd("normal! gg")`)
		for range 200 {
			e.run(`vim.cmd("normal! \6")`)
		}
		e.run(`vim.cmd("normal! G")`)
	}

	e.run(`
		local buf = require("nvim-acp").status().bufnr
		vim.cmd("stopinsert")
		vim.api.nvim_set_current_win(vim.fn.bufwinid(buf))`)
	r := median(3, func() *row { return e.timed(0, pages) })
	e.watched(r, false, pages)
	opened := e.timed(0, func() {
		e.run(`vim.cmd("wincmd p") for _, w in ipairs(vim.api.nvim_list_wins()) do
			if vim.b[vim.api.nvim_win_get_buf(w)].acp_session then pcall(vim.api.nvim_win_close, w, true) end end`)
		e.run(`require("nvim-acp").chat()`)
	})
	e.run(`
		local lines = vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false)
		local buf = vim.api.nvim_create_buf(false, true)
		vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
		vim.api.nvim_set_current_win(vim.api.nvim_open_win(buf, true, { split = "right", win = -1, width = vim.api.nvim_win_get_width(0) }))`)
	limit := median(3, func() *row { return e.timed(0, pages) })
	e.watched(limit, false, pages)
	limit.name = "the same lines in a scratch buffer"
	r.limit = limit
	r.note = fmt.Sprintf("closed and opened again in %s ms", ms(opened.took))
	_, r.memory = proc.Memory(e.host())
	b.named(r)
}

// idleTime is what is spent while nothing happens.
func idleTime(b *bench) {
	const wait = 3 * time.Second
	e := b.chat()
	e.prompt("chunks 100")
	time.Sleep(2500 * time.Millisecond) // the merge window is over
	r := e.timed(e.host(), func() { time.Sleep(wait) })
	r.note = fmt.Sprintf("%.2f %% of a core", 100*(r.cpu+r.host).Seconds()/wait.Seconds())
	_, r.memory = proc.Memory(e.host())
	b.named(r)
}
