package acp

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func sent[P, R any](f func(*Conn, context.Context, *P) (*R, error), params *P) func(context.Context, *Conn) error {
	return func(ctx context.Context, c *Conn) error {
		res, err := f(c, ctx, params)
		if err == nil && res == nil {
			return errors.New("no result")
		}
		return err
	}
}

// calls has one of every request we can send.
var calls = map[string]func(context.Context, *Conn) error{
	"initialize":                sent((*Conn).Initialize, &InitializeRequest{ProtocolVersion: 1}),
	"authenticate":              sent((*Conn).Authenticate, &AuthenticateRequest{MethodID: "m"}),
	"logout":                    sent((*Conn).Logout, &LogoutRequest{}),
	"session/new":               sent((*Conn).NewSession, &NewSessionRequest{Cwd: "/w"}),
	"session/load":              sent((*Conn).LoadSession, &LoadSessionRequest{SessionID: "s", Cwd: "/w"}),
	"session/resume":            sent((*Conn).ResumeSession, &ResumeSessionRequest{SessionID: "s", Cwd: "/w"}),
	"session/fork":              sent((*Conn).ForkSession, &ForkSessionRequest{SessionID: "s", Cwd: "/w"}),
	"session/list":              sent((*Conn).ListSessions, &ListSessionsRequest{Cursor: "c"}),
	"session/delete":            sent((*Conn).DeleteSession, &DeleteSessionRequest{SessionID: "s"}),
	"session/close":             sent((*Conn).CloseSession, &CloseSessionRequest{SessionID: "s"}),
	"session/set_mode":          sent((*Conn).SetMode, &SetSessionModeRequest{SessionID: "s", ModeID: "m"}),
	"session/set_model":         sent((*Conn).SetModel, &SetSessionModelRequest{SessionID: "s", ModelID: "m"}),
	"session/set_config_option": sent((*Conn).SetConfigOption, &SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "c", Value: "v"}),
	"session/prompt": func(_ context.Context, c *Conn) error {
		done := make(chan error, 1)
		c.Prompt(&PromptRequest{SessionID: "s", Prompt: []ContentBlock{Text("hi")}}, func(_ *PromptResponse, err error) { done <- err })
		return <-done
	},
}

// results are answers with what each requires, where that is more than nothing.
var results = map[string]string{
	"initialize":                `{"protocolVersion":1}`,
	"session/new":               `{"sessionId":"s"}`,
	"session/fork":              `{"sessionId":"s"}`,
	"session/list":              `{"sessions":[]}`,
	"session/set_config_option": `{"configOptions":[]}`,
	"session/prompt":            `{"stopReason":"end_turn"}`,
}

