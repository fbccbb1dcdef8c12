package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
	"github.com/nvim-acp/nvim-acp/tests/hostile"
)

var hostileFor = flag.Duration("hostile", 12*time.Second, "how long TestHostile plays, in plain Neovim and again with the agent in a sandbox")

// hit is how the name of a file begins that is made wherever a text of the corpus is run.
const hit = "HIT"

// enemy makes what an agent says: each string field of the protocol goes through all of the corpus.
type enemy struct {
	*hostile.Schema
	corpus []string
	first  int            // text of the corpus
	turns  map[string]int // by field, how many texts it had
	rand   *rand.Rand
}

func newEnemy(t *testing.T, seed uint64) *enemy {
	t.Helper()
	table, err := os.Open(filepath.Join(plugin(t), "acp/testdata/schema.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }() // it is only read
	s, err := hostile.Read(table)
	if err != nil {
		t.Fatal(err)
	}
	e := &enemy{Schema: s, corpus: hostile.Corpus(hit), turns: map[string]int{}, rand: rand.New(rand.NewPCG(seed, seed))}
	e.first = e.rand.IntN(len(e.corpus))
	s.Pick, s.Text = e.rand.IntN, e.text
	return e
}

// text returns the next text for a field: ids that are to be found again stay as they are, now and then.
func (e *enemy) text(field string) string {
	name := field[strings.LastIndexByte(field, '.')+1:]
	switch {
	case strings.HasPrefix(field, "Sub") && name == "sessionId", strings.HasSuffix(name, "erSessionId"), name == "recipientSessionId":
		return []string{"s", "c1", "c2"}[e.rand.IntN(3)]
	case name == "sessionId":
		return "s"
	case slices.Contains([]string{"toolCallId", "messageId", "terminalId", "currentModeId", "currentModelId", "currentValue"}, name) && e.rand.IntN(3) > 0:
		return []string{"t1", "t2", "t3", "t4"}[e.rand.IntN(4)]
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(field))
	e.turns[field]++
	text := e.corpus[(e.first+int(h.Sum32()%997)+e.turns[field])%len(e.corpus)]
	switch addressed := name == "uri" || name == "url"; {
	case addressed && e.rand.IntN(2) == 0:
		return []string{"file:///", "https://a/", "file://"}[e.rand.IntN(3)] + text
	case (name == "path" || name == "cwd") && e.rand.IntN(2) == 0:
		return "/" + text
	}
	return text
}

// line is a line of a script with a value.
func line(words string, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of strings, numbers and maps
	}
	return words + " " + string(text) + "\n"
}

// script is what an agent says in three turns: all updates, an error, and all requests. n of each kind.
func (e *enemy) script(n int) string {
	var b strings.Builder
	start := e.Object("InitializeResponse")
	start["protocolVersion"] = 1
	b.WriteString(line("allow initialize", start))
	answers := map[string]string{
		"session/new": "NewSessionResponse", "session/load": "LoadSessionResponse", "session/resume": "ResumeSessionResponse",
		"session/list": "ListSessionsResponse", "session/set_mode": "SetSessionModeResponse", "session/set_model": "SetSessionModeResponse",
		"session/set_config_option": "SetSessionConfigOptionResponse", "session/close": "CloseSessionResponse",
		"session/delete": "DeleteSessionResponse", "session/fork": "NewSessionResponse", "authenticate": "AuthenticateResponse",
	}
	for _, method := range slices.Sorted(maps.Keys(answers)) {
		b.WriteString(line("allow "+method, e.Object(answers[method])))
	}
	b.WriteString("allow session/cancel {}\n< session/prompt\n")
	for range n {
		for _, kind := range e.Variants("SessionUpdate") {
			b.WriteString(raw(line("> session/update", map[string]any{"sessionId": "s", "update": e.Union("SessionUpdate", kind)})))
		}
	}
	for i := range 2 * n {
		b.WriteString(raw(line("> session/update", map[string]any{"sessionId": "s", "update": e.reports(fmt.Sprint("m", i))})))
	}
	b.WriteString(line("> session/update", map[string]any{"sessionId": "s", "update": map[string]any{
		"sessionUpdate": "tool_call", "toolCallId": "huge", "title": hostile.Huge(hit), "kind": "execute", "rawInput": map[string]any{"command": hostile.Huge(hit)},
	}}))
	b.WriteString(line(">", e.Object("PromptResponse")))

	b.WriteString("< session/prompt\n")
	b.WriteString(line("> error", map[string]any{"code": -32603, "message": e.text("Error.message"), "data": map[string]any{"details": e.text("Error.data")}}))

	b.WriteString("< session/prompt\n")
	for range n {
		b.WriteString(line("> request session/request_permission", e.Object("RequestPermissionRequest")))
		b.WriteString(line("> request elicitation/create", e.form()))
		b.WriteString(line("> request fs/read_text_file", e.Object("ReadTextFileRequest")))
		b.WriteString(line("> elicitation/complete", e.Object("CompleteElicitationNotification")))
	}
	terminal := e.Object("CreateTerminalRequest") // its command is run, as it should be
	terminal["command"], terminal["cwd"], terminal["args"] = "true", nil, []any{e.text("CreateTerminalRequest.args")}
	b.WriteString(line("> request terminal/create", terminal))
	return b.String()
}

// reports is a call with all that is read of its `_meta`, and a terminal of its own in it, which has ended.
func (e *enemy) reports(id string) map[string]any {
	meta := e.Metas()
	for _, name := range []string{"terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"} {
		meta[name].(map[string]any)["terminal_id"] = id
	}
	return map[string]any{
		"sessionUpdate": "tool_call", "toolCallId": id, "kind": "execute", "title": e.text("ToolCall.title"), "status": "completed", "_meta": meta,
	}
}

func (e *enemy) form() map[string]any {
	form := e.Union("CreateElicitationRequest", []string{"form", "url"}[e.rand.IntN(2)])
	form["message"], form["sessionId"] = e.text("CreateElicitationRequest.message"), "s"
	return form
}

// raw has bytes in an update that JSON cannot say.
func raw(text string) string {
	if params, ok := strings.CutPrefix(text, "> session/update "); ok && strings.Contains(text, hostile.Raw) {
		return fmt.Sprintf(`raw {"jsonrpc":"2.0","method":"session/update","params":%s}`,
			strings.ReplaceAll(strings.TrimSuffix(params, "\n"), hostile.Raw, hostile.RawBytes)) + "\n"
	}
	return text
}

// Nothing that an agent says in any string field of the protocol, or of `_meta`, runs anything, wherever it is shown (behaviours
// 220, 700).
func TestHostile(t *testing.T) {
	t.Parallel()
	t.Run("plain", func(t *testing.T) { playHostile(t, "") })
	t.Run("sandbox", func(t *testing.T) {
		if ok, err := condition("sandbox"); ok && err == nil {
			playHostile(t, "bubblewrap")
		} else {
			startsNothing(t)
		}
	})
}

// startsNothing has an agent begin in a sandbox where there can be none: it does not run without.
func startsNothing(t *testing.T) {
	s, run := scripted(t, "write began \"\"\n< initialize\n> {\"protocolVersion\": 1}\n")
	run(`local bin, script = ...
		require("nvim-acp").setup({ agent = "a", agents = { a = { command = bin, args = { "agent", "--script", script }, run_in = "bubblewrap",
			folders = { vim.fs.dirname(bin) } } } })
		require("nvim-acp").prompt("go")`, agentProgram(), s.agent)
	if err := s.editor.wait(`require("nvim-acp").status().state == "disconnected"`); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.agent), "began")); err == nil {
		t.Error("the agent ran without a sandbox")
	}
}

