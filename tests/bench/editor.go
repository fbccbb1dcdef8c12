package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neovim/go-client/nvim"
)

const patience = 2 * time.Minute

// editor is a Neovim with the plugin, a screen of 200×50 and a chat with the synthetic agent.
type editor struct {
	*nvim.Nvim
	other *nvim.Nvim // a second connection: a bystander's answers are not behind the redraw stream
	pid   int
	dir   string
	off   string      // Lua: options that switch capabilities off
	said  chan string // what Neovim notifies: a turn is over, a bare loop is
	quiet atomic.Bool // no keys are typed

	looked bool // it is watched in its first act

	struck int // keys that were typed

	mu     sync.Mutex // guards all below
	frames int
	rows   int           // that have changed since the last flush
	shown  time.Time     // when text was last drawn: a key changes one row, text more
	pause  time.Duration // the longest between two such
	await  string        // a character that was typed
	echoed chan struct{} // closed when it is on the screen
	seen   bool          // it is in what will be shown at the next flush
}

// start starts a Neovim, without a chat.
func (b *bench) start() *editor {
	dir, err := os.MkdirTemp("", "bench")
	check(err)
	own := filepath.Join(b.home, filepath.Base(dir)) // not in the folder that agents work in
	env := append(os.Environ(), "XDG_STATE_HOME="+own, "XDG_DATA_HOME="+own, "XDG_CONFIG_HOME="+own, "XDG_CACHE_HOME="+b.home)
	socket := filepath.Join(dir, "socket")
	v, err := nvim.NewChildProcess(
		nvim.ChildProcessCommand(b.nvim), nvim.ChildProcessDir(dir), nvim.ChildProcessEnv(env),
		nvim.ChildProcessArgs("--embed", "--clean", "-n", "--listen", socket, "--cmd", "set rtp^="+b.root,
			"--cmd", fmt.Sprintf("let g:nvim_acp_bin = '%s'", b.bin), "--cmd", "set noswapfile shortmess+=I"),
		nvim.ChildProcessContext(context.Background()), nvim.ChildProcessServe(false))
	check(err)
	e := &editor{Nvim: v, dir: dir, off: b.off, said: make(chan string, 1000)}
	b.open = append(b.open, e)
	check(v.RegisterHandler("redraw", e.redraw))
	check(v.RegisterHandler("bench", func(what string) { e.said <- what }))
	go func() { _ = v.Serve() }() // until close
	check(e.AttachUI(200, 50, map[string]any{"ext_linegrid": true, "rgb": true}))
	check(e.ExecLua("return vim.fn.getpid()", &e.pid))
	e.other, err = nvim.Dial(socket)
	check(err)
	e.run(`
		local exe, dir, channel = ...
		_G.bench = dofile(exe)
		bench.channel = channel
		for _, event in ipairs({ "AcpTurnEnd", "AcpReady", "AcpError" }) do
			vim.api.nvim_create_autocmd("User", { pattern = event, callback = function(args)
				vim.rpcnotify(channel, "bench", event .. (args.data.message or ""))
			end })
		end`, filepath.Join(b.root, "tests/bench/probe.lua"), dir, e.ChannelID())
	return e
}

// chat starts a Neovim with a chat whose agent is ready.
func (b *bench) chat() *editor {
	e := b.start()
	e.chat(true)
	return e
}

func (e *editor) chat(focus bool) {
	exe, err := os.Executable()
	check(err)
	e.run(`
		local exe, dir, focus = ...
		local options = vim.tbl_deep_extend("force", { agent = "bench", agents = { bench = { command = exe, args = { "agent", dir } } } }, `+e.off+`)
		require("nvim-acp").setup(options)
		require("nvim-acp").chat({ focus = focus })`, exe, e.dir, focus)
	e.hear("AcpReady")
}

// noted is when the agent was at something, by a file of its folder.
func (e *editor) noted(name string) time.Time {
	data, err := os.ReadFile(filepath.Join(e.dir, name))
	check(err)
	at, err := strconv.ParseInt(string(data), 10, 64)
	check(err)
	return time.Unix(0, at)
}

// run runs Lua.
func (e *editor) run(code string, args ...any) { check(e.ExecLua(code, nil, args...)) }

// hear waits until Neovim says something.
func (e *editor) hear(what string) {
	select {
	case got := <-e.said:
		if got != what {
			check(fmt.Errorf("got %s, want %s", got, what))
		}
	case <-time.After(patience):
		check(fmt.Errorf("never heard of %s", what))
	}
}

// redraw takes the redraw stream: counts frames, and notes when a typed character is on the screen.
func (e *editor) redraw(events ...[]any) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for _, event := range events {
		switch event[0] {
		case "grid_line":
			e.rows += len(event) - 1
			if e.await != "" && !e.seen {
				e.seen = contains(event[1:], e.await)
			}
		case "flush":
			e.frames++
			if e.rows > 1 {
				now := time.Now()
				if !e.shown.IsZero() {
					e.pause = max(e.pause, now.Sub(e.shown))
				}
				e.shown = now
			}
			e.rows = 0
			if e.seen {
				close(e.echoed)
				e.await, e.seen = "", false
			}
		}
	}
}

func contains(lines []any, char string) bool {
	for _, l := range lines {
		args, _ := l.([]any)
		if len(args) < 4 {
			continue
		}
		cells, _ := args[3].([]any)
		for _, c := range cells {
			if cell, _ := c.([]any); len(cell) > 0 && cell[0] == char {
				return true
			}
		}
	}

	return false
}

// typed types a character and waits until it is on the screen.
func (e *editor) typed(char string) time.Duration {
	e.mu.Lock()
	e.await, e.seen, e.echoed = char, false, make(chan struct{})
	echoed := e.echoed
	e.mu.Unlock()

	began := time.Now()
	if _, err := e.other.Input(char); err != nil {
		return 0
	}
	select {
	case <-echoed:
	case <-time.After(10 * time.Second):
	}

	return time.Since(began)
}

// longest returns the longest pause between two frames of text while run runs.
func (e *editor) longest(run func()) time.Duration {
	e.mu.Lock()
	e.shown, e.pause = time.Time{}, 0
	e.mu.Unlock()
	run()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pause
}

func (e *editor) drawn() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.frames
}

// close ends Neovim and what it started.
func (e *editor) close() {
	done := make(chan struct{})
	go func() { // until Neovim has gone
		defer close(done)
		if e.other != nil {
			_ = e.other.Close()
		}
		_ = e.Command("qa!") // it answers by going
		_ = e.Nvim.Close()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		if p, err := os.FindProcess(e.pid); err == nil {
			_ = p.Kill()
		}
	}

	_ = os.RemoveAll(e.dir) // it is in the folder for temporary files
}
