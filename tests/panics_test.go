package tests

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

var panics = flag.Int("panics", 8, "at how many places TestPanics has the program fail; 0: at all")

// busyAgent is an agent that does something of everything in each turn, for any number of sessions, and is put off by no error.
func busyAgent() {
	var mu sync.Mutex // guards all below, and what is written
	answers := map[string]chan json.RawMessage{}
	folders := map[string]string{}
	n := os.Getpid() * 1000
	send := func(m wireMessage) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = os.Stdout.Write(m.line())
	}
	result := func(id json.RawMessage, text string) { send(wireMessage{ID: id, Result: json.RawMessage(text)}) }
	call := func(method string, params map[string]any) json.RawMessage {
		mu.Lock()
		n++
		id := fmt.Sprint(n)
		answer := make(chan json.RawMessage, 1)
		answers[id] = answer
		mu.Unlock()
		send(wireMessage{ID: json.RawMessage(id), Method: method, Params: params})
		return <-answer
	}
	turn := func(session string, id json.RawMessage) {
		mu.Lock()
		n++
		tool, dir := fmt.Sprint("call", n), folders[session]
		mu.Unlock()
		update := func(u map[string]any) {
			send(wireMessage{Method: "session/update", Params: map[string]any{"sessionId": session, "update": u}})
		}
		path := filepath.Join(dir, "f.txt")
		update(map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": "words of " + session}})
		update(map[string]any{
			"sessionUpdate": "tool_call", "toolCallId": tool, "title": "edit", "kind": "edit", "status": "in_progress",
			"locations": []any{map[string]any{"path": path}},
		})
		call("fs/read_text_file", map[string]any{"sessionId": session, "path": path})
		call("session/request_permission", map[string]any{
			"sessionId": session, "toolCall": map[string]any{"toolCallId": tool, "title": "edit", "kind": "edit"},
			"options": []any{map[string]any{"optionId": "y", "name": "Allow", "kind": "allow_once"}},
		})
		call("fs/write_text_file", map[string]any{"sessionId": session, "path": path, "content": "text " + tool + "\nend\n"})
		created := call("terminal/create", map[string]any{"sessionId": session, "command": "echo", "args": []string{"hi"}})
		var term struct {
			ID string `json:"terminalId"`
		}
		if json.Unmarshal(created, &term) == nil && term.ID != "" {
			of := map[string]any{"sessionId": session, "terminalId": term.ID}
			call("terminal/wait_for_exit", of)
			call("terminal/release", of)
		}
		update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": tool, "status": "completed"})
		result(id, `{"stopReason":"end_turn"}`)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Params struct {
				Session string `json:"sessionId"`
				Cwd     string `json:"cwd"`
			} `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			result(m.ID, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}`)
		case "session/new":
			mu.Lock()
			n++
			session := fmt.Sprint("s", n)
			folders[session] = m.Params.Cwd
			mu.Unlock()
			result(m.ID, `{"sessionId":"`+session+`"}`)
		case "session/resume", "session/load":
			mu.Lock()
			folders[m.Params.Session] = m.Params.Cwd
			mu.Unlock()
			result(m.ID, "{}")
		case "session/prompt":
			go turn(m.Params.Session, m.ID)
		case "":
			mu.Lock()
			answer := answers[string(m.ID)]
			delete(answers, string(m.ID))
			mu.Unlock()
			if answer != nil {
				answer <- m.Result
			}
		default:
			if m.ID != nil {
				result(m.ID, "{}")
			}
		}
	}
}

// panicky is a Neovim with a program that fails once, at a place, as soon as a file is there.
type panicky struct {
	*testing.T
	e    *editor
	file string
}

