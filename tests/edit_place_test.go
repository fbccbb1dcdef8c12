package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var editRounds = flag.Int("edits", 6, "edits in place during which a user types at random")

// placeRound is one edit: its lines, and the answer in pieces, each of which is sent when the test says so.
type placeRound struct {
	lines       []string
	first, last int // 1-based
	pieces      []string
}

// TestEditTyping edits lines in place while a user types at random in them and around them (behaviours 403, 416): no word that was
// typed is lost, also when the answer is taken, and that changes nothing outside of the lines.
func TestEditTyping(t *testing.T) {
	t.Parallel()
	seed := seedtest.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	rounds := make([]placeRound, *editRounds)
	for i := range rounds {
		rounds[i] = newPlaceRound(random)
	}

	dir := t.TempDir()
	e := raceEditor(t, dir, placeScript(t, dir, rounds))
	taken := 0
	for i, r := range rounds {
		u := placeUser{editor: e, random: random, dir: dir, round: i, t: t}
		taken += u.play(r)
	}
	if taken < len(rounds)/2 {
		t.Errorf("only %d of %d answers were taken", taken, len(rounds))
	}
}

func newPlaceRound(random *rand.Rand) placeRound {
	var r placeRound
	for i := range 6 + random.IntN(30) {
		r.lines = append(r.lines, fmt.Sprintf("line %d", i))
	}
	r.first = 1 + random.IntN(len(r.lines))
	r.last = r.first + random.IntN(len(r.lines)-r.first+1)
	answer := slices.Clone(r.lines[r.first-1 : r.last])
	for i := range 1 + random.IntN(4) {
		at := random.IntN(len(answer) + 1)
		if random.IntN(2) == 0 || at == len(answer) {
			answer = slices.Insert(answer, at, fmt.Sprintf("new %d", i))
		} else {
			answer[at] = fmt.Sprintf("other %d", i)
		}
	}
	text := "```\n" + strings.Join(answer, "\n") + "\n```\n"
	for len(text) > 0 {
		n := 1 + random.IntN(min(len(text), 60))
		r.pieces = append(r.pieces, text[:n])
		text = text[n:]
	}
	return r
}

