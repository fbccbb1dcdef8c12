package tests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"
)

// editor is a headless Neovim with the plugin on its runtimepath.
type editor struct {
	*nvim.Nvim
	pid    int
	screen *grid
	seen   chan struct{} // a value for each answer of answers, after all that was drawn before it
	once   sync.Once
}

// plugin is the folder of the plugin's sources.
func plugin(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// nvimPath is the Neovim under test: NVIM_ACP_TEST_NVIM, else the one on PATH.
func nvimPath() string {
	if path := os.Getenv("NVIM_ACP_TEST_NVIM"); path != "" {
		return path
	}
	return "nvim"
}

// startEditor starts a Neovim in dir, with home folders of its own below it.
func startEditor(root, dir string, env []string, args ...string) (*editor, error) {
	bin, err := exec.LookPath("nvim-acp")
	if err != nil {
		return nil, err
	}
	argv := append([]string{
		"--embed", "--headless", "--clean", "-n",
		"--cmd", "set rtp^=" + strings.ReplaceAll(root, " ", `\ `),
		"--cmd", fmt.Sprintf("let g:nvim_acp_bin = '%s'", bin),
	}, args...)
	if folder := os.Getenv("NVIM_ACP_LUA_COVERAGE"); folder != "" {
		argv = append([]string{"--cmd", "luafile " + filepath.Join(root, "scripts", "coverage.lua")}, argv...)
		env = append(env, "NVIM_ACP_LUA_COVERAGE="+folder)
	}
	v, err := nvim.NewChildProcess(
		nvim.ChildProcessCommand(nvimPath()), nvim.ChildProcessArgs(argv...), nvim.ChildProcessDir(dir),
		nvim.ChildProcessEnv(env), nvim.ChildProcessContext(context.Background()), nvim.ChildProcessServe(false),
	)
	if err != nil {
		return nil, fmt.Errorf("start %s (set NVIM_ACP_TEST_NVIM): %w", nvimPath(), err)
	}
	e := &editor{Nvim: v, screen: newGrid(), seen: make(chan struct{}, 1)}
	if err := v.RegisterHandler("redraw", e.screen.redraw); err != nil {
		return nil, err
	}
	if err := v.RegisterHandler("seen", func() { e.seen <- struct{}{} }); err != nil {
		return nil, err
	}
	go func() { _ = v.Serve() }() // until close
	if err := v.ExecLua("return vim.fn.getpid()", &e.pid); err != nil {
		return nil, err
	}
	return e, nil
}

// lua runs code, an expression or statements with return, and gives the result as Lua would print it.
func (e *editor) lua(code string, args ...any) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() { // ends when Neovim answers or is closed
		text, err := e.run(code, args...)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(patience):
		return "", fmt.Errorf("Neovim does not answer; its screen:\n%s", e.screen.text())
	}
}

// ask runs code that gives a result, which may never come if Neovim waits for a key.
func (e *editor) ask(code string, result any) error {
	done := make(chan error, 1)
	go func() { done <- e.ExecLua(code, result) }() // ends when Neovim answers or is closed
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return fmt.Errorf("Neovim does not answer; its screen:\n%s", e.screen.text())
	}
}

// answers waits until Neovim answers, which it does when it has drawn what it was at, or waits for a key. What it drew is
// on the screen then: notifications, which are what it draws, are read in turn, but not in turn with answers.
func (e *editor) answers() error {
	stuck := time.AfterFunc(patience, e.close) // it may loop
	mode, err := e.Mode()
	stuck.Stop()
	if err != nil || mode.Blocking {
		return err
	}
	if _, err := e.lua(`vim.rpcnotify(..., "seen")`, e.ChannelID()); err != nil {
		return err
	}
	select {
	case <-e.seen:
		return nil
	case <-time.After(patience):
		return errors.New("what Neovim drew is not read")
	}
}

