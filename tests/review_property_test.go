package tests

import (
	"flag"
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

var reviewsFor = flag.Duration("reviews", 6*time.Second, "how long TestReviewed plays")

// TestReviewed plays an agent that writes a file, through the editor and on the disk, a user who types in it, saves, closes and opens it,
// and keeps, reverts and undoes at random: in the buffer is at each moment what was kept, what waits for a decision, and all that the
// user has typed, and marked is just what waits (behaviours 51, 52, 56, 1290, 1291).
func TestReviewed(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	g := newReviewGame(t, seed)
	for end := time.Now().Add(*reviewsFor); time.Now().Before(end) && !t.Failed(); {
		g.step()
	}
	if !t.Failed() {
		g.decideAll()
	}
	t.Logf("%d steps", g.steps)
}

// slot is lines that one side owns: those with odd numbers the agent, whose changes the user decides on, the others the user.
type slot struct {
	now, decided []string
}

func (s slot) pending() bool { return !slices.Equal(s.now, s.decided) }

// reviewGame is one run.
type reviewGame struct {
	t       *testing.T
	e       *editor
	w       *wire
	rand    *rand.Rand
	path    string
	slots   []slot
	n       int
	steps   int
	turning bool
	closed  bool // no buffer has the file
	log     []string

	reverted func() // takes the last revert back in the model; nil if there is none, or something else was decided since
}

func newReviewGame(t *testing.T, seed uint64) *reviewGame {
	dir := t.TempDir()
	g := &reviewGame{t: t, w: newWire(t), rand: rand.New(rand.NewPCG(seed, 0)), path: filepath.Join(dir, "review.txt")}
	for i := range 25 {
		line := []string{fmt.Sprintf("base%d", i)}
		g.slots = append(g.slots, slot{line, line})
	}
	if err := os.WriteFile(g.path, []byte(g.text()), 0o644); err != nil {
		t.Fatal(err)
	}
	g.e = agentEditor(t, dir, mustLook("wire-agent"), g.w.socket)
	g.run(`vim.cmd("edit review.txt") require("nvim-acp").chat({ focus = false }) vim.cmd("only")`)
	g.await(`require("nvim-acp").status().state == "idle"`)
	return g
}

func (g *reviewGame) text() string {
	var b strings.Builder
	for _, s := range g.slots {
		for _, line := range s.now {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (g *reviewGame) run(code string, args ...any) {
	g.t.Helper()
	if _, err := g.e.lua(code, args...); err != nil {
		g.t.Fatal(err)
	}
}

func (g *reviewGame) await(expr string) {
	g.t.Helper()
	if err := g.e.wait(expr); err != nil {
		g.t.Fatalf("%v\n%s", err, strings.Join(g.log, "\n"))
	}
}

func (g *reviewGame) word(who string) string {
	g.n++
	return fmt.Sprint(who, g.n)
}

// step does one thing, and looks.
func (g *reviewGame) step() {
	g.steps++
	act := g.rand.IntN(11)
	if g.closed && act > 2 {
		act = 9
	}
	switch act {
	case 0, 1, 2:
		g.agentWrites()
	case 3, 4:
		g.userTypes()
	case 5:
		g.note("save")
		g.run(`vim.cmd("silent write")`)
	case 6:
		g.decide(false)
	case 7:
		g.decide(true)
	case 8:
		g.undo()
	case 9, 10:
		g.open(g.closed)
	}
	g.check()
}

// open opens the file, or saves and closes it.
func (g *reviewGame) open(opens bool) {
	if opens {
		g.note("open")
		g.run(`vim.cmd("edit review.txt")`)
	} else {
		g.note("close")
		g.run(`vim.cmd("silent write | enew | bwipeout #")`)
		g.reverted = nil
	}
	g.closed = !opens
}

func (g *reviewGame) note(format string, args ...any) {
	g.log = append(g.log, fmt.Sprintf(format, args...))
}

// agentWrites changes some of the agent's slots, in a turn that goes on for a while.
func (g *reviewGame) agentWrites() {
	if !g.turning {
		g.run(`require("nvim-acp").prompt("go")`)
		if err := poll(patience, func() (bool, error) { return g.w.prompted(), nil }); err != nil {
			g.t.Fatal(err)
		}
		g.turning = true
	}
	onDisk := g.rand.IntN(2) == 0
	text, err := g.read(onDisk)
	if err != nil {
		g.t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for range 1 + g.rand.IntN(3) {
		s := &g.slots[1+2*g.rand.IntN(len(g.slots)/2)]
		if len(s.now) == 0 && s.decided == nil {
			continue
		}
		next := make([]string, g.rand.IntN(3))
		for i := range next {
			next[i] = g.word("agent")
		}
		at, found := g.place(lines, s)
		if !found {
			continue
		}
		g.note("agent, on the disk %v: %q for %q", onDisk, next, s.now)
		lines = slices.Replace(lines, at, at+len(s.now), next...)
		s.now, g.reverted = next, nil
	}
	text = strings.Join(lines, "\n")
	if onDisk {
		err = os.WriteFile(g.path, []byte(text), 0o644)
	} else {
		err = g.w.call("fs/write_text_file", map[string]any{"sessionId": "s", "path": g.path, "content": text}, nil)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	if g.rand.IntN(3) == 0 {
		g.check() // in the turn: what is on the disk counts as the agent's
		g.note("end of the turn")
		g.w.end()
		g.turning = false
		g.await(`require("nvim-acp").status().state == "idle"`)
	}
}

// read returns the file as the agent sees it.
func (g *reviewGame) read(onDisk bool) (string, error) {
	if onDisk {
		data, err := os.ReadFile(g.path)
		return string(data), err
	}
	var got struct {
		Content string `json:"content"`
	}
	err := g.w.call("fs/read_text_file", map[string]any{"sessionId": "s", "path": g.path}, &got)
	return got.Content, err
}

// place returns where a slot's lines are in a text, which may lack the user's unsaved lines: below those of the slot before,
// of which it has the saved ones.
func (g *reviewGame) place(lines []string, s *slot) (at int, found bool) {
	if len(s.now) > 0 {
		at = slices.Index(lines, s.now[0])
		return at, at >= 0
	}
	for i := range g.slots {
		if &g.slots[i] == s {
			at = slices.Index(lines, g.slots[i-1].now[0])
			return at + 1, at >= 0
		}
	}
	return 0, false
}

// userTypes changes a line of the user's.
func (g *reviewGame) userTypes() {
	s := &g.slots[2*g.rand.IntN((len(g.slots)+1)/2)]
	next := []string{g.word("user")}
	g.note("user: %q for %q", next, s.now)
	g.run(`
		local old, new = ...
		for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
			if line == old then vim.api.nvim_buf_set_lines(0, i - 1, i, false, { new }) return end
		end
		error("no line " .. old)`, s.now[0], next[0])
	s.now, s.decided = next, next
}

// decide keeps or reverts a hunk.
func (g *reviewGame) decide(revert bool) {
	var list []*slot
	for i := range g.slots {
		if g.slots[i].pending() {
			list = append(list, &g.slots[i])
		}
	}
	if len(list) == 0 {
		return
	}
	s := list[g.rand.IntN(len(list))]
	line := 1
	for i := range g.slots {
		if &g.slots[i] == s {
			break
		}
		line += len(g.slots[i].now)
	}
	g.note("%s %q for %q", map[bool]string{true: "revert", false: "keep"}[revert], s.now, s.decided)
	g.run(`vim.api.nvim_win_set_cursor(0, { math.min(..., vim.fn.line("$")), 0 }) vim.cmd(select(2, ...))`, line, map[bool]string{true: "AcpRevert", false: "AcpKeep"}[revert])
	if revert {
		was := s.now
		s.now = s.decided
		g.reverted = func() { s.now = was }
	} else {
		s.decided = s.now
		g.reverted = nil
	}
	g.await(fmt.Sprintf(`require("nvim-acp.review").count() == %d`, len(list)-1)) // else what comes next may change the hunk first
}

// undo takes the last revert back.
func (g *reviewGame) undo() {
	if g.reverted == nil {
		return
	}
	g.note("undo the revert")
	g.run(`vim.cmd("AcpRevert undo")`)
	g.reverted()
	g.reverted = nil
}

// shownHunk is a hunk as it is marked.
type shownHunk struct {
	Row     int      `msgpack:"row"` // of its first line, from 0
	Added   int      `msgpack:"added"`
	Removed []string `msgpack:"removed"`
}

// check waits until the buffer has what it should, and just the hunks that wait for a decision are marked.
func (g *reviewGame) check() {
	g.t.Helper()
	if g.closed {
		return
	}
	row := 0
	var want []string
	for _, s := range g.slots {
		if s.pending() {
			want = append(want, fmt.Sprint(shownHunk{row, len(s.now), s.decided}))
		}
		row += len(s.now)
	}
	text := g.text()
	var got string
	var hunks []string
	err := poll(patience, func() (_ bool, err error) {
		if hunks, err = g.shown(); err != nil {
			return false, err
		}
		err = g.e.ExecLua(`return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"`, &got)
		return got == text && slices.Equal(hunks, want), err
	})
	if err != nil {
		g.t.Fatalf("%v: got %v in\n%s\nwant %v in\n%s\n%s", err, hunks, got, want, text, strings.Join(g.log, "\n"))
	}
}

// shown returns the hunks that are marked in the buffer.
func (g *reviewGame) shown() ([]string, error) {
	var list []shownHunk
	err := g.e.ExecLua(`
		local hunks = {}
		for i, h in ipairs(require("nvim-acp.review.marks").of(0)) do
			hunks[i] = { row = h.row, added = h.hunk.added, removed = h.hunk.removed }
		end
		return hunks`, &list)
	var hunks []string
	for _, h := range list {
		hunks = append(hunks, fmt.Sprint(h))
	}
	return hunks, err
}

// decideAll keeps all, or reverts all, which leaves what was kept and what the user has typed.
func (g *reviewGame) decideAll() {
	if g.turning {
		g.w.end()
		g.await(`require("nvim-acp").status().state == "idle"`)
	}
	revert := g.rand.IntN(2) == 0
	if g.closed {
		g.open(true)
		g.check()
	}
	g.note("all, revert %v", revert)
	g.run(`vim.cmd(...)`, map[bool]string{true: "AcpRevert all", false: "AcpKeep all"}[revert])
	for i := range g.slots {
		if revert {
			g.slots[i].now = g.slots[i].decided
		}
		g.slots[i].decided = g.slots[i].now
	}
	g.check()
}
