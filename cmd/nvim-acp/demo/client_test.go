package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A client talks to an agent over pipes, and answers its requests from a folder of its own.
type client struct {
	t       *testing.T
	in      io.WriteCloser
	out     *bufio.Scanner
	done    chan error
	lastID  int
	session string

	buffers  map[string]string  // what the editor has, by path
	option   string             // the answer to a permission; "" leaves it open
	onAsk    func()             // called before a permission is answered
	terminal bool               // the client has terminals
	answers  map[string]message // those that nobody waited for yet, by id
	seen     []message          // all that came, but answers
}

// start runs an agent for the length of a test.
func start(t *testing.T, opts Options) *client {
	t.Helper()
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{
		t: t, in: inWrite, out: bufio.NewScanner(outRead), done: make(chan error, 1),
		buffers: map[string]string{}, answers: map[string]message{}, option: optionOnce, terminal: true,
	}
	c.out.Buffer(nil, 64<<20)
	go func() { // ends with its input
		c.done <- Run(context.Background(), inRead, outWrite, opts)
		outWrite.Close()
	}()
	t.Cleanup(func() {
		inWrite.Close()
		for c.out.Scan() { // what the agent still had to say
		}
		if err := <-c.done; err != nil {
			t.Errorf("Run: got %v, want nil", err)
		}
	})
	return c
}

// open starts an agent with a session in a folder, with all capabilities.
func open(t *testing.T, folder string, opts Options) *client {
	t.Helper()
	c := start(t, opts)
	c.ok("initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"configOptions":{"boolean":{}}}}}`)
	c.newSession(folder)
	return c
}

// newSession makes a session the one of the client.
func (c *client) newSession(folder string) {
	c.t.Helper()
	var result struct {
		SessionID string `json:"sessionId"`
	}
	c.unmarshal(c.ok("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, folder)), &result)
	c.session = result.SessionID
}

// write sends a line.
func (c *client) write(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// send sends a request and returns its id.
func (c *client) send(method, params string) string {
	c.t.Helper()
	c.lastID++
	id := fmt.Sprint(c.lastID)
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// next reads a message.
func (c *client) next() message {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the agent is gone: %v", c.out.Err())
	}
	var m message
	c.unmarshal(c.out.Bytes(), &m)
	return m
}

// wait serves the agent until it answers the request.
func (c *client) wait(id string) message {
	c.t.Helper()
	if m, ok := c.answers[id]; ok {
		delete(c.answers, id)
		return m
	}
	return c.until(func(m message) bool { return m.Method == "" && string(m.ID) == id })
}

// until serves the agent until a message is as wanted, and returns it.
func (c *client) until(wanted func(message) bool) message {
	c.t.Helper()
	for {
		m := c.next()
		if m.Method != "" {
			c.seen = append(c.seen, m)
		}
		if m.Method != "" && m.ID != nil {
			c.serve(m)
		}
		if wanted(m) {
			return m
		}
		if m.Method == "" {
			c.answers[string(m.ID)] = m
		}
	}
}

// ok makes a request that must succeed and returns the result.
func (c *client) ok(method, params string) json.RawMessage {
	c.t.Helper()
	m := c.wait(c.send(method, params))
	if m.Error != nil {
		c.t.Fatalf("%s: %v", method, m.Error)
	}
	return m.Result
}

// fails makes a request that must fail with the code.
func (c *client) fails(code int, method, params string) {
	c.t.Helper()
	m := c.wait(c.send(method, params))
	if m.Error == nil || m.Error.Code != code {
		c.t.Errorf("%s %s: got %s, %v, want error %d", method, params, m.Result, m.Error, code)
	}
}

// prompt runs a turn and returns its stop reason.
func (c *client) prompt(text string, more ...string) string {
	c.t.Helper()
	return c.stopReason(c.ok("session/prompt", c.promptParams(text, more...)))
}

// promptParams makes the params of a prompt: a text and further blocks.
func (c *client) promptParams(text string, more ...string) string {
	blocks := append([]string{fmt.Sprintf(`{"type":"text","text":%q}`, text)}, more...)
	return fmt.Sprintf(`{"sessionId":%q,"prompt":[%s]}`, c.session, strings.Join(blocks, ","))
}

func (c *client) stopReason(result json.RawMessage) string {
	c.t.Helper()
	var response struct {
		StopReason string `json:"stopReason"`
	}
	c.unmarshal(result, &response)
	return response.StopReason
}

// serve answers a request of the agent.
func (c *client) serve(m message) {
	c.t.Helper()
	var params struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	c.unmarshal(m.Params, &params)
	result := `{}`
	switch m.Method {
	case "session/request_permission":
		if c.onAsk != nil {
			c.onAsk()
		}
		if c.option == "" {
			return
		}
		result = fmt.Sprintf(`{"outcome":{"outcome":"selected","optionId":%q}}`, c.option)
	case "fs/read_text_file":
		text, ok := c.buffers[params.Path]
		if !ok {
			disk, err := os.ReadFile(params.Path)
			if err != nil {
				c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such file"}}`, m.ID))
				return
			}
			text = string(disk)
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			c.t.Fatal(err)
		}
		result = fmt.Sprintf(`{"content":%s}`, quoted)
	case "fs/write_text_file":
		c.buffers[params.Path] = params.Content
	case "terminal/create":
		result = `{"terminalId":"t"}`
	case "terminal/wait_for_exit":
		if !c.terminal {
			return
		}
		result = `{"exitCode":0}`
	case "terminal/output":
		result = `{"output":"7 file\n","truncated":false}`
	}
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

// story retells what the agent did, a line for each step, and forgets it.
func (c *client) story() string {
	c.t.Helper()
	var lines []string
	for _, m := range c.seen {
		var params struct {
			Update struct {
				SessionUpdate string          `json:"sessionUpdate"`
				MessageID     string          `json:"messageId"`
				Title         string          `json:"title"`
				Status        string          `json:"status"`
				Content       json.RawMessage `json:"content"`
			} `json:"update"`
		}
		c.unmarshal(m.Params, &params)
		u := params.Update
		switch {
		case m.Method != "session/update":
			lines = append(lines, m.Method)
		case strings.HasPrefix(u.SessionUpdate, "tool_call"):
			lines = append(lines, strings.Join(strings.Fields("tool "+u.Title+" "+u.Status), " "))
		case strings.HasSuffix(u.SessionUpdate, "_chunk"):
			var content struct{ Text string }
			c.unmarshal(u.Content, &content)
			head := strings.TrimSuffix(u.SessionUpdate, "_chunk") + " " + u.MessageID + ": "
			if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], head) {
				lines[n-1] += content.Text
				continue
			}
			lines = append(lines, head+content.Text)
		default:
			lines = append(lines, u.SessionUpdate)
		}
	}
	c.seen = nil
	for i, line := range lines {
		if head, text, ok := strings.Cut(line, ": "); ok {
			kind, _, _ := strings.Cut(head, " ")
			lines[i] = kind + ": " + text
		}
	}
	return strings.Join(lines, "\n")
}

func (c *client) unmarshal(text []byte, into any) {
	c.t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		c.t.Fatalf("%s: %v", text, err)
	}
}

// file writes a file and returns its path.
func file(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}
