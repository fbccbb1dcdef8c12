package acptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// A client is the test's end of an agent that runs in a goroutine.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	done chan error
}

// start runs an agent against a client; the test's end waits for it.
func start(t *testing.T, agent func(ctx context.Context, in io.Reader, out io.Writer) error) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	inRead, inWrite := pipe(t)
	outRead, outWrite := pipe(t)
	c := &client{t: t, in: inWrite, out: bufio.NewReader(outRead), done: make(chan error, 1)}
	go func() { // ends with its input, at the latest in the clean-up
		err := agent(ctx, inRead, outWrite)
		inRead.Close()
		outWrite.Close()
		c.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		inWrite.Close()
		outRead.Close()
	})
	return c
}

// pipe is one of the system's: like an agent's stdio it holds some lines that nobody has read yet.
func pipe(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// script starts a script.
func script(t *testing.T, text string) *client {
	t.Helper()
	return start(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return Script(ctx, strings.NewReader(text), in, out, ScriptOpts{})
	})
}

// send writes lines as they are.
func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatalf("send %s: %v", line, err)
		}
	}
}

// want reads lines and compares them exactly.
func (c *client) want(lines ...string) {
	c.t.Helper()
	for _, want := range lines {
		got, err := c.out.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			c.t.Fatalf("read: %v, want %s", err, want)
		}
		if got = strings.TrimSuffix(got, "\n"); got != want {
			c.t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

// leave closes the client's end and returns what the agent returned; nothing more may have been sent.
func (c *client) leave() error {
	c.t.Helper()
	c.in.Close()
	return c.wait()
}

// wait returns what the agent returned.
func (c *client) wait() error {
	c.t.Helper()
	rest, err := io.ReadAll(c.out)
	if err != nil || len(rest) > 0 {
		c.t.Errorf("at the end: got %q, %v, want nothing", rest, err)
	}
	return <-c.done
}

// request makes a request line.
func request(id int, method, params string) string {
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": method, "params": json.RawMessage(params),
	})
	if err != nil {
		panic(err)
	}
	return string(line)
}
