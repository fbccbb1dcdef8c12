package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nvim-acp/nvim-acp/host/mcp/socket"
)

// toolScript is an agent that tells where its server is, and then waits.
const toolScript = `< initialize
> {"protocolVersion": 1}
< session/new {"mcpServers": [{"name": "nvim", "args": ["mcp"], "env": [{"name": "NVIM_ACP_MCP_SOCKET", "value": "$socket"}, {"name": "NVIM_ACP_MCP_TOKEN", "value": "$token"}]}]}
write .server "$socket $token ."
> {"sessionId": "s"}
< session/prompt
hang
`

// toolbox is an editor with a session and a client of its tools.
type toolbox struct {
	*editor
	dir    string
	env    []string // for the server …
	url    string   // … or where it is over HTTP
	token  string
	client *sdk.ClientSession
}

// newToolbox starts an editor on files, with a session, and connects to its tools as an agent does. The code before runs first.
func newToolbox(t *testing.T, files map[string]string, before ...string) *toolbox {
	t.Helper()
	b := startToolbox(t, files, before...)
	given := b.given(t, ".server")
	b.env = append(os.Environ(), socket.PathVar+"="+given[0], socket.TokenVar+"="+given[1])
	b.client = b.connect(t)
	return b
}

// startToolbox is newToolbox without a connection.
func startToolbox(t *testing.T, files map[string]string, before ...string) *toolbox {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(runDir(t))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, ".agent")
	if _, ok := files[".agent"]; !ok {
		write(t, script, toolScript)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	b := &toolbox{dir: dir, editor: raceEditor(t, dir, script)}
	for _, code := range before {
		b.must(t, code)
	}
	b.must(t, `require("nvim-acp").chat({ focus = false })`)
	return b
}

// given returns where a server is, and its token, as an agent has written them down.
func (b *toolbox) given(t *testing.T, name string) []string {
	t.Helper()
	var given []string
	err := poll(patience, func() (bool, error) {
		text, _ := os.ReadFile(filepath.Join(b.dir, name))
		given = strings.Fields(string(text))
		return len(given) == 3, nil
	})
	if err != nil {
		t.Fatalf("%s: the agent has no server: %v\n%s", name, err, b.scene())
	}
	return given
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// connect starts the server as an agent does.
func (b *toolbox) connect(t *testing.T) *sdk.ClientSession {
	t.Helper()
	cmd := exec.Command(mustLook("nvim-acp"), "mcp")
	cmd.Env = b.env
	cmd.Stderr = os.Stderr
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	s, err := client.Connect(context.Background(), &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // a call that does not end would hold it
		defer late.Stop()
		_ = s.Close()
	})
	return s
}

func (b *toolbox) must(t *testing.T, code string) string {
	t.Helper()
	out, err := b.lua(code)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// use calls a tool, and returns the text of its answer; failed says that it is an error.
func (b *toolbox) use(ctx context.Context, name string, args map[string]any) (text string, failed bool, err error) {
	r, err := b.client.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "", false, err
	}
	for _, c := range r.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			text += c.Text
		}
	}
	return text, r.IsError, nil
}

// call is use for a call that must work.
func (b *toolbox) call(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 40*time.Second)
	defer stop()
	text, failed, err := b.use(ctx, name, args)
	if err != nil || failed {
		t.Fatalf("%s %v: %v %s\n%s", name, args, err, text, b.scene())
	}
	return text
}

// refused is use for a call that must not work.
func (b *toolbox) refused(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 40*time.Second)
	defer stop()
	text, failed, err := b.use(ctx, name, args)
	if err == nil && !failed {
		t.Fatalf("%s %v works, and must not: %s", name, args, text)
	}
	return text
}

// has fails unless a text has all parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want %q in it", text, part)
		}
	}
}

// The tools read what is on the screen, saved or not, and name what is open, however it is called (behaviours 313, 464).
func TestToolsRead(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "closed.txt": "disk\n", ".env": "KEY=1\n"})
	b.must(t, `vim.cmd("edit .env | edit a.txt") vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" }) vim.fn.cursor(2, 2)`)
	list := b.call(t, "buffers", nil)
	has(t, list, "a.txt (3 lines), unsaved changes", "the user is here: line 2, column 2")
	if strings.Contains(list, ".env") {
		t.Errorf("a secret file is named: %s", list)
	}
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "typed\ntwo\nthree\n")
	has(t, b.call(t, "read", map[string]any{"path": b.dir + "/a.txt", "line": 2, "limit": 1}), "two\n")
	has(t, b.call(t, "read", map[string]any{"path": "closed.txt"}), "disk\n")
	has(t, b.refused(t, "read", map[string]any{"path": "none.txt"}), "no such file")
	has(t, b.refused(t, "read", map[string]any{"path": ""}), "no path")
	has(t, b.refused(t, "read", map[string]any{"path": "a.txt", "line": 99}), "3")

	b.must(t, `(function() local buf = vim.fn.bufadd(vim.fn.getcwd() .. "/odd\nb.txt (9 lines)") vim.bo[buf].buflisted = true vim.fn.bufload(buf) end)()`)
	has(t, b.call(t, "buffers", nil), `"odd\nb.txt (9 lines)" (1 line)`)

	b.must(t, `vim.cmd("normal! 2Gvlj")`)
	has(t, b.call(t, "buffers", nil), "selected, lines 2-3:\n  wo\n  thr")
}