// newPanicky starts one. The program notes the places that it comes to in places.
func newPanicky(t *testing.T, place, places string) *panicky {
	t.Helper()
	dir := t.TempDir()
	p := &panicky{T: t, file: filepath.Join(dir, "panic")}
	if err := os.WriteFile(filepath.Join(dir, "f.txt"), []byte("one\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(cleanEnv(), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_RUNTIME_DIR="+runDir(t), "GORACE=atexit_sleep_ms=0",
		"NVIM_ACP_PANIC="+place+" "+p.file, "NVIM_ACP_PLACES="+places)
	e, err := startEditor(plugin(t), dir, env, "f.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	p.e = e
	p.lua(`acp = require("nvim-acp")
		said = {}
		vim.notify = function(text) table.insert(said, text) end
		function busy(id) local s = acp.status({ session = id }) return s and s.state ~= "disconnected" and (s.state ~= "idle" or #s.queue > 0) end
		function shown(id) return table.concat(vim.api.nvim_buf_get_lines(acp.status({ session = id }).bufnr, 0, -1, false), "\n") end
		function host()
			for _, c in ipairs(vim.api.nvim_list_chans()) do
				if c.mode == "rpc" and c.argv then return vim.fn.jobpid(c.id) end
			end
		end
		acp.setup({ agent = "a", agents = { a = { command = ... } }, rules = { { action = "allow", kind = "edit" } } })
		vim.cmd("silent! AcpRules")
		B = acp.chat({ focus = false })`, mustLook("busy-agent"))
	p.answered("B")
	return p
}

func (p *panicky) lua(code string, args ...any) string {
	p.Helper()
	out, err := p.e.lua(code, args...)
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// wait waits until something is so, and allows meanwhile what is asked.
func (p *panicky) wait(expr string) {
	p.Helper()
	err := p.e.wait(`(function()
		for _, s in ipairs(acp.sessions()) do
			if s.pending > 0 then pcall(acp.permit, "y", { session = s.session }) end
		end
		return ` + expr + ` end)()`)
	if err != nil {
		p.Fatalf("%v; said: %s\n%s", err, p.lua("said"), p.lua(`vim.inspect(acp.sessions()) .. (A and shown(A) or "") .. "\nB:\n" .. shown(B)`))
	}
}

// answered has a session answer a prompt.
func (p *panicky) answered(id string) {
	p.Helper()
	before := p.lua(`select(2, shown(` + id + `):gsub("words of", ""))`)
	p.lua(`acp.prompt("go on", { session = ` + id + ` })`)
	p.wait(`select(2, shown(` + id + `):gsub("words of", "")) > ` + before + ` and not busy(` + id + `)`)
}

// work has a new session do all that makes the program come to its places. It is over early if the session fails.
func (p *panicky) work() {
	p.lua(`A = acp.chat({ new = true, focus = false })
		acp.prompt("go", { session = A })`)
	p.wait(`not busy(A)`)
	for _, step := range []string{
		`vim.api.nvim_buf_set_lines(0, -1, -1, false, { "mine" })`,
		`acp.prompt("again", { session = A })`,
		`vim.cmd("silent! AcpReview")`,
		`vim.cmd("silent! AcpRevert file")`,
		`vim.cmd("silent! AcpLog")`,
		`acp.prompt("once more", { session = A })`,
	} {
		p.lua(`pcall(function() ` + step + ` end)`)
		p.wait(`not busy(A)`)
	}
}

// waits reports whether the panic is still to come.
func (p *panicky) waits() bool {
	_, err := os.Stat(p.file)
	return err == nil
}

// Wherever the program fails, the session that it was for fails and can go on, every other one goes on, and the user is told once
// (behaviour 870).
func TestPanics(t *testing.T) {
	t.Parallel()
	places := filepath.Join(t.TempDir(), "places")
	p := newPanicky(t, "none", places)
	if err := os.Remove(places); err != nil { // what comes before a panic is wanted
		t.Fatal(err)
	}
	p.work()
	text, err := os.ReadFile(places)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(text))
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 20 {
		t.Fatalf("the program comes to only %d places: %q", len(all), all)
	}

	seed := seedtest.Of(t)
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if *panics > 0 {
		all = all[:*panics]
	}
	missed := 0
	for _, place := range all {
		t.Run(place, func(t *testing.T) {
			p := newPanicky(t, strings.NewReplacer("(", `\(`, ")", `\)`, "*", `\*`, ".", `\.`).Replace(place), "")
			if err := os.WriteFile(p.file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			pid := p.lua(`host()`)
			for range 3 { // it does not come to each place each time
				p.work()
				if !p.waits() {
					break
				}
			}
			if p.waits() {
				t.Logf("the program did not come to %s", place)
				missed++
				_ = os.Remove(p.file)
			} else if !strings.HasPrefix(place, "host.(*Host).say") { // which would say it
				p.wait(`vim.iter(said):any(function(text) return text:find("internal error", 1, true) ~= nil end)`)
			}
			p.answered("B")
			p.answered("A")
			if now := p.lua(`host()`); now != pid {
				t.Errorf("the program was started again")
			}
		})
	}
	if missed > max(1, len(all)/4) {
		t.Errorf("the program did not come to %d of %d places (seed %d)", missed, len(all), seed)
	}
}