// placeScript is an agent that gives these answers, a session for each.
func placeScript(t *testing.T, dir string, rounds []placeRound) string {
	var b strings.Builder
	b.WriteString("< initialize\n> {\"protocolVersion\": 1}\n")
	for i, r := range rounds {
		fmt.Fprintf(&b, "any < session/new\n> {\"sessionId\": \"s%d\"}\nany < session/prompt\nwrite .go/asked%d \"\"\n", i, i)
		for j, piece := range r.pieces {
			text, err := json.Marshal(piece)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "wait .go/%d.%d\n", i, j)
			fmt.Fprintf(&b, `> session/update {"sessionId": "s%d", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": %s}}}`+"\n", i, text)
		}
		b.WriteString("> {\"stopReason\": \"end_turn\"}\n")
	}
	path := filepath.Join(dir, ".go", "script")
	err := os.Mkdir(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, []byte(b.String()), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// placeUser types while an edit runs.
type placeUser struct {
	*editor
	t      *testing.T
	random *rand.Rand
	dir    string
	round  int
	typed  []string
}

func (u *placeUser) must(err error) {
	u.t.Helper()
	if err != nil {
		u.t.Fatalf("round %d: %v", u.round, err)
	}
}

func (u *placeUser) all() []string {
	text, err := u.lua(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
	u.must(err)
	return strings.Split(text, "\n")
}

// play types while an answer comes, and takes it. It returns 1 if there was something to take.
func (u *placeUser) play(r placeRound) int {
	u.must(u.Command(fmt.Sprintf("enew! | file round%d.txt", u.round)))
	u.must(u.ExecLua(`vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)`, nil, r.lines))
	u.must(u.Command(fmt.Sprintf("%d,%dAcpEdit go", r.first, r.last)))
	asked := filepath.Join(u.dir, ".go", fmt.Sprintf("asked%d", u.round))
	u.must(u.wait(fmt.Sprintf(`vim.uv.fs_stat(%q) ~= nil`, asked))) // what is typed before, the agent is told of
	for j := range r.pieces {
		for range u.random.IntN(3) {
			u.act()
		}
		name := filepath.Join(u.dir, ".go", fmt.Sprintf("%d.%d", u.round, j))
		u.must(os.WriteFile(name, nil, 0o666))
	}
	for range u.random.IntN(4) {
		u.act()
	}
	_, err := u.Input("<Esc>")
	u.must(err)
	u.must(u.wait(`(function() local _, p = next(require("nvim-acp.edit.place").all) return not p or p.phase ~= "working" end)()`))
	taken := u.take()
	lines := strings.Join(u.all(), "\n")
	for _, word := range u.typed {
		if !strings.Contains(lines, word) {
			u.t.Fatalf("round %d: %q is lost:\n%s", u.round, word, lines)
		}
	}
	return taken
}

// act types something somewhere: new words, or the end of lines without any.
func (u *placeUser) act() {
	lines := u.all()
	at := u.random.IntN(len(lines))
	word := fmt.Sprintf("typed-%d-%d.", u.round, len(u.typed))
	how := []string{"o", "O", "A", "I", "dd", "J", "u"}[u.random.IntN(7)]
	switch {
	case how == "u" || how == "J" && at+1 == len(lines):
		return
	case how == "dd" && strings.Contains(lines[at], "typed"):
		return
	case how == "dd", how == "J":
		_, err := u.Input(fmt.Sprintf("<Esc>%dG%s", at+1, how))
		u.must(err)
		return
	}
	end := "<Esc>"
	if u.random.IntN(3) == 0 {
		end = "" // the user stays in Insert mode
	}
	u.typed = append(u.typed, word)
	_, err := u.Input(fmt.Sprintf("<Esc>%dG%s%s%s", at+1, how, word, end))
	u.must(err)
}

// take takes the answer if there is one, and sees that nothing but its lines has changed, and that one undo brings them back.
func (u *placeUser) take() int {
	var got struct {
		Taken   bool     `msgpack:"taken"`
		Outside string   `msgpack:"outside"`
		Undone  bool     `msgpack:"undone"`
		Before  []string `msgpack:"before"`
		After   []string `msgpack:"after"`
	}
	u.must(u.ExecLua(`
		local _, p = next(require("nvim-acp.edit.place").all)
		if not p or p.phase ~= "ready" then
			if p then require("nvim-acp.edit").finish(p, "dropped") end
			return { taken = false, outside = "", undone = true, before = {}, after = {} }
		end
		local api, place = vim.api, require("nvim-acp.edit.place")
		local first, last = place.rows(p)
		local function lines() return api.nvim_buf_get_lines(0, 0, -1, false) end
		local before = lines()
		if first == last then
			require("nvim-acp.edit").finish(p, "dropped")
			return { taken = false, outside = "", undone = true, before = {}, after = {} }
		end
		api.nvim_win_set_cursor(0, { first + 1, 0 })
		require("nvim-acp.edit.keys").update()
		vim.fn.maparg("<CR>", "n", false, true).callback()
		local after, outside = lines(), ""
		for i = 1, first do
			if after[i] ~= before[i] then outside = "above, line " .. i end
		end
		for i = 0, #before - last - 1 do
			if after[#after - i] ~= before[#before - i] then outside = "below, line " .. #before - i end
		end
		vim.cmd("silent undo")
		local undone = vim.deep_equal(lines(), before)
		vim.cmd("silent redo")
		return { taken = true, outside = outside, undone = undone and vim.deep_equal(lines(), after), before = before, after = after }`, &got))
	if got.Outside != "" || !got.Undone {
		u.t.Fatalf("round %d: outside %q, undone %v:\n%q\n%q", u.round, got.Outside, got.Undone, got.Before, got.After)
	}
	if got.Taken {
		return 1
	}
	return 0
}
