package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Invalid requests get the protocol's errors, and the agent runs on.
func TestErrors(t *testing.T) {
	c := start(t, Options{State: t.TempDir()})
	c.fails(codeInvalid, "session/new", `{}`)
	c.fails(codeParams, "initialize", `{}`)
	c.ok("initialize", `{"protocolVersion":99}`)
	c.fails(codeInvalid, "initialize", `{"protocolVersion":1}`)
	c.fails(codeUnknownMethod, "no/such", `{}`)
	c.fails(codeParams, "session/new", `[]`)
	c.fails(codeParams, "session/new", `{"cwd":"relative","mcpServers":[]}`)
	c.fails(codeParams, "session/new", `{"cwd":"/"}`)
	c.fails(codeNotFound, "session/prompt", `{"sessionId":"x","prompt":[]}`)
	c.fails(codeNotFound, "session/load", `{"sessionId":"../x","cwd":"/","mcpServers":[]}`)
	c.fails(codeNotFound, "session/close", `{"sessionId":"x"}`)
	c.fails(codeParams, "session/list", `{"cursor":"x"}`)
	c.newSession("/")
	c.fails(codeParams, "session/set_mode", fmt.Sprintf(`{"sessionId":%q,"modeId":"x"}`, c.session))
	c.fails(codeParams, "session/set_config_option", fmt.Sprintf(`{"sessionId":%q,"configId":"check","value":"x"}`, c.session))
	c.fails(codeParams, "session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":["x"]}`, c.session))
	for line, code := range map[string]int{"{": codeParse, "[]": codeInvalid, "{}": codeInvalid, `{"id":7}`: codeInvalid} {
		c.write(line)
		if m := c.wait("null"); m.Error == nil || m.Error.Code != code {
			t.Errorf("%s: got %v, want error %d", line, m.Error, code)
		}
	}
	c.write(`{"jsonrpc":"2.0","method":"no/such"}` + "\n\r\n" + `{"jsonrpc":"2.0","id":999,"result":{}}`)
	id := c.send("session/prompt", c.promptParams("/slow"))
	c.fails(codeInvalid, "session/prompt", c.promptParams("too early"))
	c.ok("session/close", fmt.Sprintf(`{"sessionId":%q}`, c.session))
	if got, want := c.stopReason(c.wait(id).Result), "cancelled"; got != want {
		t.Errorf("closed: got %s, want %s", got, want)
	}
}

// A stored session is listed, loaded with its whole conversation, resumed without it, and deleted; also by another
// process.
func TestSessionsAreKept(t *testing.T) {
	folder, state := t.TempDir(), t.TempDir()
	path := file(t, folder, "sum.go", sum)
	first := open(t, folder, Options{State: state})
	first.prompt("Fix it", link(path))
	live := first.story()

	c := open(t, t.TempDir(), Options{State: state})
	kept := fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, first.session, folder)
	var list struct {
		Sessions []struct{ SessionID, CWD, Title, UpdatedAt string }
	}
	c.unmarshal(c.ok("session/list", fmt.Sprintf(`{"cwd":%q}`, folder)), &list)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionID != first.session || list.Sessions[0].Title != "Fix it" {
		t.Fatalf("list: got %+v, want the session", list.Sessions)
	}
	c.story()
	c.ok("session/load", kept)
	replay := c.story()
	for line := range strings.Lines(live) {
		if strings.HasPrefix(line, "agent_") && !strings.Contains(replay, strings.TrimSpace(line)) {
			t.Errorf("load: got:\n%s\nwant %s in it", replay, line)
		}
	}
	for _, want := range []string{"user_message: Fix it", "tool Read sum.go in_progress\ntool completed"} {
		if !strings.Contains(replay, want) {
			t.Errorf("load: got:\n%s\nwant %q in it", replay, want)
		}
	}
	c.ok("session/resume", kept)
	c.session = first.session
	c.prompt("hello")
	if got := c.story(); strings.Contains(got, "Fix it") {
		t.Errorf("resume: got:\n%s\nwant no replay", got)
	}
	c.ok("session/delete", fmt.Sprintf(`{"sessionId":%q}`, first.session))
	c.ok("session/delete", fmt.Sprintf(`{"sessionId":%q}`, first.session))
	c.fails(codeNotFound, "session/load", kept)
}

// A long list comes in pages, the latest first, each session once.
func TestSessionList(t *testing.T) {
	state := store{t.TempDir()}
	for range 2*pageSize + 1 {
		if err := state.save(fresh("/x")); err != nil {
			t.Fatal(err)
		}
	}
	file(t, state.folder, "broken.json", "{")
	c := open(t, "/", Options{State: state.folder})
	var ids, times []string
	params := `{"cwd":"/x"}`
	for pages := 1; ; pages++ {
		var page struct {
			Sessions   []struct{ SessionID, UpdatedAt string }
			NextCursor string
		}
		c.unmarshal(c.ok("session/list", params), &page)
		for _, s := range page.Sessions {
			ids, times = append(ids, s.SessionID), append(times, s.UpdatedAt)
		}
		if page.NextCursor == "" {
			if pages != 3 {
				t.Errorf("got %d pages, want 3", pages)
			}
			break
		}
		params = fmt.Sprintf(`{"cwd":"/x","cursor":%q}`, page.NextCursor)
	}
	slices.Reverse(times)
	if slices.Sort(ids); len(slices.Compact(ids)) != 2*pageSize+1 || !slices.IsSorted(times) {
		t.Errorf("got %d sessions, sorted: %t", len(ids), slices.IsSorted(times))
	}
}

// Options and modes are two views of the same values.
func TestOptions(t *testing.T) {
	c := open(t, t.TempDir(), Options{})
	session := fmt.Sprintf(`{"sessionId":%q,`, c.session)
	set := string(c.ok("session/set_config_option", session+`"configId":"mode","value":"plan"}`))
	if !strings.Contains(set, `"currentValue":"plan"`) || !strings.Contains(set, `"id":"check"`) {
		t.Errorf("got %s, want the mode plan and the boolean option", set)
	}
	c.until(func(m message) bool { return strings.Contains(string(m.Params), `"currentModeId":"plan"`) })
	c.ok("session/set_mode", session+`"modeId":"ask"}`)
	c.until(func(m message) bool { return strings.Contains(string(m.Params), `"config_option_update"`) })
	c.ok("session/set_config_option", session+`"configId":"model","value":"chatty"}`)
	got := string(c.ok("session/set_config_option", session+`"configId":"check","type":"boolean","value":false}`))
	if !strings.Contains(got, `"currentValue":false`) || !strings.Contains(got, `"currentValue":"chatty"`) {
		t.Errorf("got %s, want the check off and the model chatty", got)
	}
	other := start(t, Options{})
	other.ok("initialize", `{"protocolVersion":1}`)
	result := string(other.ok("session/new", `{"cwd":"/","mcpServers":[]}`))
	if strings.Contains(result, `"check"`) {
		t.Errorf("got %s, want no boolean option for a client that does not know them", result)
	}
}

// The agent ends when its client leaves in the middle of a turn.
func TestEndOfInput(t *testing.T) {
	input := strings.NewReader(`{"id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
		`{"id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`)
	var out strings.Builder
	if err := Run(context.Background(), input, &out, Options{}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), `"sessionId"`) {
		t.Errorf("got %s, want an answer to the last line, which has no end", out.String())
	}
	c := open(t, "/", Options{})
	c.send("session/prompt", c.promptParams("/slow 1000")) // the clean-up closes the input and waits for Run
}