func playHostile(t *testing.T, runIn string) {
	e := newEnemy(t, seedtest.Of(t))
	rounds := 0
	for end := time.Now().Add(*hostileFor); rounds == 0 || time.Now().Before(end) && !t.Failed(); rounds++ {
		e.round(t, runIn)
	}
	least := len(e.corpus)
	for _, n := range e.turns {
		least = min(least, n)
	}
	t.Logf("%d rounds, %d fields, %d texts, each field had at least %d of them", rounds, len(e.turns), len(e.corpus), least)
	for _, field := range []string{"ToolCall.title", "PermissionOption.name", "_meta.terminal_exit.signal", "Implementation.title", "SessionInfo.title"} {
		if e.turns[field] == 0 {
			t.Errorf("%s was never said", field)
		}
	}
}

// manual is what Neovim 0.10 says of K on a word in brackets, which it takes for a page of the manual.
var manual = regexp.MustCompile(`(?s)Error detected while processing BufReadCmd Autocommands for "man://\*".*?in main chunk`)

// wrongs are traces of mistakes of ours in the messages of Neovim.
var wrongs = regexp.MustCompile(`(?m)^.*(?:stack traceback|nvim-acp/[\w/]+\.lua:\d+|E5\d\d\d?:|Vim\(\w+\):E).*$`)

