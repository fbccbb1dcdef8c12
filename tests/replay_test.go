package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
)

// TestReplay plays each recording of a real agent, split at random, with the user's recorded actions: the transcript
// then equals its golden, with all of the agent's text, and nothing is left open (behaviour 150).
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			play(t, file)
		})
	}
}

// traced is one line of a recording, decoded as far as a user's view of it needs.
type traced struct {
	Dir string `json:"dir"`
	Raw string `json:"raw"`

	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string          `json:"sessionId"`
		Prompt    []tracedContent `json:"prompt"`
		Update    tracedUpdate    `json:"update"`
		ToolCall  tracedUpdate    `json:"toolCall"`
		Type      string          `json:"type"`    // of an event
		AgentID   string          `json:"agentId"` // the subagent that it is about
	} `json:"params"`
	Result struct {
		Outcome struct {
			OptionID string `json:"optionId"`
		} `json:"outcome"`
		StopReason string `json:"stopReason"`
	} `json:"result"`
}

// readTrace reads a recording as it is when its session works in cwd.
func readTrace(file, cwd string) ([]traced, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var trace []traced
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e traced
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		raw := strings.ReplaceAll(e.Raw, "/home/user/project", cwd)
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			return nil, err
		}
		trace = append(trace, e)
	}
	return trace, lines.Err()
}

// player is a user who does what is in a recording.
type player struct {
	*editor
	want    *shown
	pending map[string]int // permission requests, by id, to their number
	prompts int

	prompted string // id of the session
}

func play(t *testing.T, file string) {
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	cwd, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	trace, err := readTrace(file, cwd)
	if err != nil {
		t.Fatal(err)
	}
	hash := fnv.New64()
	hash.Write([]byte(file[strings.LastIndex(file, "/"):]))
	p := &player{want: newShown(cwd), pending: map[string]int{}}
	p.editor, err = startReplay(t, cwd, file, hash.Sum64())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range trace {
		if err := p.step(e); err != nil {
			t.Fatalf("%v\n%s", err, p.scene())
		}
	}
	if err := p.finish(); err != nil {
		t.Fatalf("%v\n%s", err, p.scene())
	}
	p.compare(t, strings.TrimSuffix(file, ".jsonl")+".txt", cwd)
}

// compare holds the transcript as it is drawn against a golden. The commands of some recordings run again, and what is left
// of the last one may come late.
func (p *player) compare(t *testing.T, golden, cwd string) {
	want, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatalf("%v (-update writes it)", err)
	}
	var drawn string
	look := func() (bool, error) {
		text, err := p.lua(transcriptDrawn)
		text = totals.ReplaceAllString(took.ReplaceAllString(text, ""), "")
		drawn = listed.ReplaceAllString(strings.ReplaceAll(text, cwd, "/home/user/project")+"\n", "      (of a file)\n")
		if strings.HasSuffix(golden, "zed-claude-0.16-cancel-tool.txt") {
			drawn = strings.Replace(drawn, "      tick 1\n", "", 1) // comes or not
		}
		return drawn == string(want) && !*update, err
	}
	err = p.wait(`vim.iter(require("nvim-acp").terminals()):all(function(t) return not t.running end)`)
	if err == nil {
		most := patience
		if *update {
			most = 3 * time.Second // for what is still being drawn
		}
		err = poll(most, look)
	}
	switch {
	case *update:
		err = os.WriteFile(golden, []byte(drawn), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	case drawn != string(want):
		t.Errorf("the transcript is not as in %s (-update writes it anew):\n%s", golden, diff.Diff("got", []byte(drawn), "want", want))
	case err != nil:
		t.Fatal(err)
	}
}

