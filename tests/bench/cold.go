package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

// What is cold is the first act of a new Neovim in a folder without a history, with everything on as it is by default; each run has a
// Neovim of its own. What is timed is as the user waits for it, and the processor time is that of all that follows from it.
var cold = []measure{
	{"cold: one line of 100 000 written", coldWrite},
	{"cold: 200 calls with diffs of 20 lines", coldTurn("calls 200")},
	{"cold: 200 calls with diffs that are shown", coldTurn("edits 200")},
	{"cold: 6 000 chunks of 40 B", coldTurn("chunks 6000")},
	{"cold: 10 000 chunks of 40 B", coldTurn("chunks 10000")},
	{"cold: 300 words at 100 a second", coldTurn("paced 300")},
	{"cold: a prompt in a repository of 5 000 files", coldRepository},
}

// prices are what each capability adds to that.
var prices = []measure{
	{"first write", priceOfWrite},
	{"first turn", priceOfTurn},
}

const (
	coldRuns    = 5
	watchedRuns = 3
	priceRuns   = 9
)

// capabilities are what can be switched off, and how.
var capabilities = []struct{ name, off string }{
	{"checkpoints", `fs = { checkpoints = false }`},
	{"review", `review = { mode = "off" }`},
	{"diagnostics", `fs = { diagnostics = { after_turn = false } }`},
	{"unsaved", `fs = { unsaved = false }`},
	{"tools", `tools = { enabled = false }`},
	{"skills", `skills = { enabled = false }`},
	{"record", `record = { enabled = false }`},
	{"detach", `session = { detach = false }`},
}