// round plays one agent: it talks, and all that shows what it says is opened and drawn.
func (e *enemy) round(t *testing.T, runIn string) {
	s, run := scripted(t, e.script(20))
	defer s.editor.close()
	dir := filepath.Dir(s.agent)
	if err := s.ui(nil, []string{"120", "50"}); err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("testdata/hostile.lua")
	if err != nil {
		t.Fatal(err)
	}
	run(string(code))
	if runIn != "" {
		run(`local bin, script, where = ...
			require("nvim-acp").setup({ agent = "a", agents = { a = { command = bin, args = { "agent", "--script", script }, run_in = where,
				folders = { vim.fs.dirname(bin) } } } })`, agentProgram(), s.agent, runIn)
	}
	wait := func(expr string) {
		t.Helper()
		if err := s.editor.wait(expr); err != nil {
			t.Fatal(err)
		}
	}
	run(`require("nvim-acp").chat() require("nvim-acp").prompt("one")`)
	wait(`Hostile.idle()`)
	run(`require("nvim-acp").prompt("two")`)
	wait(`Hostile.idle()`)
	run(`require("nvim-acp").prompt("three")`)
	wait(`require("nvim-acp").status().pending > 2`)
	step := func() bool {
		type result struct {
			said string
			err  error
		}
		done := make(chan result, 1)
		go func() { // ends when Neovim answers or is closed
			said, err := s.editor.lua(`Hostile.step()`)
			done <- result{said, err}
		}()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case got := <-done:
				if got.err != nil {
					t.Fatal(got.err)
				}
				return got.said == "true"
			case <-tick.C:
				if mode, err := s.editor.Mode(); err == nil && mode.Blocking { // two messages between two frames
					_, _ = s.editor.Input("<CR>")
				}
			}
		}
	}
	for n := 1; step(); n++ {
		if hits, _ := filepath.Glob(filepath.Join(dir, hit+"*")); len(hits) > 0 {
			t.Fatalf("step %d, %s, ran a text", n, run(`Hostile.last`))
		}
	}
	wait(`Hostile.drawn()`)
	hits, _ := filepath.Glob(filepath.Join(dir, hit+"*"))
	if ran := run(`tostring(Hostile.ran)`); len(hits) > 0 || ran != "false" {
		t.Errorf("a text was run: %v %s", hits, ran)
	}
	said := manual.ReplaceAllString(run(`Hostile.messages()`), "")
	if wrong := wrongs.FindString(said); wrong != "" {
		t.Errorf("something went wrong: %.500s in\n%.3000s", wrong, said)
	}
	if slow := run(`Hostile.slowest()`); slow != "" {
		t.Log(slow)
	}
}
