package acp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const (
	batch    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: batches are not supported"}}`
	notFound = `"error":{"code":-32601,"message":"Method not found"}}`
	readOf   = `"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f"}}`
	readDone = `"result":{"content":"text"}}`
)

func chunk(text string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` +
		text + `"}}}}` + "\n"
}

// lineTests are what the agent writes, what is written back, and what the client is told.
var lineTests = []struct {
	name, in string
	want     []string
	told     string
}{
	{"banner", "Welcome to agent 1.0!\n" + chunk("a"), nil, "a"},
	{"log spam", strings.Repeat("[info] spam\n", 1000) + chunk("a"), nil, "a"},
	{"broken object", `{"jsonrpc":"2.0","id":1,"method":` + "\n" + chunk("a"), nil, "a"},
	{"batch", `[{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file"}]` + "\n", []string{batch}, ""},
	{"empty batch", "[]\n", []string{batch}, ""},
	{"a log line in brackets", "[12:00:00] started\n", nil, ""},
	{"scalars", "42\n\"x\"\nnull\ntrue\n-1.5e3\n", nil, ""},
	{"empty object", "{}\n", nil, ""},
	{"neither id nor method", `{"level":30,"msg":"pino"}` + "\n", nil, ""},
	{"without jsonrpc", `{"id":1,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":1,` + readDone}, "read:/f"},
	{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":1,` + readDone}, "read:/f"},
	{"string id", `{"jsonrpc":"2.0","id":"a\u00e9\"b",` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":"a\u00e9\"b",` + readDone}, "read:/f"},
	{"id 0", `{"jsonrpc":"2.0","id":0,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":0,` + readDone}, "read:/f"},
	{"negative id", `{"jsonrpc":"2.0","id":-7,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":-7,` + readDone}, "read:/f"},
	{"id 2^53+1", `{"jsonrpc":"2.0","id":9007199254740993,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":9007199254740993,` + readDone}, "read:/f"},
	{"id 2^63-1", `{"jsonrpc":"2.0","id":9223372036854775807,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":9223372036854775807,` + readDone}, "read:/f"},
	{"id null", `{"jsonrpc":"2.0","id":null,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":null,` + readDone}, "read:/f"},
	{"fractional id", `{"jsonrpc":"2.0","id":1.5,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":1.5,` + readDone}, "read:/f"},
	{"boolean id", `{"jsonrpc":"2.0","id":true,` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id is boolean"}}`}, ""},
	{"object id", `{"jsonrpc":"2.0","id":{},` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id is object"}}`}, ""},
	{"array id", `{"jsonrpc":"2.0","id":[1],` + readOf + "\n", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id is array"}}`}, ""},
	{"method is no string", `{"jsonrpc":"2.0","id":3,"method":5}` + "\n", []string{`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid request: method is number"}}`}, ""},
	{"unknown method", `{"jsonrpc":"2.0","id":2,"method":"fs/delete","params":[]}` + "\n", []string{`{"jsonrpc":"2.0","id":2,` + notFound}, ""},
	{"unknown extension", `{"jsonrpc":"2.0","id":2,"method":"_vendor/x"}` + "\n", []string{`{"jsonrpc":"2.0","id":2,` + notFound}, ""},
	{"mcp/message", `{"jsonrpc":"2.0","id":2,"method":"mcp/message","params":{"serverId":"m"}}` + "\n", []string{`{"jsonrpc":"2.0","id":2,` + notFound}, ""},
	{"capability off", `{"jsonrpc":"2.0","id":2,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/f","content":""}}` + "\n", []string{`{"jsonrpc":"2.0","id":2,` + notFound}, "write:"},
	{"unknown notification", `{"jsonrpc":"2.0","method":"x/y","params":{"a":1}}` + "\n", nil, ""},
	{"auth status", `{"jsonrpc":"2.0","method":"_auth/status_update","params":{"state":"?"}}` + "\n", nil, ""},
	{"$/anything", `{"jsonrpc":"2.0","method":"$/progress","params":5}` + "\n", nil, ""},
	{"params missing", `{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file"}` + "\n", []string{`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: sessionId: missing"}}`}, ""},
	{"params null", `{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":null}` + "\n", []string{`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: sessionId: missing"}}`}, ""},
	{"scalar params", `{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":5}` + "\n", []string{`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: is number, not object"}}`}, ""},
	{"array params", `{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":["s","/f"]}` + "\n", []string{`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: is array, not object"}}`}, ""},
	{"wrong type", `{"jsonrpc":"2.0","id":4,"method":"fs/read_text_file","params":{"sessionId":"s","path":5}}` + "\n", []string{`{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params: path: is number, not string"}}`}, ""},
	{"notification with wrong params", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":5}}` + "\n" + chunk("a"), nil, "a"},
	{"CRLF", strings.ReplaceAll(chunk("a")+chunk("b"), "\n", "\r\n"), nil, "a b"},
	{"blank lines", "\n\n  \n\t\r\n" + chunk("a"), nil, "a"},
	{"several in one write", chunk("a") + chunk("b") + chunk("c"), nil, "a b c"},
	{"separators and escapes", chunk(`\u2028\u0000\ud83d\ude00 \n` + "\u2028"), nil, "\u2028\x00\U0001F600 \n\u2028"},
	{"invalid UTF-8", chunk("a\xff\xfeb"), nil, "a\uFFFDb"},
	{"lone surrogate", chunk(`a\ud800b`), nil, "a\uFFFDb"},
	{"duplicate keys", `{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"fs/read_text_file","params":{"sessionId":"s","path":"/a","path":"/b"}}` + "\n", []string{`{"jsonrpc":"2.0","id":2,` + readDone}, "read:/b"},
	{"deep nesting", `{"jsonrpc":"2.0","method":"x","params":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}\n" + chunk("a"), nil, "a"},
	{"extra fields", `{"jsonrpc":"2.0","id":1,"x":[1],"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f","more":{"y":1}}}` + "\n", []string{`{"jsonrpc":"2.0","id":1,` + readDone}, "read:/f"},
	{"_meta null", `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f","_meta":null}}` + "\n", []string{`{"jsonrpc":"2.0","id":1,` + readDone}, "read:/f"},
	{"_meta a string", `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f","_meta":"m"}}` + "\n", []string{`{"jsonrpc":"2.0","id":1,` + readDone}, "read:/f"},
	{"unknown update", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"_x","content":{"type":"text","text":"t"},"toolCallId":"c"}}}` + "\n", nil, "unknown:_x"},
	{"complete", `{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}` + "\n", nil, "complete:e"},
	{"cancel of an unknown id", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"no"}}` + "\n", nil, ""},
	{"cancel without an id", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{}}` + "\n", nil, ""},
	{"cancel of null", `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":null}}` + "\n", nil, ""},
}

// The connection survives each of these lines (behaviours 3, 10).
func TestLines(t *testing.T) {
	for _, test := range lineTests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(p *peer) {
				p.client.read = func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) {
					return &ReadTextFileResponse{Content: "text"}, nil
				}
				p.send(test.in)
				p.want(test.want...)
				if got := p.client.told(); got != test.told {
					t.Errorf("client was told %q, want %q", got, test.told)
				}
				p.alive()
			})
		})
	}
}