func capabilityNames() string {
	var names []string
	for _, c := range capabilities {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

// off is the Lua that switches capabilities off, by their names.
func off(names []string) (string, error) {
	var parts []string
	for _, c := range capabilities {
		if i := slices.Index(names, c.name); i >= 0 {
			names = slices.Delete(slices.Clone(names), i, i+1)
			parts = append(parts, c.off)
		}
	}

	if len(names) > 0 {
		return "", fmt.Errorf("there is no capability %q", names)
	}

	return "{" + strings.Join(parts, ",") + "}", nil
}

// pairs are n measures of Neovims that each do one thing, watched or not, ours and what it is compared with in turns.
func (b *bench) pairs(n int, watched bool, ours, bare func(*editor) *row) (rows, limits []*row) {
	run := func(what func(*editor) *row) *row {
		e := b.start()
		defer e.close()
		e.looked = watched
		return what(e)
	}

	for range n {
		limits = append(limits, run(bare))
		rows = append(rows, run(ours))
	}
	return rows, limits
}

// fresh is the median of some such pairs, and how Neovim answers in some others: watching has it at work all the time.
func (b *bench) fresh(ours, bare func(*editor) *row) *row {
	b.warm(func(e *editor) { ours(e) })
	rows, limits := b.pairs(coldRuns, false, ours, bare)
	seen, seenLimits := b.pairs(watchedRuns, true, ours, bare)

	r := halfway(rows)
	r.see(halfway(seen))
	r.limit = halfway(limits)
	r.limit.see(halfway(seenLimits))
	r.limit.name = "a bare loop"
	return r
}

// see takes what is known only of a run that is watched.
func (r *row) see(watched *row) {
	r.gaps, r.rpc, r.frames, r.queued, r.rest = watched.gaps, watched.rpc, watched.frames, watched.queued, watched.rest
}

// halfway has the median of each figure.
func halfway(rows []*row) *row {
	duration := func(of func(*row) *time.Duration) time.Duration {
		return *of(middle(rows, func(r *row) time.Duration { return *of(r) }))
	}

	r := *rows[0]
	for _, of := range []func(*row) *time.Duration{
		func(r *row) *time.Duration { return &r.took },
		func(r *row) *time.Duration { return &r.cpu },
		func(r *row) *time.Duration { return &r.host },
		func(r *row) *time.Duration { return &r.queued },
	} {
		*of(&r) = duration(of)
	}

	if r.gaps != nil {
		most := middle(rows, func(r *row) time.Duration { return time.Duration(r.gaps.Max * 1e6) })
		r.gaps = most.gaps
	}

	slices.SortFunc(rows, func(a, b *row) int { return a.memory - b.memory })
	r.memory = rows[len(rows)/2].memory
	return &r
}

// first times the first act of an editor: what the user waits for, then, in processor time, all that follows from it.
func (e *editor) first(act func()) *row { return e.measure(e.host(), act) }

// firstBare is the same of a bare loop.
func (e *editor) firstBare(act func()) *row { return e.measure(0, act) }

func (e *editor) measure(host int, act func()) *row {
	used := func() (its time.Duration) {
		if host != 0 {
			its = cpu(host)
		}
		return its
	}
	time.Sleep(300 * time.Millisecond) // a user has typed a prompt meanwhile
	mine, its := cpu(e.pid), used()

	r := &row{}
	run := func() {
		began := time.Now()
		act()
		r.took = time.Since(began)
		e.calm(host)
	}
	if e.looked {
		e.watched(r, false, run)
	} else {
		run()
	}

	r.cpu, r.host = cpu(e.pid)-mine, used()-its
	if host != 0 {
		_, r.memory = proc.Memory(host)
	}
	return r
}

func coldTurn(prompt string) func(*bench) {
	return func(b *bench) {
		r := b.fresh(func(e *editor) *row {
			e.chat(true)
			r := e.first(func() { e.prompt(prompt) })
			if e.looked {
				time.Sleep(5 * time.Second) // the host gives memory back when nothing happens
				r.rest, _ = proc.Memory(e.host())
			}
			return r
		}, func(e *editor) *row {
			return e.firstBare(func() { e.bare(prompt) })
		})
		r.note = fmt.Sprintf("host %.1f MiB at rest", float64(r.rest)/(1<<20))
		if strings.HasPrefix(prompt, "paced") {
			r.note += fmt.Sprintf("; Neovim and host %s ms of processor time, %s × the limit", ms(r.cpu+r.host), ratio(r.cpu+r.host, r.limit.cpu))
		}
		b.named(r)
	}
}

// bigFile opens a file of 100 000 lines in two windows, with folds and marks and what the user has typed into it.
func (e *editor) bigFile() (path string) {
	path = filepath.Join(e.dir, "big.txt")
	check(os.WriteFile(path, []byte(text(100_000, -1, "")), 0o666))
	e.run(`
		vim.cmd.edit("big.txt")
		vim.cmd.split()
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			vim.wo[win].foldmethod = "manual"
		end
		for row = 1, 1000 do
			vim.cmd({ cmd = "fold", range = { row * 90, row * 90 + 5 } })
		end
		local ns = vim.api.nvim_create_namespace("bench.marks")
		for row = 1, 1000 do
			vim.api.nvim_buf_set_extmark(0, ns, row * 90, 0, { end_row = row * 90, end_col = 3, hl_group = "Comment" })
		end
		vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed", "and more" })`)
	return path
}

// firstWrite is the first write of a session: its answer as the agent waits for it.
func (e *editor) firstWrite() *row {
	path := e.bigFile()
	e.chat(false)
	_, rest, _ := strings.Cut(text(100_000, 50_000, "agent"), "\n")
	check(os.WriteFile(filepath.Join(e.dir, "requests"), append(request("fs/read_text_file", path, ""),
		request("fs/write_text_file", path, "typed\nand more\n"+rest)...), 0o666))

	r := e.first(func() { e.prompt("requests") })
	r.took = e.asked()
	return r
}

func coldWrite(b *bench) {
	b.named(b.fresh((*editor).firstWrite, func(e *editor) *row {
		e.bigFile()
		return e.firstBare(func() {
			e.run(`
				local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
				vim.api.nvim_buf_set_lines(0, 50001, 50002, false, { lines[50002] .. "." })
				vim.cmd("silent write!")`)
		})
	}))
}

// coldRepository is a prompt in a folder that was never seen: what is kept of it before the agent may act.
func coldRepository(b *bench) {
	b.named(b.fresh(func(e *editor) *row {
		clone(e.dir)
		e.chat(true)
		return e.first(func() { e.prompt("chunks 100") })
	}, func(e *editor) *row {
		clone(e.dir)
		return e.firstBare(func() { e.bare("chunks 100") })
	}))
}

// clone makes a folder a repository of 5 000 files as a clone is: its objects are in a pack, and its index is newer than its files.
func clone(root string) {
	git := repository(root, 5000)
	git("gc", "-q")
	check(filepath.WalkDir(filepath.Join(root), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		before := time.Now().Add(-time.Hour)
		return os.Chtimes(path, before, before)
	}))
	git("status", "--short")
}

// price has a row for each capability: the act without it, and in turns with all. What it adds is in the note: the median of the
// differences in each pair, since a machine is faster at one moment than at another.
func (b *bench) price(act func(*editor) *row) {
	for _, c := range capabilities {
		without := func(e *editor) *row {
			var err error
			e.off, err = off([]string{c.name})
			check(err)
			return act(e)
		}

		b.warm(func(e *editor) { without(e) })
		rows, all := b.pairs(priceRuns, false, without, act)
		adds := func(of func(*row) float64) float64 {
			var list []float64
			for i, r := range rows {
				list = append(list, of(all[i])-of(r))
			}
			slices.Sort(list)
			return list[len(list)/2]
		}

		r := halfway(rows)
		r.limit = halfway(all)
		r.limit.name = "with all"
		r.name = b.running + ": without " + c.name
		r.note = fmt.Sprintf("it adds %.1f ms, %.1f ms in Neovim, %.1f ms in the host, %.1f MiB",
			adds(func(r *row) float64 { return r.took.Seconds() * 1e3 }), adds(func(r *row) float64 { return r.cpu.Seconds() * 1e3 }),
			adds(func(r *row) float64 { return r.host.Seconds() * 1e3 }), adds(func(r *row) float64 { return float64(r.memory) / (1 << 20) }))
		b.rows = append(b.rows, r)
	}
}

func priceOfWrite(b *bench) { b.price((*editor).firstWrite) }

func priceOfTurn(b *bench) {
	b.price(func(e *editor) *row {
		e.chat(true)
		return e.first(func() { e.prompt("edits 200") })
	})
}
