package tests

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// offeredHTTP is a server over HTTP, as an agent is given it and notes it down.
func offeredHTTP(n, file string) string {
	const line = `< session/new {"mcpServers": [{"type": "http", "name": "nvim", "url": "$url%[1]s", ` +
		`"headers": [{"name": "Authorization", "value": "$auth%[1]s"}]}]}`
	return fmt.Sprintf(line+`
write %[2]s "$url%[1]s $auth%[1]s"
`, n, file)
}

// httpScript is an agent that takes servers over HTTP, tells where its own is, and then waits.
var httpScript = `< initialize
> {"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": {"http": true}}}
` + offeredHTTP("", ".server") + `> {"sessionId": "s"}
< session/prompt
hang
`

// refusesStdio has the agent be one that takes no stdio servers.
const refusesStdio = `require("nvim-acp").setup({ agent = "scripted", agents = { scripted = vim.tbl_extend("force",
	require("nvim-acp.config").options.agents.scripted, { title = "Refuser", quirks = { refuses_stdio = true } }) } })`

// newHTTPBox starts an editor with a session, and connects to its tools as an agent does that takes no stdio servers.
func newHTTPBox(t *testing.T, files map[string]string) *toolbox {
	t.Helper()
	if files[".agent"] == "" {
		files[".agent"] = httpScript
	}
	b := startToolbox(t, files, refusesStdio)
	return b.joinHTTP(t, ".server")
}

// joinHTTP connects to the tools of which a file tells.
func (b *toolbox) joinHTTP(t *testing.T, name string) *toolbox {
	t.Helper()
	other := &toolbox{dir: b.dir, editor: b.editor}
	given := b.given(t, name) // the address, "Bearer" and the token
	other.url, other.token = given[0], given[2]
	if !strings.HasPrefix(other.url, "http://127.0.0.1:") || given[1] != "Bearer" {
		t.Errorf("the agent is given %q", given)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: other.url, MaxRetries: -1, HTTPClient: &http.Client{Transport: bearer(other.token)},
	}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	other.client = s
	return other
}

// bearer is a token that is sent with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// tools is a condition on the state of a session's tools.
func toolsAre(session, state string) string {
	return fmt.Sprintf(`require("nvim-acp").status({ session = %s }).tools == %q`, session, state)
}

