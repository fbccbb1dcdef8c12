package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// TestReviewUndone plays an agent that edits a file in a window, and a user who types, saves, reads the file again, closes folds, and goes
// back and forth in its history: whoever returns to a text finds the hunks that it had, and the screen shows what a fresh one shows
// (behaviours 780, 781).
func TestReviewUndone(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	g := newUndoGame(t, seed)
	for end := time.Now().Add(*reviewsFor); time.Now().Before(end) && !t.Failed(); {
		g.step()
	}
	t.Logf("%d steps", g.steps)
}

// undoGame is one run.
type undoGame struct {
	*reviewGame
	hunks map[string][]string // by text, the hunks that it had last
	drawn chan struct{}       // Neovim has sent all that it has drawn
}

func newUndoGame(t *testing.T, seed uint64) *undoGame {
	dir := t.TempDir()
	r := &reviewGame{t: t, w: newWire(t), rand: rand.New(rand.NewPCG(seed, 0)), path: filepath.Join(dir, "undo.txt")}
	g := &undoGame{reviewGame: r, hunks: map[string][]string{}, drawn: make(chan struct{}, 1)}
	var lines []string
	for i := range 8 + g.rand.IntN(24) {
		lines = append(lines, fmt.Sprintf("base%d", i))
		if g.rand.IntN(4) == 0 {
			lines = append(lines, "}")
		}
	}
	if err := os.WriteFile(g.path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g.e = agentEditor(t, dir, mustLook("wire-agent"), g.w.socket)
	if err := g.e.RegisterHandler("drawn", func() { g.drawn <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	g.run(`
		local marks = require("nvim-acp.review.marks")
		local draw = marks.draw
		function marks.draw(buf, tick, hunks, first, last)
			local current = draw(buf, tick, hunks, first, last)
			_G.drawn = current and last and tick or _G.drawn
			return current
		end
		vim.o.signcolumn = "yes" -- else Neovim makes room for signs that are out of sight with the next redraw only
		vim.o.number, vim.o.laststatus, vim.o.ruler, vim.o.showcmd = true, 0, false, false
		vim.cmd("edit undo.txt") require("nvim-acp").chat({ focus = false }) vim.cmd("only")`)
	g.await(`require("nvim-acp").status().state == "idle"`)
	g.agentEdits()
	g.check()
	return g
}

// step does one thing, and looks.
func (g *undoGame) step() {
	g.steps++
	switch n := g.rand.IntN(15); n {
	case 0, 1:
		g.agentEdits()
	case 2:
		g.types()
	case 3, 4, 5:
		g.presses("u")
	case 6, 7, 8:
		g.presses("<C-r>")
	case 9:
		g.does(fmt.Sprintf("silent %s %d", []string{"earlier", "later"}[g.rand.IntN(2)], 1+g.rand.IntN(3)))
	case 10:
		g.does([]string{"silent edit!", "silent write"}[g.rand.IntN(2)])
	case 11:
		g.does(fmt.Sprintf("normal! %s", []string{"gg", "G", "\x05", "\x19", "\x04", "\x15", "zt", "zb"}[g.rand.IntN(8)]))
	case 12, 13:
		g.folds()
		g.fresh()
	case 14:
		g.presses([]string{"zR", "zM", "zE", "zj", "zo", "zc", "za"}[g.rand.IntN(7)])
		g.fresh()
	}
	g.check()
}

// folds closes a fold over some lines.
func (g *undoGame) folds() {
	at, to := fmt.Sprintf("(%d %% line('$') + 1)", g.rand.IntN(1<<16)), 1+g.rand.IntN(4)
	g.presses(fmt.Sprintf("<Cmd>execute %s .. ',' .. min([%s + %d, line('$')]) .. 'fold'<CR>", at, at, to))
}

// fresh compares the screen with a fresh one.
func (g *undoGame) fresh() {
	g.t.Helper()
	screen, fresh := g.screen("redraw"), g.screen("redraw!")
	if screen != fresh {
		g.t.Fatalf("seen:\n%s\nfresh:\n%s\n%s", screen, fresh, strings.Join(g.log, "\n"))
	}
}

func (g *undoGame) does(cmd string) {
	g.note("%q", cmd)
	g.run(`vim.cmd(...)`, cmd)
}

// presses presses keys as a user does: Neovim draws what they do, and then what comes of it.
func (g *undoGame) presses(keys string) {
	g.note("%q", keys)
	fence := fmt.Sprintf(`%s<Cmd>call rpcnotify(%d, "drawn")<CR>`, keys, g.e.ChannelID())
	if _, err := g.e.Input(fence); err != nil {
		g.t.Fatal(err)
	}
	<-g.drawn
}

// agentEdits changes some places, in a turn of its own.
func (g *undoGame) agentEdits() {
	g.run(`require("nvim-acp").prompt("go")`)
	if err := poll(patience, func() (bool, error) { return g.w.prompted(), nil }); err != nil {
		g.t.Fatal(err)
	}
	modified, err := g.e.lua(`return tostring(vim.bo.modified)`)
	if err != nil {
		g.t.Fatal(err)
	}
	onDisk := g.rand.IntN(3) == 0 && modified == "false" // else nothing tells that it is merged
	text, err := g.read(onDisk)
	if err != nil {
		g.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	before := slices.Clone(lines)
	for n := 1 + g.rand.IntN(4); n > 0 || slices.Equal(lines, before); n-- { // of no change nothing is drawn
		at := g.rand.IntN(len(lines))
		gone := min(g.rand.IntN(4), len(lines)-at)
		comes := make([]string, g.rand.IntN(4))
		for i := range comes {
			if comes[i] = g.word("agent"); g.rand.IntN(4) == 0 {
				comes[i] = "}"
			}
		}
		g.note("the agent, on the disk %v: %q for %q at %d", onDisk, comes, lines[at:at+gone], at)
		lines = slices.Replace(lines, at, at+gone, comes...)
		if len(lines) < 5 {
			lines = append(lines, g.word("more"), g.word("more"), g.word("more"))
		}
	}
	text = strings.Join(lines, "\n") + "\n"
	if onDisk {
		before := g.now()
		if err = os.WriteFile(g.path, []byte(text), 0o644); err == nil && before != text {
			g.await(fmt.Sprintf(`table.concat(vim.fn.getline(1, "$"), "\n") .. "\n" ~= %q`, before))
		}
	} else {
		err = g.w.call("fs/write_text_file", map[string]any{"sessionId": "s", "path": g.path, "content": text}, nil)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	g.w.end()
	g.await(`require("nvim-acp").status().state == "idle"`)
	delete(g.hunks, g.now()) // it may have another meaning now
}

func (g *undoGame) now() string {
	g.t.Helper()
	text, err := g.e.lua(`return table.concat(vim.fn.getline(1, "$"), "\n") .. "\n"`)
	if err != nil {
		g.t.Fatal(err)
	}
	return text
}

// types changes, adds or removes a line.
func (g *undoGame) types() {
	row, word, kind := g.rand.IntN(1<<16), g.word("user"), g.rand.IntN(3)
	g.note("the user: %s, %d at %d", word, kind, row)
	g.run(`
		local row, word, kind = ...
		row = row % vim.fn.line("$")
		vim.api.nvim_buf_set_lines(0, row, kind == 0 and row or row + 1, false, kind < 2 and { word } or {})`, row, word, kind)
}

// check waits until the hunks are those that the text had before, and compares the screen with a fresh one.
func (g *undoGame) check() {
	g.t.Helper()
	text := g.now()
	want, known := g.hunks[text]
	if known {
		g.awaitHunks(want)
	}
	g.run(`_G.drawn = nil require("nvim-acp.review.watch").tell(0)`)
	g.await(`_G.drawn == vim.b.changedtick`)
	got := g.marked()
	if known {
		g.awaitHunks(want)
	}
	g.hunks[text] = got

	g.fresh()
}

// marked returns the hunks that are marked.
func (g *undoGame) marked() []string {
	g.t.Helper()
	list, err := g.shown()
	if err != nil {
		g.t.Fatal(err)
	}
	return list
}

func (g *undoGame) awaitHunks(want []string) {
	g.t.Helper()
	var got []string
	err := poll(patience, func() (_ bool, err error) {
		got, err = g.shown()
		return slices.Equal(got, want), err
	})
	if err != nil {
		g.t.Fatalf("%v: got %q, want %q in\n%s\n%s", err, got, want, g.now(), strings.Join(g.log, "\n"))
	}
}

// screen returns the lines of the screen after a command, but for that of messages.
func (g *undoGame) screen(cmd string) string {
	g.t.Helper()
	g.run(`vim.cmd((...)) vim.rpcnotify(select(2, ...), "drawn")`, cmd, g.e.ChannelID())
	<-g.drawn
	lines := strings.Split(g.e.screen.text(), "\n")
	return strings.Join(lines[:min(len(lines), 39)], "\n")
}
