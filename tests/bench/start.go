package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var starts = []measure{
	{"start-up of Neovim: our file and setup() in it", startup},
	{":AcpChat to a chat that is ready, demo agent", ready},
	{":AcpChat to the first words of an answer", answered},
}

// options are some of a user's, so that setup has something to look at.
const options = `{
	agent = "claude", keys = { stop = "<C-x>" }, chat = { layout = "bottom" },
	rules = { { command = "git diff", action = "allow" } },
	agents = { claude = { env = { CLAUDE_CONFIG_DIR = "/tmp" } } },
}`

// startup is what the file in plugin/ takes, by --startuptime, and setup after it; the limit is all of Neovim's start.
func startup(b *bench) {
	dir, err := os.MkdirTemp("", "bench")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }() // it is in the folder for temporary files
	log, script := filepath.Join(dir, "log"), filepath.Join(dir, "setup.lua")
	check(os.WriteFile(script, []byte(`
		local began = vim.uv.hrtime()
		require("nvim-acp").setup(`+options+`)
		vim.fn.writefile({ tostring((vim.uv.hrtime() - began) / 1e6) }, "`+log+`.setup")`), 0o600))

	var limit *row
	var file, call time.Duration
	r := median(9, func() *row {
		_ = os.Remove(log) // Neovim would append
		check(exec.Command(b.nvim, "--headless", "--clean", "-n", "--cmd", "set rtp^="+b.root, "--startuptime", log,
			"-c", "luafile "+script, "+qa!").Run())
		ours, all := startTimes(log)
		setup, err := os.ReadFile(log + ".setup")
		check(err)
		ms, err := strconv.ParseFloat(strings.TrimSpace(string(setup)), 64)
		check(err)
		limit = &row{name: "all of it", took: all}
		file, call = ours, time.Duration(ms*float64(time.Millisecond))
		return &row{took: file + call}
	})
	r.limit = limit
	r.note = fmt.Sprintf("the last time %.2f ms and %.2f ms", file.Seconds()*1e3, call.Seconds()*1e3)
	b.named(r)
}

// startTimes reads a log of --startuptime: what our file took by itself, and all.
func startTimes(log string) (ours, all time.Duration) {
	file, err := os.Open(log)
	check(err)
	defer func() { _ = file.Close() }() // it was only read
	for in := bufio.NewScanner(file); in.Scan(); {
		f := strings.Fields(strings.ReplaceAll(in.Text(), ":", ""))
		if len(f) < 3 {
			continue
		}
		if clock, err := strconv.ParseFloat(f[0], 64); err == nil {
			all = max(all, time.Duration(clock*float64(time.Millisecond)))
		}
		if strings.HasSuffix(f[len(f)-1], "plugin/nvim-acp.lua") {
			self, _ := strconv.ParseFloat(f[2], 64)
			ours = time.Duration(self * float64(time.Millisecond))
		}
	}

	return ours, all
}

// spawned is the limit of a start: the two programs started by a bare Lua loop, one after the other, until each has said
// something, as the host cannot start an agent before it runs itself.
func (e *editor) spawned(bin string) *row {
	limit := median(7, func() *row {
		var took float64
		check(e.ExecLua(`
			local bin = ...
			local began = vim.uv.hrtime()
			vim.system({ bin, "version" }):wait()
			vim.system({ bin, "version" }):wait()
			return (vim.uv.hrtime() - began) / 1e6`, &took, bin))
		return &row{took: time.Duration(took * float64(time.Millisecond))}
	})
	limit.name = "the two programs started, doing nothing"
	return limit
}

// warm has a Neovim keep what later ones use again: the plugin's bytecode, where it keeps that.
func (b *bench) warm(run func(*editor)) {
	e := b.start()
	defer e.close()
	run(e)
	e.run(`vim.wait(1500)`) // modules are stored a second after the last of them was loaded
}

// begun measures what a fresh Neovim needs for run, which is not its user's first.
func (b *bench) begun(run func(*editor)) {
	b.warm(run)
	var limit *row
	r := median(5, func() *row {
		e := b.start()
		defer e.close()
		if limit == nil {
			limit = e.spawned(b.bin)
		}
		return e.timed(0, func() { run(e) })
	})
	r.limit = limit
	b.named(r)
}

func ready(b *bench) {
	b.begun(func(e *editor) {
		e.run(`vim.cmd("AcpChat demo")`)
		e.hear("AcpReady")
	})
}

// answered is how long a user waits who types at once. The demo agent itself pauses before it answers.
func answered(b *bench) {
	b.begun(func(e *editor) {
		e.run(fmt.Sprintf(`
			vim.api.nvim_create_autocmd("User", { pattern = "AcpUpdate", callback = function(args)
				if args.data.kind == "agent_message_chunk" then
					vim.rpcnotify(%d, "bench", "words")
					return true
				end
			end })
			vim.cmd("AcpChat demo")
			require("nvim-acp").prompt("hello")`, e.ChannelID()))
		for what := ""; what != "words"; {
			select {
			case what = <-e.said:
			case <-time.After(patience):
				check(fmt.Errorf("no answer"))
			}
		}
	})
}
