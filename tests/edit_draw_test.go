package tests

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var drawRounds = flag.Int("draws", 400, "diffs that grow while lines are typed")

// TestEditDraw has the diff of an answer that grows drawn in parts, some of which are refused, while lines are typed between them and the
// window scrolls: what Neovim has of it, once a window has shown all, is what it would have if it were drawn at once (behaviours 401,
// 611, 614).
func TestEditDraw(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(seedtest.Of(t), 0))
	e := raceEditor(t, t.TempDir(), "")
	if err := e.ExecLua(luaDrawing, nil); err != nil {
		t.Fatal(err)
	}
	for range *drawRounds {
		drawRound(t, e, random)
		if t.Failed() {
			return
		}
	}
}

// drawing is a diff as Neovim has it.
type drawing struct {
	*editor
	marks []edit.Mark
	ours  []string
}

func drawRound(t *testing.T, e *editor, random *rand.Rand) {
	t.Helper()
	base := distinct(random, "base", 1+random.IntN(12))
	d := drawing{editor: e, ours: base}
	if err := e.ExecLua(`drawing.begin(...)`, nil, base); err != nil {
		t.Fatal(err)
	}
	var place edit.Place
	var differ edit.Differ
	place.Begin(edit.Request{Kind: edit.Edit, Lines: base, Tab: 4})
	answer := retyped(random, base, "answer", 0)
	text := "```\n" + strings.Join(answer, "\n") + "\n```\n"
	log := []string{fmt.Sprintf("base %q, answer %q", base, answer)}
	for seen := 1; text != ""; seen++ {
		n := 1 + random.IntN(len(text))
		place.Write(text[:n])
		text = text[n:]
		ours := d.ours
		if random.IntN(3) == 0 {
			ours = retyped(random, ours, fmt.Sprintf("typed%d", seen), 1)
			log = append(log, fmt.Sprintf("typed %q", ours))
		}
		if err := d.typed(ours); err != nil {
			t.Fatal(err)
		}
		place.Typed(ours, seen)
		s := place.Snapshot()
		if !s.Has {
			d.marks, d.ours = edit.Made(d.marks, d.ours, ours, nil), ours
			continue
		}
		marks := differ.Diff(s, nil).Marks
		whole, err := d.draw(random, marks, ours)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, fmt.Sprintf("drawn %v of %d marks", whole, len(marks)))
		if !whole || text != "" && random.IntN(2) == 0 { // looking shows all, and then nothing is held back
			continue
		}
		var got string
		if err := e.ExecLua(`return drawing.drawn()`, &got); err != nil {
			t.Fatal(err)
		}
		if want := drawnOf(marks); got != want {
			t.Fatalf("got %s\nwant %s\n%s", got, want, strings.Join(log, "\n"))
		}
	}
}

// typed changes the lines in the buffer as a user does.
func (d *drawing) typed(lines []string) error {
	edits := buffers.Edits(d.ours, lines)
	for _, e := range slices.Backward(edits) {
		if err := d.ExecLua(`drawing.type(...)`, nil, e.Start, e.End, append([]string{}, e.Lines...)); err != nil {
			return err
		}
	}
	return nil
}

// draw has the marks drawn, or a part of them.
func (d *drawing) draw(random *rand.Rand, marks []edit.Mark, ours []string) (whole bool, err error) {
	if err := d.ExecLua(`drawing.scroll(...)`, nil, random.IntN(len(ours)+1)); err != nil {
		return false, err
	}
	parts := edit.Change(d.marks, d.ours, marks, ours).Parts(6, 2)
	for i, p := range parts {
		if random.IntN(6) == 0 {
			d.marks, d.ours = edit.Made(d.marks, d.ours, ours, parts[:i]), ours
			return false, nil
		}
		if err := d.ExecLua(`drawing.draw(...)`, nil, p.From, p.Drop, append([]edit.Mark{}, p.Marks...)); err != nil {
			return false, err
		}
	}
	d.marks, d.ours = slices.Clone(marks), ours
	return true, nil
}

