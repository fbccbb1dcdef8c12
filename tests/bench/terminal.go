package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"

	"github.com/nvim-acp/nvim-acp/tests/proc"
)

var commands = []measure{
	{"command: 39 MB, no window", hidden},
	{"command: 39 MB, in a window", shown},
	{"command: 229 KB, all of it in a window", whole},
	{"command: 1 GB, in a window", gigabyte},
}

const (
	flood, floodLast, floodBytes = "seq 1 5000000", "5000000", 38_888_896
	short, shortLast, shortBytes = "seq 1 40000", "40000", 228_894
)

func speed(r *row, size float64) { r.note = fmt.Sprintf("%.1f MB/s", size/1e6/r.took.Seconds()) }

// cat is what a pty takes when nobody looks at it.
func cat(line string, size float64) *row {
	began := time.Now()
	f, err := pty.Start(exec.Command("sh", "-c", line))
	check(err)
	_, _ = io.Copy(io.Discard, f) // a pty ends with an error
	r := &row{name: "a pty that is read and thrown away", took: time.Since(began)}
	_ = f.Close() // it was only read
	speed(r, size)
	return r
}

// shows waits until the current buffer has a line.
func (e *editor) shows(line string) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		lines, err := e.BufferLines(0, -60, -1, false)
		check(err)
		for _, l := range lines {
			if bytes.Equal(l, []byte(line)) {
				return
			}
		}
	}
	check(fmt.Errorf("never shown: %s", line))
}

func hidden(b *bench) {
	e := b.chat()
	r := &row{limit: cat(flood, floodBytes)}
	e.watched(r, true, func() { *r = *e.timed(e.host(), func() { e.prompt("run " + flood) }) })
	r.limit = cat(flood, floodBytes)
	speed(r, floodBytes)
	_, r.memory = proc.Memory(e.host())
	b.named(r)
}

// inNeovim is Neovim's own :terminal.
func (b *bench) inNeovim(line, last string, size float64) *row {
	e := b.start()
	r := &row{}
	e.watched(r, false, func() {
		began := time.Now()
		e.run(`vim.cmd("botright new") vim.cmd("terminal " .. ...) vim.cmd("normal! G")`, line)
		e.shows(last)
		r.took = time.Since(began)
	})
	r.name = "Neovim's own :terminal"
	speed(r, size)
	e.close()
	return r
}

// inWindow is a command of the agent's with a window on it.
func (b *bench) inWindow(line, last string, size float64) (*editor, *row) {
	e := b.chat()
	e.run(`require("nvim-acp").prompt(...)`, "run until [ -e go ]; do sleep 0.001; done; "+line)
	e.run(`vim.wait(5000, function() return require("nvim-acp").terminals()[1] end, 2)
		require("nvim-acp.terminal").open(require("nvim-acp").terminals()[1].id)`)
	r := &row{}
	e.watched(r, false, func() {
		began := time.Now()
		check(os.WriteFile(e.dir+"/go", nil, 0o666))
		e.shows(last)
		r.took = time.Since(began)
	})
	e.hear("AcpTurnEnd")
	speed(r, size)
	_, r.memory = proc.Memory(e.host())
	return e, r
}

func shown(b *bench) {
	_, r := b.inWindow(flood, floodLast, floodBytes)
	r.limit = cat(flood, floodBytes)
	b.named(r)
}

func whole(b *bench) {
	limit := b.inNeovim(short, shortLast, shortBytes)
	_, r := b.inWindow(short, shortLast, shortBytes)
	r.limit = limit
	b.named(r)
}

// gigabyte has no limit of its own: that it is taken, and how much of it is kept, is what counts.
func gigabyte(b *bench) {
	e, r := b.inWindow("yes a line like any other | head -c 1000000000; echo; echo end", "end", 1e9)
	now, most := proc.Memory(e.host())
	r.note += fmt.Sprintf(", host %s MiB after it", mib(now))
	r.memory = most
	b.named(r)
}