// startReplay starts a Neovim whose agent is a recording, and which notes what is asked and what fails.
func startReplay(t *testing.T, cwd, file string, seed uint64) (*editor, error) {
	env := append(cleanEnv(), "HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	for _, name := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+cwd+"/.home/"+name)
	}
	e, err := startEditor(plugin(t), cwd, env)
	if err != nil {
		return nil, err
	}
	t.Cleanup(e.close)
	_, err = e.lua(`
		local bin, file, seed = ...
		require("nvim-acp").setup({
			agent = "recorded",
			agents = { recorded = { command = bin, args = { "agent", "--replay", file, "--seed", seed, "--map-cwd" } } },
			chat = { fold_calls = false, fold_thoughts = false },
			terminal = { tail = 1000 },
		})
		asked, failed = {}, {}
		vim.api.nvim_create_autocmd("User", { pattern = "AcpPermission", callback = function(e) table.insert(asked, e.data.id) end })
		for _, name in ipairs({ "AcpError", "AcpDisconnected" }) do
			vim.api.nvim_create_autocmd("User", { pattern = name, callback = function(e) table.insert(failed, e.data.message) end })
		end`, agentProgram(), file, fmt.Sprint(seed))
	return e, err
}

// step does what the recorded client did, or notes what the agent sent.
func (p *player) step(e traced) error {
	switch {
	case e.Dir == "recv" && e.Method == "session/update":
		if p.prompted != "" && e.Params.SessionID != p.prompted && strings.HasPrefix(e.Params.Update.Kind, "agent_") {
			p.want.agent = e.Params.SessionID // a child of the session
		}
		p.want.update(e.Params.Update)
	case e.Dir == "recv" && e.Method == "session/request_permission":
		p.want.update(e.Params.ToolCall)
		p.want.asked++
		p.pending[string(e.ID)] = p.want.asked
	case e.Dir == "recv" && strings.HasSuffix(e.Params.Type, "_delta"): // of the chunk that follows
		p.want.agent = e.Params.AgentID
	case e.Dir == "recv":
		if e.Result.StopReason != "" {
			p.want.over()
		}
	case e.Method == "session/load":
		_, err := p.lua(`
			local state = require("nvim-acp.state")
			local s = state.create("recorded", vim.fn.getcwd())
			s.remote = ...
			state.use(s)
			state.open(s)`, e.Params.SessionID)
		p.want.load()
		return err
	case e.Method == "session/prompt":
		p.prompted = e.Params.SessionID
		return p.prompt(e)
	case e.Method == "session/cancel":
		if err := p.seen(); err != nil {
			return err
		}
		_, err := p.lua(`require("nvim-acp").cancel()`)
		return err
	case e.Method == "" && e.Result.Outcome.OptionID != "" && p.pending[string(e.ID)] > 0:
		return p.answer(p.pending[string(e.ID)], e.Result.Outcome.OptionID)
	}
	return nil
}

// prompt sends a prompt once the turn before it is over.
func (p *player) prompt(e traced) error {
	if p.prompts > 0 || p.want.loaded {
		if err := p.idle(); err != nil {
			return err
		}
	}
	p.prompts++
	p.want.prompt(e.Params.Prompt[0].Text)
	_, err := p.lua(`require("nvim-acp").prompt(...)`, e.Params.Prompt[0].Text)
	return err
}

func (p *player) idle() error {
	return p.wait(`(function() local st = require("nvim-acp").status() return st and st.state == "idle" and #st.queue == 0 end)()`)
}

// seen waits until everything that the agent sent so far is on the screen.
func (p *player) seen() error {
	missing := ""
	err := p.poll(func() (bool, error) {
		text, err := p.lua(transcriptText)
		missing = p.want.missing(text)
		return missing == "", err
	})
	if err != nil {
		return fmt.Errorf("not shown: %s (%w)", missing, err)
	}
	return p.wait(fmt.Sprintf("#asked >= %d", p.want.asked))
}