// The path rules are those of fs/*: a secret asks, also by a link, and a rejection is an error (behaviour 313).
func TestToolsAsk(t *testing.T) {
	b := newToolbox(t, map[string]string{".env": "KEY=1\n"})
	if err := os.Symlink(".env", filepath.Join(b.dir, "plain")); err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"allow", "reject"} {
		done := make(chan string, 1)
		go func() { // until the question is answered
			text, failed, err := b.use(context.Background(), "read", map[string]any{"path": "sub/../plain"})
			done <- fmt.Sprint(text, failed, err)
		}()
		if err := b.wait(`require("nvim-acp").status().pending == 1`); err != nil {
			t.Fatal(err)
		}
		b.must(t, fmt.Sprintf(`require("nvim-acp").permit(%q)`, answer))
		got := <-done
		if answer == "allow" {
			has(t, got, "KEY=1", "false")
		} else {
			has(t, got, "does not allow", "true")
		}
	}
}

// A hundred calls beside each other are all answered, each with its own answer, and a cancelled one ends at once (behaviour 314).
func TestToolsParallel(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("f%d.txt", i)] = fmt.Sprintf("text %d\n", i)
	}
	b := newToolbox(t, files)
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			name := "buffers"
			args := map[string]any{}
			if i%2 == 0 {
				name, args = "read", map[string]any{"path": fmt.Sprintf("f%d.txt", i)}
			}
			text, failed, err := b.use(context.Background(), name, args)
			if err != nil || failed || i%2 == 0 && text != files[fmt.Sprintf("f%d.txt", i)] {
				t.Errorf("call %d: %q, %t, %v", i, text, failed, err)
			}
		})
	}
	group.Wait()

	if _, err := b.Input("f"); err != nil { // Neovim waits for a key
		t.Fatal(err)
	}
	if err := poll(patience, func() (bool, error) {
		mode, err := b.Mode()
		return mode.Blocking, err
	}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { // until stop
		_, _, err := b.use(ctx, "buffers", nil)
		ended <- err
	}()
	stop()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a cancelled call is answered")
		}
	case <-time.After(patience):
		t.Error("a cancelled call does not end")
	}
	if _, err := b.Input("x"); err != nil {
		t.Fatal(err)
	}
	has(t, b.call(t, "read", map[string]any{"path": "f1.txt"}), "text 1")
}

// The tools end with their session, and with the host; a token of another session is none (behaviour 312).
func TestToolsEnd(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "a\n"})
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "a\n")
	b.must(t, `require("nvim-acp").close()`)
	done := make(chan error, 1)
	go func() { done <- b.client.Wait() }() // until the session has ended
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the connection is left when its session has ended")
	}
	b.must(t, `vim.notify = function(text) vim.g.said = text end`)
	cmd := exec.Command(mustLook("nvim-acp"), "mcp")
	cmd.Env = b.env
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("a token of a closed session is taken")
	}
	has(t, string(out), "refused: ", "no token of an open session")
	if err := b.wait(`(vim.g.said or ""):find("a connection to the editor's tools was refused", 1, true)`); err != nil {
		t.Error(err)
	}
}

// What an agent uses is in the transcript, in one line, by its own words if it has any (behaviour 315).
func TestToolsShown(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "a\n"})
	b.call(t, "read", map[string]any{"path": "a.txt"})
	b.call(t, "edit", map[string]any{"path": "a.txt", "old": "a", "new": "A\nand more"})
	b.refused(t, "read", map[string]any{"path": "b\x1b[2J\u202e\n%{1}.txt"}) // shown as it is
	if err := b.wait(`(function()
		local shown = table.concat(vim.api.nvim_buf_get_lines(require("nvim-acp").status().bufnr, 0, -1, false), "\n")
		return shown:find("Read b", 1, true) or shown:find("Read 2 files", 1, true) -- both reads, if they are shown at once
	end)()`); err != nil {
		t.Fatalf("%v\n%s", err, b.scene())
	}
	b.must(t, `vim.cmd("AcpExport shown.md")`)
	if err := b.wait(`vim.fn.getfsize("shown.md") > 0`); err != nil {
		t.Fatal(err)
	}
	shown := b.file(t, "shown.md")
	has(t, shown, "Read a.txt", "Read b^[[2J<202E>", "-a\n+A\n+and more")
	if strings.ContainsAny(shown, "\x1b\u202e") {
		t.Errorf("what a name says is done: %q", shown)
	}
}

// killHost kills the host of an editor.
const killHost = `vim.uv.kill(vim.fn.jobpid(vim.tbl_filter(function(c) return c.mode == "rpc" and c.stream == "job" end, vim.api.nvim_list_chans())[1].id), "sigkill")`

// A killed bridge ends its connection and nothing else: another is served. With a killed host every bridge ends, and a new one says
// why it cannot begin (behaviour 312).
func TestToolsKilled(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "a\n"})
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "a\n")
	cmd := exec.Command(mustLook("nvim-acp"), "mcp")
	cmd.Env = b.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "a\n")
	b.client = b.connect(t)
	has(t, b.call(t, "read", map[string]any{"path": "a.txt"}), "a\n")

	b.must(t, killHost)
	done := make(chan error, 1)
	go func() { done <- b.client.Wait() }() // until the host has gone
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the connection is left when the host was killed")
	}
	late := exec.Command(mustLook("nvim-acp"), "mcp")
	late.Env = b.env
	out, err := late.CombinedOutput()
	if err == nil {
		t.Error("it begins without a host")
	}
	has(t, string(out), "the host of this session has gone")
}
