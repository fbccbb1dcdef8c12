package tests

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/internal/linestest"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// TestEditProperties makes random edits by agents in a buffer that the user has changed at random, through the Lua that
// the host calls (behaviour 130): the buffer has the merged text, the disk the agent's, marks move only inside hunks,
// and one undo and one redo restore the text exactly.
func TestEditProperties(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "random.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	e := raceEditor(t, dir, "")
	if err := e.Command("edit random.txt"); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seedtest.Of(t), 0))
	for range 1000 {
		base := linestest.Random(r, 1+r.IntN(30), 12)
		ours, theirs := linestest.Edited(r, base, 12), linestest.Edited(r, base, 12)
		m := buffers.Merge(base, ours, theirs)
		plan := files.Write{
			Buffer: files.Snapshot{Text: strings.Join(ours, "\n"), EOL: true, Modified: true},
			Base:   base, Text: strings.Join(theirs, "\n") + "\n", OnDisk: func() bool { return false },
		}.Plan()
		if len(plan.Disk) == 0 || len(m.Lines) == 0 { // nothing to undo; no buffer has no line
			continue
		}
		var got editOutcome
		if err := e.ExecLua(editCase, &got, ours, plan); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name      string
			got, want []string
		}{
			{"merged", got.Merged, m.Lines},
			{"undone", got.Undone, ours},
			{"redone", got.Redone, m.Lines},
			{"saved", strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), theirs},
		} {
			if !slices.Equal(c.got, c.want) {
				t.Fatalf("%s: got %q, want %q\nbase %q\nours %q\ntheirs %q", c.name, c.got, c.want, base, ours, theirs)
			}
		}
		if got.Moved != "" {
			t.Fatalf("marks: %s\nbase %q\nours %q\ntheirs %q\nmerged %q", got.Moved, base, ours, theirs, m.Lines)
		}
	}
}

type editOutcome struct {
	Merged []string `msgpack:"merged"`
	Undone []string `msgpack:"undone"`
	Redone []string `msgpack:"redone"`
	Moved  string   `msgpack:"moved"`
}

// editCase puts the user's text with a mark on each line into the buffer, makes the edit, and looks.
const editCase = `
	local ours, edit = ...
	local api, ns = vim.api, vim.api.nvim_create_namespace("property")
	local function lines() return api.nvim_buf_get_lines(0, 0, -1, false) end
	api.nvim_buf_set_lines(0, 0, -1, false, ours)
	vim.bo.modified = true
	api.nvim_buf_clear_namespace(0, ns, 0, -1)
	for i = 1, #ours do api.nvim_buf_set_extmark(0, ns, i - 1, 0, { id = i }) end
	edit.buf, edit.tick = api.nvim_get_current_buf(), api.nvim_buf_get_changedtick(0)
	local answer = require("nvim-acp.files.edit").edit(edit)
	assert(answer.result == "ok" and not answer.problem, vim.inspect(answer))
	local out = { merged = lines(), moved = "" }
	local shift, at = 0, 1
	for i = 1, #ours do
		local row = i - 1
		while edit.direct[at] and row >= edit.direct[at].last do
			local h = edit.direct[at]
			shift, at = shift + h.count - (h.last - h.first), at + 1
		end
		local inside = edit.direct[at] and row >= edit.direct[at].first
		local mark = api.nvim_buf_get_extmark_by_id(0, ns, i, {})
		local same = mark[1] and out.merged[mark[1] + 1] == ours[i] -- of equal lines either will do
		if not inside and not same then
			out.moved = ("row %d went to %s instead of %d"):format(row, tostring(mark[1]), row + shift)
		end
	end
	vim.cmd("silent undo")
	out.undone = lines()
	vim.cmd("silent redo")
	out.redone = lines()
	return out`