// The messages are the same wherever the stream is split (behaviour 4).
func TestSplitAnywhere(t *testing.T) {
	in := chunk("a") + "\r\n" + `{"jsonrpc":"2.0","id":1,` + readOf + "\r\n" + chunk("é")
	bubble(t, func(p *peer) {
		for i := range len(in) {
			p.send(in[:i])
			p.send(in[i:])
			p.want(`{"jsonrpc":"2.0","id":1,` + notFound)
			if got := p.client.told(); got != "a read:/f é" {
				t.Fatalf("split at %d: told %q", i, got)
			}
		}
	})
	bubble(t, func(p *peer) {
		for i := range len(in) {
			p.send(in[i : i+1])
		}
		if got := p.client.told(); got != "a read:/f é" {
			t.Errorf("byte by byte: told %q", got)
		}
	})
}

// Long lines are read, and a line over the limit is reported with its size (behaviours 4, 117).
func TestLongLines(t *testing.T) {
	for _, size := range []int{readBuffer - 200, readBuffer, readBuffer + 1, 10 << 20} {
		bubble(t, func(p *peer) {
			p.send(chunk(strings.Repeat("x", size)) + chunk("b"))
			if got, want := len(p.client.told()), size+len(" b"); got != want {
				t.Errorf("line of %d: told %d bytes, want %d", size, got, want)
			}
		})
	}
	bubbleWith(t, Options{MaxLine: 200_000}, func(p *peer) {
		p.send(chunk(strings.Repeat("x", 190_000)))
		p.client.told()
		go func() { _, _ = io.WriteString(p.out, chunk(strings.Repeat("x", 200_000))) }() // until the connection ends
		<-p.conn.Done()
		if got, want := p.conn.Err().Error(), "agent sent a line of more than 200000 bytes"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A second request with an id that is in use is refused (behaviour 118).
func TestIDInUse(t *testing.T) {
	bubble(t, func(p *peer) {
		release := make(chan struct{})
		p.client.permission = func(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			<-release
			return PermissionSelected("yes"), nil
		}
		p.send(permission("5", "a"))
		p.send(permission("5", "b"))
		p.want(`{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"Invalid request: id is in use"}}`)
		close(release)
		p.want(`{"jsonrpc":"2.0","id":5,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`)
		p.send(permission("5", "c")) // free again
		p.want(`{"jsonrpc":"2.0","id":5,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`)
	})
}

// The two sides number their requests independently.
func TestIDsAreIndependent(t *testing.T) {
	bubble(t, func(p *peer) {
		p.client.permission = func(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			return PermissionCancelled(), nil
		}
		ended := false
		p.conn.Prompt(&PromptRequest{SessionID: "s"}, func(_ *PromptResponse, err error) { ended = err == nil })
		p.took()
		p.send(permission("1", "a"))
		p.want(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}` + "\n")
		if !ended {
			t.Error("the prompt has no answer")
		}
	})
}

func TestErrorsOfAnswers(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"as it is", Errorf(CodeResourceNotFound, "no %s", "file"), `{"code":-32002,"message":"no file"}`},
		{"wrapped", errors.Join(Errorf(CodeInvalidParams, "x")), `{"code":-32602,"message":"x"}`},
		{"with data", &Error{Code: 1, Message: "x", Data: Raw("{\"a\":\n1}")}, `{"code":1,"message":"x","data":{"a":1}}`},
		{"with data that is no JSON", &Error{Code: 1, Message: "x", Data: Raw(`{`)}, `{"code":1,"message":"x"}`},
		{"cancelled", context.Canceled, `{"code":-32800,"message":"Request cancelled"}`},
		{"any other", errors.New("a\n<b>\xff"), `{"code":-32603,"message":"a\n<b>` + "\uFFFD" + `"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(p *peer) {
				p.client.read = func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error) { return nil, test.err }
				p.send(`{"jsonrpc":"2.0","id":1,` + readOf + "\n")
				p.want(`{"jsonrpc":"2.0","id":1,"error":` + test.want + `}`)
			})
		})
	}
}

// A nil result is sent as {}.
func TestEmptyResult(t *testing.T) {
	bubble(t, func(p *peer) {
		p.client.kill = func(context.Context, *KillTerminalRequest) (*KillTerminalResponse, error) { return nil, nil }
		p.send(`{"jsonrpc":"2.0","id":1,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"t"}}` + "\n")
		p.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// A complete last line counts without its newline, a partial one does not.
func TestLastLine(t *testing.T) {
	for in, want := range map[string]string{
		strings.TrimSpace(chunk("a")):                  "a",
		chunk("a") + strings.TrimSpace(chunk("b"))[5:]: "a",
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPeer(t, Options{})
			p.send(in)
			_ = p.out.Close()
			<-p.conn.Done()
			if got := p.client.told(); got != want {
				t.Errorf("told %q, want %q", got, want)
			}
			if !errors.Is(p.conn.Err(), io.ErrUnexpectedEOF) {
				t.Errorf("got %v", p.conn.Err())
			}
			_ = p.conn.Close()
		})
	}
}

// More than 64 MiB of unread output ends the connection, and no sender blocks meanwhile.
func TestOutboxLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, out := io.Pipe()
		_, w := io.Pipe() // nobody reads
		c := NewConn(r, w, &recorder{}, Options{})
		text := strings.Repeat("x", 1<<20)
		for range 140 { // the first ones may be being written
			c.Notify("_x", text)
		}
		<-c.Done()
		if !errors.Is(c.Err(), errNotReading) {
			t.Errorf("got %v, want %v", c.Err(), errNotReading)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		_ = out.Close()
	})
}

// When writing fails, the agent's remaining output is still read.
func TestWriteFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, Options{})
		start := time.Now()
		_ = p.in.Close()
		p.conn.Cancel(&CancelNotification{SessionID: "s"})
		p.send(chunk("last words"))
		<-p.conn.Done()
		if got := p.client.told(); got != "last words" {
			t.Errorf("told %q", got)
		}
		if err := p.conn.Err(); err == nil || !strings.HasPrefix(err.Error(), "write to agent: ") {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d > 250*time.Millisecond {
			t.Errorf("took %v", d)
		}
	})
}