func TestCalls(t *testing.T) {
	params := map[string]string{
		"initialize":                `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":false}}}`,
		"authenticate":              `{"methodId":"m"}`,
		"logout":                    `{}`,
		"session/new":               `{"cwd":"/w","mcpServers":[]}`,
		"session/load":              `{"sessionId":"s","cwd":"/w","mcpServers":[]}`,
		"session/resume":            `{"sessionId":"s","cwd":"/w"}`,
		"session/fork":              `{"sessionId":"s","cwd":"/w"}`,
		"session/list":              `{"cursor":"c"}`,
		"session/delete":            `{"sessionId":"s"}`,
		"session/close":             `{"sessionId":"s"}`,
		"session/set_mode":          `{"sessionId":"s","modeId":"m"}`,
		"session/set_model":         `{"sessionId":"s","modelId":"m"}`,
		"session/set_config_option": `{"sessionId":"s","configId":"c","value":"v"}`,
		"session/prompt":            `{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}`,
	}
	for method, call := range calls {
		t.Run(method, func(t *testing.T) {
			bubble(t, func(p *peer) {
				result := results[method]
				if result == "" {
					result = "null" // read as {}
				}
				done := make(chan error, 1)
				go func() { done <- call(p.t.Context(), p.conn) }()
				p.want(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params[method] + `}`)
				p.send(`{"jsonrpc":"2.0","id":1,"result":` + result + "}\n")
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAnswers(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"both result and error", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"},"error":{"code":1,"message":"x"}}`, "bad answer: both result and error"},
		{"a null beside", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"},"error":null}`, "end_turn"},
		{"neither result nor error", `{"jsonrpc":"2.0","id":1}`, "bad answer: neither result nor error"},
		{"code is a string", `{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}`, "m (x)"},
		{"message missing", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "bad answer: error: message: missing"},
		{"message is an object", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":{"text":"no credit"}}}`, "no credit (-1)"},
		{"message is blocks", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":[{"type":"text","text":"no credit"}]}}`, "no credit (-1)"},
		{"message is an object of its own", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":{"why":"credit"}}}`, `{"why":"credit"} (-1)`},
		{"message is a number", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":402}}`, "402 (-1)"},
		{"message is null", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":null,"data":{"message":"no credit"}}}`, "no credit (-1)"},
		{"message missing beside data", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"data":[{"why":"credit"}]}}`, `[{"why":"credit"}] (-1)`},
		{"message empty beside data", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"","data":{"why":"credit"}}}`, `{"why":"credit"} (-1)`},
		{"code is null", `{"jsonrpc":"2.0","id":1,"error":{"code":null,"message":"no credit"}}`, "no credit"},
		{"code is an object", `{"jsonrpc":"2.0","id":1,"error":{"code":{"a":1},"message":"no credit"}}`, "no credit"},
		{"code is a fraction", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000.0,"message":"Log in"}}`, "Log in (-32000)"},
		{"code is words beside data", `{"jsonrpc":"2.0","id":1,"error":{"code":"E402","data":{"why":"credit"}}}`, `{"why":"credit"} (E402)`},
		{"error is a list", `{"jsonrpc":"2.0","id":1,"error":["no credit"]}`, "no credit"},
		{"error is a number", `{"jsonrpc":"2.0","id":1,"error":402}`, "402"},
		{"error is a string", `{"jsonrpc":"2.0","id":1,"error":"no"}`, "no"},
		{"unknown id", `{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
		{"second answer", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"refusal"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, "refusal"},
		{"id as a string", `{"jsonrpc":"2.0","id":"1","result":{"stopReason":"end_turn"}}`, "end_turn"},
		{"words before it", `Done {in} 3 s {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "end_turn"},
		{"a title before it", "\x1b]0;my shell\a" + `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "end_turn"},
		{"a BOM before it", "\ufeff" + `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "end_turn"},
		{"a reset of colours behind it", "\x1b[32m" + `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}` + "\x1b[0m\x1b]0;t\a \x00\r", "end_turn"},
		{"words behind it", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}} was said`, "end_turn"},
		{"words on both sides", `Sent {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}} just now`, "end_turn"},
		{"words before it and another one behind it", `Done {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}{"jsonrpc":"2.0","method":"_x"}`, "end_turn"},
		{"an object like one between words", `Sent {"id":1,"result":{"stopReason":"end_turn"}} just now`, ""},
		{"one in a string", `Sent "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}" just now`, ""},
		{"one in a message that was torn", `{"jsonrpc":"2.0","method":"x","params":{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, ""},
		{"one behind a message that was torn", `{"jsonrpc":"2.0","method":"session/upd{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "end_turn"},
		{"an object and words behind it", `{"id":1} {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`, "end_turn"},
		{
			"another one behind it",
			`{"jsonrpc":"2.0","method":"session/update","params":{}}{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}} {"a":1}`, "end_turn",
		},
		{"a quoted one in colours", "\x1b[32m" + `{"log":{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}}` + "\x1b[0m", ""},
		{"id as 1.0", `{"jsonrpc":"2.0","id":1.0,"result":{"stopReason":"end_turn"}}`, "end_turn"},
		{"id as 1.5", `{"jsonrpc":"2.0","id":1.5,"result":{"stopReason":"end_turn"}}`, ""},
		{"id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, ""},
		{"unknown stop reason", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"_tired"}}`, "_tired"},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Authentication required"}}`, "Authentication required (-32000)"},
		{"usage", `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","usage":null}}`, "end_turn"},
		{"result of another type", `{"jsonrpc":"2.0","id":1,"result":[]}`, "session/prompt: bad answer: is array, not object"},
		{"version 2 result", `{"jsonrpc":"2.0","id":1,"result":{"messageId":"m"}}`, "session/prompt: bad answer: stopReason: missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(p *peer) {
				var got []string
				p.conn.Prompt(&PromptRequest{SessionID: "s"}, func(res *PromptResponse, err error) {
					if err != nil {
						got = append(got, err.Error())
					} else {
						got = append(got, string(res.StopReason))
					}
				})
				p.took()
				p.send(test.in + "\n")
				p.want() // nothing is written back
				if s := strings.Join(got, "|"); test.want == "" && s != "" || !strings.HasPrefix(s, test.want) {
					t.Errorf("got %q, want %q", s, test.want)
				}
				p.alive()
			})
		})
	}
}

// However many messages are on one line, the stack does not grow with them.
func TestManyOnALine(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20))
	bubble(t, func(p *peer) {
		p.send(strings.Repeat(`{"method":"x"}`, 100_000) + "\n")
		p.alive()
	})
}

func TestMissingSessionIsDone(t *testing.T) {
	for method, name := range map[string]string{"session/delete": "D81", "session/close": "D82"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(p *peer) {
				done := make(chan error, 1)
				go func() { done <- calls[method](p.t.Context(), p.conn) }()
				p.took()
				p.send(`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found"}}` + "\n")
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// When the caller gives up, the agent gets $/cancel_request and a late answer is dropped.
func TestGiveUp(t *testing.T) {
	bubble(t, func(p *peer) {
		ctx, cancel := context.WithTimeout(p.t.Context(), time.Second)
		defer cancel()
		_, err := p.conn.ListSessions(ctx, &ListSessionsRequest{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want deadline exceeded", err)
		}
		p.want(`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`,
			`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}` + "\n")
		p.want()
		p.alive()
	})
}

// The callback of one request may send the next.
func TestCallFromDone(t *testing.T) {
	bubble(t, func(p *peer) {
		p.conn.StartNewSession(&NewSessionRequest{Cwd: "/w"}, func(res *NewSessionResponse, err error) {
			if err != nil {
				t.Error(err)
				return
			}
			p.conn.Prompt(&PromptRequest{SessionID: res.SessionID, Prompt: []ContentBlock{Text("a\nb")}}, func(*PromptResponse, error) {})
		})
		p.took()
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}` + "\n")
		p.want(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"a\nb"}]}}`)
	})
}

// When the agent dies every pending request fails (behaviour 6).
func TestEndFailsEverything(t *testing.T) {
	bubble(t, func(p *peer) {
		var order []string
		answered := make(chan struct{})
		p.client.permission = func(ctx context.Context, _ *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			<-ctx.Done()
			close(answered)
			return nil, ctx.Err()
		}
		for _, name := range []string{"first", "second"} {
			p.conn.Prompt(&PromptRequest{SessionID: name}, func(_ *PromptResponse, err error) {
				order = append(order, name+": "+err.Error())
			})
		}
		blocked := make(chan error, 1)
		go func() { _, err := p.conn.Logout(p.t.Context(), &LogoutRequest{}); blocked <- err }()
		p.send(permission("7", "x"))
		p.took()
		_ = p.out.Close()
		<-p.conn.Done()
		<-answered
		want := "first: agent closed its output: unexpected EOF|second: agent closed its output: unexpected EOF"
		if got := strings.Join(order, "|"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if err := <-blocked; err == nil || err != p.conn.Err() {
			t.Errorf("got %v, want %v", err, p.conn.Err())
		}
		late := make(chan error, 1)
		p.conn.Prompt(&PromptRequest{}, func(_ *PromptResponse, err error) { late <- err })
		if err := <-late; err == nil {
			t.Error("a call after the end succeeded")
		}
		synctest.Wait()
		p.want()
	})
}

func permission(id, call string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"` +
		call + `"},"options":[]}}` + "\n"
}