// answer picks an option of the n-th permission that was asked.
func (p *player) answer(n int, option string) error {
	if err := p.wait(fmt.Sprintf("#asked >= %d", n)); err != nil {
		return err
	}
	return p.wait(fmt.Sprintf(`require("nvim-acp").permit(%q, { id = asked[%d] })`, option, n))
}

// finish waits for the end and looks that nothing is left.
func (p *player) finish() error {
	if err := p.idle(); err != nil {
		return err
	}
	if err := p.seen(); err != nil {
		return err
	}
	left := ""
	err := p.poll(func() (_ bool, err error) { // a command that was ended may need a moment
		left, err = p.lua(leftOpen)
		return left == "", err
	})
	if err != nil {
		return fmt.Errorf("left: %s (%w)", left, err)
	}
	return nil
}

const transcriptText = `table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr or 0, 0, -1, false), "\n")`

// took is how long a command took, if a second or more.
var took = regexp.MustCompile(`(?m)  \| \d+ s$`)

// totals are the files that a turn has changed, alone or before what it has cost: what is written and run again may be there in time or
// not.
var totals = regexp.MustCompile(`(?m)\n\n +(?:✓ )?\d+ files?(?: \+\d+)?(?: −\d+)?$|\d+ files?(?: \+\d+)?(?: −\d+)? · `)

// listed is a line of `ls -l` that was run again.
var listed = regexp.MustCompile(`(?m)^ {6}(total \d+|[-d][-rwx]{9} .*)\n`)

// transcriptDrawn is the transcript with what is drawn around its words: icons before them, a sign at its left, what stands at
// the right behind a bar. Times are left out.
const transcriptDrawn = `
	local buf, out = require("nvim-acp").status().bufnr, {}
	for i, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
		local grown, left, right = 0, " ", ""
		for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, { i - 1, 0 }, { i - 1, -1 }, { details = true })) do
			local text = ""
			for _, chunk in ipairs(mark[4].virt_text or {}) do
				text = text .. chunk[1]
			end
			if mark[4].sign_text then
				left = vim.trim(mark[4].sign_text)
			elseif mark[4].virt_text_pos == "inline" then
				line = line:sub(1, mark[3] + grown) .. text .. line:sub(mark[3] + grown + 1)
				grown = grown + #text
			elseif mark[4].virt_text_pos == "overlay" and not text:find("%d") then -- an icon or a bar, over spaces
				local at, cells = mark[3] + grown, vim.fn.strdisplaywidth(text)
				line = line:sub(1, at) .. text .. line:sub(at + cells + 1)
				grown = grown + #text - cells
			elseif text ~= "" then
				text = vim.trim(text:gsub("%d+:%d%d", ""))
				right = text ~= "" and "  | " .. text or ""
			end
		end
		line = line:gsub("Thought for %d+ s", "Thought"):gsub("%s+$", "")
		out[i] = vim.trim(left) == "" and line == "" and right == "" and "" or (left .. " " .. line .. right)
	end
	return table.concat(out, "\n")`

// leftOpen names what must not be there when all is over: errors, permissions, calls that still seem to run.
const leftOpen = `
	local st, left = require("nvim-acp").status(), vim.list_slice(failed)
	if st.error and st.error ~= "" then
		table.insert(left, "error: " .. st.error)
	end
	if st.pending ~= 0 or st.state ~= "idle" then
		table.insert(left, st.state .. ", pending " .. st.pending)
	end
	for _, line in ipairs(vim.api.nvim_buf_get_lines(st.bufnr, 0, -1, false)) do
		if line:find("terminal not available") then
			table.insert(left, line)
		end
	end
	for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(st.bufnr, -1, 0, -1, { details = true })) do
		for _, chunk in ipairs(mark[4].virt_text or {}) do
			if chunk[1]:find("^running") or chunk[1] == "waiting" or chunk[1] == "pending" then
				table.insert(left, "line " .. mark[2] + 1 .. ": " .. chunk[1])
			end
		end
	end
	return table.concat(left, "; ")`