// drawnOf returns what marks draw: the rows that go, and the lines that come below others.
func drawnOf(marks []edit.Mark) string {
	var gone, come []string
	for _, m := range marks {
		if len(m.Lines) == 0 {
			gone = append(gone, fmt.Sprintf("%d-%d", m.Row, m.Row+m.Gone))
		}
		for _, line := range m.Lines {
			text := ""
			for _, c := range line {
				text += c.Text
			}
			come = append(come, fmt.Sprintf("%d:%s", m.Row, text))
		}
	}
	return strings.Join(gone, " ") + " | " + strings.Join(come, " ")
}

// distinct returns lines that are all different.
func distinct(random *rand.Rand, name string, count int) []string {
	lines := make([]string, count)
	for i := range lines {
		lines[i] = fmt.Sprintf("%s-%d-%d", name, i, random.IntN(1000))
	}
	return lines
}

// retyped returns lines with some of them replaced, removed, and others added, a few or many: those not before the first lines nor
// after the last ones, if edge is their number.
func retyped(random *rand.Rand, lines []string, name string, edge int) []string {
	out := slices.Clone(lines)
	for i := range 1 + random.IntN(3) {
		at := random.IntN(len(out) + 1)
		more := distinct(random, fmt.Sprint(name, i), 1+random.IntN(1+random.IntN(90)))
		switch gone := random.IntN(3); {
		case gone == 0 || at == len(out):
			if at >= edge && at <= len(out)-edge {
				out = slices.Insert(out, at, more...)
			}
		case gone == 1 && len(out) > 1:
			out = slices.Delete(out, at, at+1)
		default:
			out = slices.Replace(out, at, at+1, more...)
		}
	}
	return out
}

const luaDrawing = `
local api, place, draw = vim.api, require("nvim-acp.edit.place"), require("nvim-acp.edit.draw")
local ns = api.nvim_create_namespace("nvim-acp.edits")
require("nvim-acp.state").notify = function() return true end
local p
drawing = {}

function drawing.begin(lines)
	if p then
		draw.clear(p)
		place.remove(p)
	end
	api.nvim_buf_set_lines(0, 0, -1, false, vim.list_extend(vim.list_extend({ "above" }, lines), { "below" }))
	p = place.new({ id = "s" }, api.nvim_get_current_buf(), { 2, #lines + 1 }, { kind = "edit", instruction = "" })
end

function drawing.type(from, to, lines)
	api.nvim_buf_set_lines(0, 1 + from, 1 + to, true, lines)
end

function drawing.draw(from, drop, marks)
	place.settle(p)
	draw.diff(p, { from = from, drop = drop, marks = marks })
end

-- Scrolls to a row, as Neovim does before it draws.
function drawing.scroll(row)
	local last = api.nvim_buf_line_count(0)
	api.nvim_win_set_cursor(0, { math.min(row + 1, last), 0 })
	vim.cmd("normal! zt")
	api.nvim_exec_autocmds("WinScrolled", {})
end

-- Returns the rows of the place that go, and the lines that come, each with the row above which it is, when a window has shown all.
function drawing.drawn()
	local gone, come = {}, {}
	for row = 0, api.nvim_buf_line_count(0), api.nvim_win_get_height(0) do
		drawing.scroll(row)
	end
	for _, mark in ipairs(api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
		local row, how = mark[2] - 1, mark[4]
		if how.virt_lines then
			for _, line in ipairs(how.virt_lines) do
				local text = vim.iter(line):map(function(chunk) return chunk[1] end):join("")
				local above = how.virt_lines_above and row or row + 1
				table.insert(come, { above, #come, above .. ":" .. vim.trim(text) })
			end
		elseif how.hl_group == "AcpReviewDelete" then
			table.insert(gone, row .. "-" .. how.end_row - 1)
		end
	end
	table.sort(come, function(a, b)
		return a[1] < b[1] or a[1] == b[1] and a[2] < b[2]
	end)
	return table.concat(gone, " ") .. " | " .. vim.iter(come):map(function(line) return line[3] end):join(" ")
end
`
