package acptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// recording makes a recording of lines that begin with "send ", "recv " or "stderr ".
func recording(t *testing.T, lines string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		dir, raw, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := json.NewEncoder(&b).Encode(map[string]any{"t": 1, "dir": dir, "raw": raw}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// replayed starts a replay.
func replayed(t *testing.T, lines string, opts ReplayOpts) *client {
	t.Helper()
	text := recording(t, lines)
	return start(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return Replay(ctx, strings.NewReader(text), in, out, opts)
	})
}

// twoPrompts is a recording with a mode change, a permission and nonsense between two turns.
const twoPrompts = `
stderr hello
send {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
recv { "jsonrpc":"2.0", "id":0 ,"result":{"protocolVersion":1,"id":5}}
send {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/rec"}}
recv {"jsonrpc":"2.0","id":1,"result":{"sessionId":"S"}}
send {"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"S","modeId":"m"}}
recv {"jsonrpc":"2.0","method":"session/update","params":{"mode":1}}
recv {"jsonrpc":"2.0","id":2,"result":{}}
send {"jsonrpc":"2.0","id":3,"method":"no/such"}
recv {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"x"}}
send {"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"S"}}
recv {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"path":"/rec/a"}}
send {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
recv {"jsonrpc":"2.0","id":4,"result":{"stopReason":"one"}}
send {"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"S"}}
recv {"jsonrpc":"2.0","id":5,"result":{"stopReason":"two"}}
`

// A client that behaves as the recorded one gets the recorded bytes, with its own ids.
func TestReplayFollows(t *testing.T) {
	for seed := range uint64(20) {
		c := replayed(t, twoPrompts, ReplayOpts{Seed: seed, MapCWD: true})
		c.send(`{"jsonrpc":"2.0","id":"a","method":"initialize"}`)
		c.want(`{ "jsonrpc":"2.0", "id":"a" ,"result":{"protocolVersion":1,"id":5}}`)
		c.send(request(11, "session/new", `{"cwd":"/li\"ve"}`))
		c.want(`{"jsonrpc":"2.0","id":11,"result":{"sessionId":"S"}}`)
		c.send(request(12, "session/set_mode", `{"sessionId":"S"}`))
		c.want(`{"jsonrpc":"2.0","method":"session/update","params":{"mode":1}}`, `{"jsonrpc":"2.0","id":12,"result":{}}`)
		c.send(request(13, "session/prompt", `{"sessionId":"S"}`))
		c.want(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"path":"/li\"ve/a"}}`)
		c.send(`{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}`)
		c.want(`{"jsonrpc":"2.0","id":13,"result":{"stopReason":"one"}}`)
		c.send(request(14, "session/prompt", `{"sessionId":"S"}`))
		c.want(`{"jsonrpc":"2.0","id":14,"result":{"stopReason":"two"}}`)
		if err := c.leave(); err != nil {
			t.Errorf("got %v, want nil", err)
		}
	}
}

// A client that deviates from the recording gets an answer to every request.
func TestReplayDeviates(t *testing.T) {
	c := replayed(t, twoPrompts, ReplayOpts{})
	c.send(request(10, "initialize", `{}`), request(11, "session/list", `{}`), request(12, "session/new", `{"cwd":"/rec"}`))
	c.want(`{ "jsonrpc":"2.0", "id":10 ,"result":{"protocolVersion":1,"id":5}}`,
		`{"jsonrpc":"2.0","id":11,"error":`+string(notFound)+`}`, `{"jsonrpc":"2.0","id":12,"result":{"sessionId":"S"}}`)
	// The mode is not set, so the prompt moves on; its update comes, its answer does not.
	c.send(request(13, "session/prompt", `{"sessionId":"S"}`))
	c.want(`{"jsonrpc":"2.0","method":"session/update","params":{"mode":1}}`,
		`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"path":"/rec/a"}}`)
	// Before the permission is answered comes the mode, late, and a prompt, early.
	c.send(`{"jsonrpc":"2.0","method":"extra"}`, request(14, "session/prompt", `{"sessionId":"S"}`), request(15, "session/set_mode", `{"sessionId":"S"}`))
	c.send(`{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","id":0,"result":{}}`)
	c.want(`{"jsonrpc":"2.0","id":13,"result":{"stopReason":"one"}}`, `{"jsonrpc":"2.0","id":14,"result":{"stopReason":"two"}}`,
		`{"jsonrpc":"2.0","id":15,"result":{}}`)
	c.send(request(16, "session/prompt", `{"sessionId":"S"}`))
	c.want(`{"jsonrpc":"2.0","id":16,"error":` + string(notFound) + `}`)
	if err := c.leave(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

// A piece holds half a line or several lines, and no byte is lost.
func TestSplitter(t *testing.T) {
	for seed := range uint64(50) {
		var pieces []string
		s := newSplitter(writerFunc(func(p []byte) { pieces = append(pieces, string(p)) }), seed)
		var want strings.Builder
		for i := range 200 {
			line := strings.Repeat("é", i)
			fmt.Fprintln(&want, line)
			if err := s.writeLine([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if strings.Join(pieces, "") != want.String() {
			t.Fatalf("seed %d: the pieces are not the text", seed)
		}
		if seed == 0 && len(pieces) != 200 {
			t.Errorf("unsplit: got %d writes, want 200", len(pieces))
		}
	}
}

// writerFunc is a writer that only looks.
type writerFunc func(p []byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

// A replayed terminal has the id that the live client gave it.
func TestReplayTerminals(t *testing.T) {
	c := replayed(t, `
send {"jsonrpc":"2.0","id":0,"method":"session/prompt"}
recv {"id":7,"method":"terminal/create"}
send {"id":7,"result":{"terminalId":"a"}}
recv {"id":8,"method":"terminal/output","params":{"terminalId":"a"}}
`, ReplayOpts{})
	c.send(request(1, "session/prompt", `{}`))
	c.want(`{"id":7,"method":"terminal/create"}`)
	c.send(`{"jsonrpc":"2.0","id":7,"result":{"terminalId":"b"}}`)
	c.want(`{"id":8,"method":"terminal/output","params":{"terminalId":"b"}}`)
	if err := c.leave(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}
