package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

var review = []measure{
	{"mark 1 000 hunks in 100 000 lines", mark},
	{"1 000 turns with a write each", turns},
}

// scattered is a text in which every hundredth line has a word.
func scattered(word string) string {
	var b strings.Builder
	for i := range 100_000 {
		w := "line"
		if i%100 == 50 {
			w = word
		}
		fmt.Fprintf(&b, "%s %d of a text that is long enough to be like a line of code, or so\n", w, i)
	}
	return b.String()
}

// mark has all marks of a large file replaced; what counts is how Neovim answers from the end of the turn until they are there,
// in the worst of five turns.
func mark(b *bench) {
	e, path := b.big(100_000)
	var worst *row
	for turn := range 5 {
		check(os.WriteFile(filepath.Join(e.dir, "requests"), request("fs/write_text_file", path, scattered(fmt.Sprint("agent", turn))), 0o666))
		e.prompt("requests")
		r := &row{}
		e.watched(r, false, func() {
			start := time.Now()
			for deadline := start.Add(20 * time.Second); !e.marked(turn); time.Sleep(50 * time.Millisecond) { // it takes Neovim a while to say
				if time.Now().After(deadline) {
					fatal(fmt.Errorf("no marks in turn %d", turn))
				}
			}
			r.took = time.Since(start)
		})
		if worst == nil || r.gaps.Max > worst.gaps.Max {
			worst = r
		}
	}

	_, worst.memory = proc.Memory(e.host())
	worst.note = fmt.Sprintf("at most %.1f ms of Neovim's own", worst.gaps.Busy)
	b.named(worst)
}

// marked reports whether all hunks of a turn have their marks.
func (e *editor) marked(turn int) (all bool) {
	check(e.ExecLua(`local hunk = require("nvim-acp.review.marks").of(1)[1000]
		return hunk ~= nil and vim.startswith(vim.api.nvim_buf_get_lines(1, hunk.row, hunk.row + 1, false)[1], ...)`, &all, fmt.Sprint("agent", turn)))
	return all
}

// turns plays many turns; what counts is by how much the host grows after the first hundred.
func turns(b *bench) {
	e := b.start()
	path := filepath.Join(e.dir, "small.txt")
	check(os.WriteFile(path, []byte("0\n"), 0o666))
	e.chat(false)
	var before int
	start := time.Now()
	for turn := range 1000 {
		check(os.WriteFile(filepath.Join(e.dir, "requests"), request("fs/write_text_file", path, fmt.Sprintf("%d\n", turn)), 0o666))
		e.prompt("requests")
		if turn == 99 {
			before, _ = proc.Memory(e.host())
		}
	}

	after, most := proc.Memory(e.host())
	b.named(&row{took: time.Since(start), memory: most, note: fmt.Sprintf("%.1f MiB more than after 100", float64(after-before)/(1<<20))})
}
