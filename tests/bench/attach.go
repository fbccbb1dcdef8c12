package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

var attached = []measure{
	{"10 000 chunks over the socket", socketChunks},
	{"read 100 000 lines over the socket", socketRead},
	{"attach to 20 000 blocks: first screen", attachLong},
}

// sockets has hosts make their sockets in a folder of the bench.
func sockets() func() {
	dir, err := os.MkdirTemp("/tmp", "acp") // their paths must be short
	check(err)
	before, had := os.LookupEnv("XDG_RUNTIME_DIR")
	check(os.Setenv("XDG_RUNTIME_DIR", dir))
	return func() {
		if check(os.RemoveAll(dir)); had {
			check(os.Setenv("XDG_RUNTIME_DIR", before))
		} else {
			check(os.Unsetenv("XDG_RUNTIME_DIR"))
		}
	}
}

// detach has the host of the editor go on without it.
func (e *editor) detach() {
	e.run(`require("nvim-acp").detach()`)
	e.until(`#require("nvim-acp").sessions() == 0`)
}

// attach has the editor go on with the only host.
func (e *editor) attach() {
	e.run(`require("nvim-acp").attach()`)
	e.until(`#require("nvim-acp").sessions() == 1`)
}

// until polls a Lua expression.
func (e *editor) until(expr string) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		var ok bool
		check(e.ExecLua("return "+expr, &ok))
		if ok {
			return
		}
		if time.Now().After(end) {
			check(fmt.Errorf("never true: %s", expr))
		}
	}
}

// both measures the same over the pipe and over the socket, in turns, so that what else the machine does counts for both.
func (b *bench) both(times int, start func() *editor, run func(*editor) time.Duration) {
	pipe, socket := start(), start()
	socket.detach()
	socket.attach()
	run(pipe)
	run(socket)
	var took [2][]time.Duration
	for range times {
		for i, e := range []*editor{pipe, socket} {
			took[i] = append(took[i], run(e))
		}
	}

	for _, list := range took {
		slices.Sort(list)
	}

	limit := &row{name: "over the pipe", took: took[0][times/2]}
	r := &row{took: took[1][times/2], limit: limit}
	r.note = fmt.Sprintf("fastest %s ms, over the pipe %s ms", ms(took[1][0]), ms(took[0][0]))
	b.named(r)
}

func socketChunks(b *bench) {
	defer sockets()()
	b.both(31, b.chat, func(e *editor) time.Duration {
		return e.timed(0, func() { e.prompt("chunks 10000") }).took
	})
}

func socketRead(b *bench) {
	defer sockets()()
	big := func() *editor {
		e, path := b.big(100_000)
		check(os.WriteFile(filepath.Join(e.dir, "requests"), request("fs/read_text_file", path, ""), 0o666))
		return e
	}
	b.both(61, big, func(e *editor) time.Duration {
		e.run(`vim.api.nvim_buf_set_lines(1, 0, 1, false, { "typed" })`)
		e.prompt("requests")
		return e.asked()
	})
}

// attachLong is the time from :AcpAttach in a new Neovim to a chat whose window shows the end of a long transcript. The limit is
// a new chat.
func attachLong(b *bench) {
	defer sockets()()
	e := b.chat()
	host := e.host()
	e.prompt("mixed 20000")
	var wholes []*row
	r := median(5, func() *row {
		e.detach()
		next := b.start()
		next.run(`vim.cmd.cd(...)`, e.dir)
		next.dir, e.dir = e.dir, "" // which goes with the last
		r, whole := &row{}, &row{}
		mine, its := cpu(next.pid), cpu(host)
		began := time.Now()
		next.run(`bench.attach()`)
		next.hear("attached")
		r.took = time.Since(began)
		next.hear("whole")
		whole.took, whole.cpu, whole.host = time.Since(began), cpu(next.pid)-mine, cpu(host)-its
		wholes = append(wholes, whole)
		e.close()
		e = next
		return r
	})
	r.limit = median(5, func() *row {
		fresh := b.start()
		defer fresh.close()
		return fresh.timed(0, func() { fresh.chat(true) })
	})
	r.limit.name = "a new chat that is ready"
	whole := halfway(wholes)
	r.note = fmt.Sprintf("all of it after %s ms, of the processor's %s in Neovim, %s in the host", ms(whole.took), ms(whole.cpu), ms(whole.host))
	b.named(r)
}