// listening reports whether somebody listens at an address.
func listening(url string) bool {
	conn, err := net.DialTimeout("tcp", strings.Split(url, "/")[2], patience)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// post sends something that is no call, and returns the answer.
func (b *toolbox) post(t *testing.T, token string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest("POST", b.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := bearer(token).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// An agent that takes no stdio MCP servers has the editor's tools over HTTP: they read the screen, ask by the same rules, are shown and said
// in the chat's head as others, and end with the session, after which nobody listens (behaviour 1152).
func TestToolsHTTP(t *testing.T) {
	b := newHTTPBox(t, map[string]string{"a.txt": "one\n", ".env": "KEY=1\n"})
	if err := b.wait(toolsAre("nil", "connected")); err != nil {
		t.Errorf("%v\n%s", err, b.scene())
	}
	b.must(t, `vim.cmd("edit a.txt") vim.fn.setline(1, "typed")`)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "typed\n")
	b.call(t, "edit", map[string]any{"path": "a.txt", "old": "typed", "new": "TYPED"})
	has(t, b.must(t, `vim.fn.getline(1)`), "TYPED")
	if err := b.wait(`(function()
		local shown = table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false), "\n")
		return shown:find("a.txt", 1, true) ~= nil
	end)()`); err != nil {
		t.Errorf("%v\n%s", err, b.scene())
	}

	done := make(chan string, 1)
	go func() { // until the question is answered
		text, failed, err := b.use(context.Background(), "read", map[string]any{"path": ".env"})
		done <- fmt.Sprint(text, failed, err)
	}()
	if err := b.wait(`require("nvim-acp").status().pending == 1`); err != nil {
		t.Fatal(err)
	}
	b.must(t, `require("nvim-acp").permit("reject")`)
	has(t, <-done, "does not allow", "true")

	b.must(t, `vim.notify = function(text) vim.g.said = text end`)
	if status, text := b.post(t, strings.Repeat("0", 64)); status != http.StatusUnauthorized {
		t.Errorf("a foreign token: %d %s", status, text)
	}
	if err := b.wait(`(vim.g.said or ""):find("refused: the request of 127.0.0.1", 1, true) ~= nil`); err != nil {
		t.Error(err)
	}

	if err := b.client.Close(); err != nil {
		t.Error(err)
	}
	if err := b.wait(toolsAre("nil", "offered")); err != nil {
		t.Errorf("%v\n%s", err, b.scene())
	}
	again := b.joinHTTP(t, ".server")
	has(t, again.call(t, "read", map[string]any{"path": "a.txt"}), "TYPED\n")
	b.must(t, `require("nvim-acp").close()`)
	if err := b.poll(func() (bool, error) { return !listening(b.url), nil }); err != nil {
		t.Errorf("somebody listens without a session: %v", err)
	}
}

// An idle agent that is ended has no tools any more: nobody listens (behaviour 1201).
func TestToolsHTTPIdle(t *testing.T) {
	const idle = `require("nvim-acp").setup(vim.tbl_extend("force", require("nvim-acp.config").options, { start = { idle_minutes = 0.002 } }))`
	b := startToolbox(t, map[string]string{"a.txt": "one\n", ".agent": httpScript}, refusesStdio, idle)
	b.url = b.given(t, ".server")[0]
	if err := b.wait(`require("nvim-acp").status().state == "disconnected"`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	if err := b.poll(func() (bool, error) { return !listening(b.url), nil }); err != nil {
		t.Errorf("somebody listens without an agent: %v", err)
	}
}

// An agent that connects for each call, and goes after it, is not said to have no tools (behaviours 807, 864).
func TestToolsHTTPShort(t *testing.T) {
	script := strings.Replace(httpScript, "< session/prompt\nhang\n", strings.Repeat("< session/prompt\n> {\"stopReason\": \"end_turn\"}\n", 2), 1)
	b := newHTTPBox(t, map[string]string{"a.txt": "one\n", ".agent": script})
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	if err := b.client.Close(); err != nil {
		t.Error(err)
	}
	if err := b.wait(toolsAre("nil", "offered")); err != nil {
		t.Errorf("%v\n%s", err, b.scene())
	}
	for _, text := range []string{"first", "second"} { // what is said of a turn is said before the next one ends
		b.must(t, fmt.Sprintf(`require("nvim-acp").prompt(%q)`, text))
		if err := b.wait(`require("nvim-acp").status().state == "idle"`); err != nil {
			t.Fatalf("%v\n%s", err, b.scene())
		}
	}
	shown := b.must(t, `table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false), "\n")`)
	has(t, shown, "first", "second")
	if strings.Contains(shown, "not connected") || strings.Contains(shown, "closed the editor's tools") {
		t.Errorf("the chat shows %s", shown)
	}
}

// Two sessions have a token each, which decides whose a call is; that of a closed session is refused, without a word to the user, and an
// agent that is ended and started again has new ones (behaviour 1152).
func TestToolsHTTPSessions(t *testing.T) {
	two := strings.Replace(httpScript, "< session/prompt", offeredHTTP("2", ".server2")+`> {"sessionId": "s2"}`+"\n< session/prompt", 1)
	b := newHTTPBox(t, map[string]string{"a.txt": "one\n", "sub/a.txt": "of sub\n", ".agent": two})
	b.must(t, fmt.Sprintf(`(function()
		local acp = require("nvim-acp")
		vim.g.first = acp.status().session
		vim.g.second = acp.chat({ new = true, cwd = %q, focus = false })
		vim.notify = function(text) vim.g.said = text end
	end)()`, b.dir+"/sub"))
	second := b.joinHTTP(t, ".server2")
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	has(t, second.call(t, "read", map[string]any{"path": "a.txt"}), "of sub\n")

	r := &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "Which one?"}}
	asked := make(chan error, 1)
	go func() { // until the session is closed
		_, err := second.client.CallTool(context.Background(), r)
		asked <- err
	}()
	if err := b.wait(`require("nvim-acp").status({ session = vim.g.second }).pending == 1`); err != nil {
		t.Fatal(err)
	}
	b.must(t, `require("nvim-acp").close({ session = vim.g.second })`)
	select {
	case <-asked:
	case <-time.After(patience):
		t.Fatal("a call of a closed session does not end")
	}
	status, text := b.post(t, second.token)
	if status != http.StatusUnauthorized {
		t.Errorf("the token of a closed session: %d %s", status, text)
	}
	has(t, text, "the token of a session that is closed")
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	has(t, b.must(t, `vim.g.said or "nothing is said"`), "nothing is said")

	if err := os.Remove(filepath.Join(b.dir, ".server")); err != nil {
		t.Fatal(err)
	}
	b.must(t, `vim.cmd("AcpRestart")`)
	third := b.joinHTTP(t, ".server")
	if third.token == b.token {
		t.Error("an agent that is started again has the token of before")
	}
	has(t, third.call(t, "read", map[string]any{"path": "a.txt"}), "one\n")
	third.must(t, killHost)
	if err := b.poll(func() (bool, error) { return !listening(third.url), nil }); err != nil {
		t.Errorf("somebody listens without a host: %v", err)
	}
}