func (e *editor) run(code string, args ...any) (string, error) {
	var text string
	err := e.ExecLua(`
		local code, args = ...
		local chunk = loadstring("return " .. code) or assert(loadstring(code))
		local out = chunk(unpack(args == vim.NIL and {} or args))
		if out == nil then return "" end
		return type(out) == "string" and out or vim.inspect(out)`, &text, code, args)
	return text, err
}

// wait polls an expression until it is true.
func (e *editor) wait(expr string) error {
	last := make(chan error, 1)
	stop := make(chan struct{})
	defer close(stop)
	go func() { // until it is true or wait gives up; a call may hang while Neovim waits for a key
		for rest := 3 * time.Millisecond; e.holds(expr) != nil; rest = min(rest*5/4, maxRest) {
			select {
			case <-stop:
				return
			case <-time.After(rest):
			}
		}
		last <- nil
	}()
	select {
	case err := <-last:
		return err
	case <-time.After(patience):
		return fmt.Errorf("still not true after %v: %s\n%s", patience, expr, e.screen.text())
	}
}

// poll tries until it is done, or fails.
func (e *editor) poll(try func() (bool, error)) error { return poll(patience, try) }

// maxRest is the longest time between two tries: what is waited for is looked at often at first, and costs little if it takes long.
const maxRest = 25 * time.Millisecond

// poll tries again and again, for so long at most, until it is done or fails.
func poll(most time.Duration, try func() (done bool, err error)) error {
	end := time.After(most)
	for rest := 5 * time.Millisecond; ; rest = min(rest*5/4, maxRest) {
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-time.After(rest):
		case <-end:
			return fmt.Errorf("waited %v", most)
		}
	}
}

// scene is what a failure needs: the screen, the windows, the transcript, the status, messages and the protocol's log; only the screen
// while Neovim waits for a key.
func (e *editor) scene() string {
	screen := "screen:\n" + e.screen.text()
	if mode, err := e.Mode(); err != nil || mode.Blocking {
		return screen
	}
	out, err := e.lua(`
		local acp = require("nvim-acp")
		local parts = { "messages: " .. vim.fn.execute("messages"), "sessions: " .. vim.inspect(acp.sessions()) }
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, 3, false)
			local here = win == vim.api.nvim_get_current_win() and "window, entered: " or "window: "
			table.insert(parts, here .. table.concat(text, " | "))
		end
		for _, st in ipairs(acp.sessions()) do
			if st.bufnr then
				vim.list_extend(parts, vim.api.nvim_buf_get_lines(st.bufnr, 0, -1, false))
			end
		end
		return table.concat(parts, "\n")`)
	if err != nil {
		return screen + "no scene: " + err.Error()
	}
	e.lua(`vim.cmd("AcpLog")`)
	if e.wait(`vim.bo.filetype == "acp-log"`) == nil {
		log, _ := e.lua(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
		out += "\nlog:\n" + log
	}
	return screen + out
}

var errFalse = errors.New("not true")

func (e *editor) holds(expr string) error {
	var ok bool
	err := e.ExecLua(`
		local chunk = assert(loadstring("return " .. ...))
		return chunk() and true or false`, &ok, expr)
	if err == nil && !ok {
		return errFalse
	}
	return err
}

// close ends Neovim, and waits for the host, which may write until then.
func (e *editor) close() {
	e.once.Do(func() {
		done := make(chan struct{})
		var jobs []int
		go func() { // until Neovim has gone
			defer close(done)
			_ = e.ExecLua(`return vim.tbl_map(function(c)
				return c.stream == "job" and vim.fn.jobpid(c.id) or 0
			end, vim.api.nvim_list_chans())`, &jobs)
			_ = e.DetachUI() // nobody is there to answer questions
			_ = e.Command("qa!")
			_ = e.Nvim.Close()
		}()
		select {
		case <-done:
			_ = poll(2*time.Second, func() (bool, error) {
				return !slices.ContainsFunc(jobs, func(pid int) bool { return pid != 0 && syscall.Kill(pid, 0) == nil }), nil
			})
		case <-time.After(5 * time.Second):
			if p, err := os.FindProcess(e.pid); err == nil {
				_ = p.Kill()
			}
		}
	})
}
