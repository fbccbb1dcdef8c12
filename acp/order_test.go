package acp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// All updates are applied before the answer that follows them (behaviour 14).
func TestUpdatesBeforeAnswer(t *testing.T) {
	bubble(t, func(p *peer) {
		var seen, atEnd int
		p.client.onUpdate = func(*SessionNotification) { seen++ }
		p.conn.Prompt(&PromptRequest{SessionID: "s"}, func(*PromptResponse, error) { atEnd = seen })
		p.took()
		p.send(strings.Repeat(chunk("x"), 500) + `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}` + "\n" + chunk("late"))
		if atEnd != 500 || seen != 501 {
			t.Errorf("%d updates before the answer and %d in all, want 500 and 501", atEnd, seen)
		}
	})
}

// The id of a new session is known before the next message is read (behaviour 13).
func TestNewSessionInOrder(t *testing.T) {
	bubble(t, func(p *peer) {
		p.conn.StartNewSession(&NewSessionRequest{Cwd: "/w"}, func(res *NewSessionResponse, _ error) { p.client.note("new:%s", res.SessionID) })
		p.took()
		p.send(chunk("early") + `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}` + "\n" + chunk("late"))
		if got, want := p.client.told(), "early new:s late"; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

// Requests are handled in wire order, among the updates.
func TestRequestsInOrder(t *testing.T) {
	write := func(id int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/f","content":"%s"}}`+"\n", id, text)
	}
	bubble(t, func(p *peer) {
		p.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"x","title":"T"}}}` + "\n" +
			permission("1", "x") + write(2, "A") + chunk("a") + write(3, "B"))
		if got, want := p.client.told(), "call:x permission:x write:A a write:B"; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

// A request that waits for the user delays nothing else (behaviour 116).
func TestNoHeadOfLineBlocking(t *testing.T) {
	bubble(t, func(p *peer) {
		release := make(chan struct{})
		p.client.permission = func(_ context.Context, r *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			<-release
			return PermissionSelected(r.ToolCall.ToolCallID), nil
		}
		p.client.exit = func(context.Context, *WaitForTerminalExitRequest) (*WaitForTerminalExitResponse, error) {
			<-release
			code := uint32(3)
			return &WaitForTerminalExitResponse{ExitCode: &code}, nil
		}
		p.send(permission("1", "a") + `{"jsonrpc":"2.0","id":2,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"t"}}` + "\n" + chunk("b"))
		if got, want := p.client.told(), "permission:a b"; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
		p.want()
		close(release)
		lines := p.took()
		if len(lines) != 2 {
			t.Fatalf("%d answers, want 2: %q", len(lines), lines)
		}
		if all := strings.Join(lines, ""); !strings.Contains(all, `"id":2,"result":{"exitCode":3,"signal":null}`) || !strings.Contains(all, `"optionId":"a"`) {
			t.Errorf("got %q", all)
		}
	})
}

// A burst of messages is read without a loss (behaviour 117).
func TestBurst(t *testing.T) {
	bubble(t, func(p *peer) {
		seen := 0
		p.client.onUpdate = func(*SessionNotification) { seen++ }
		for range 100 {
			p.send(strings.Repeat(chunk("some text of forty bytes, more or less"), 1000))
		}
		if seen != 100_000 {
			t.Errorf("saw %d updates, want 100000", seen)
		}
	})
}

// Messages of many goroutines do not mix, and those of one keep their order.
func TestWritersDoNotMix(t *testing.T) {
	bubble(t, func(p *peer) {
		var group sync.WaitGroup
		for g := range 20 {
			group.Go(func() {
				for i := range 50 {
					p.conn.Notify("_n", map[string]int{"g": g, "i": i})
				}
			})
		}
		group.Wait()
		next := make(map[int]int)
		for _, line := range p.took() {
			var m struct{ Params struct{ G, I int } }
			if _, err := fmt.Sscanf(line, `{"jsonrpc":"2.0","method":"_n","params":{"g":%d,"i":%d}}`, &m.Params.G, &m.Params.I); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if next[m.Params.G] != m.Params.I {
				t.Fatalf("goroutine %d: got %d, want %d", m.Params.G, m.Params.I, next[m.Params.G])
			}
			next[m.Params.G]++
		}
		if len(next) != 20 {
			t.Errorf("heard of %d goroutines, want 20", len(next))
		}
	})
}

// A prompt and its cancellation keep their order (behaviour 211).
func TestPromptThenCancel(t *testing.T) {
	bubble(t, func(p *peer) {
		p.conn.Prompt(&PromptRequest{SessionID: "s"}, func(*PromptResponse, error) {})
		p.conn.Cancel(&CancelNotification{SessionID: "s"})
		p.want(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
	})
}

// $/cancel_request cancels the context of one request, which is answered once (behaviours 35, 118).
func TestCancelRequest(t *testing.T) {
	tests := []struct {
		name, id, cancel string
		result           *RequestPermissionResponse
		want             string
	}{
		{"by error", `7`, `7`, nil, `{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"Request cancelled"}}`},
		{"by outcome", `7`, `7`, PermissionCancelled(), `{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}`},
		{"string id", `"a/b"`, `"a\/b"`, nil, `{"jsonrpc":"2.0","id":"a/b","error":{"code":-32800,"message":"Request cancelled"}}`},
		{"string for number", `7`, `"7"`, nil, ``},
		{"another id", `7`, `8`, nil, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(p *peer) {
				p.client.permission = func(ctx context.Context, _ *RequestPermissionRequest) (*RequestPermissionResponse, error) {
					<-ctx.Done()
					if test.result != nil {
						return test.result, nil
					}
					return nil, ctx.Err()
				}
				p.send(permission(test.id, "x"))
				cancel := `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + test.cancel + `}}` + "\n"
				p.send(cancel)
				p.send(cancel)
				if test.want == "" {
					p.want()
				} else {
					p.want(test.want)
				}
			})
		})
	}
}

// So many requests of an agent may be open at once; one more is refused, also one whose id is null (behaviour 833).
func TestOpenRequests(t *testing.T) {
	bubble(t, func(p *peer) {
		p.client.permission = func(ctx context.Context, _ *RequestPermissionRequest) (*RequestPermissionResponse, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ids := []string{"null"}
		for i := range maxOpen - 1 {
			ids = append(ids, strconv.Itoa(i))
		}
		for _, id := range ids {
			p.send(permission(id, "x"))
		}
		p.want()
		full := `"error":{"code":-32603,"message":"Too many requests: 1000 have no answer yet"}}`
		p.send(permission("null", "x") + permission(`"more"`, "x"))
		p.want(`{"jsonrpc":"2.0","id":null,`+full, `{"jsonrpc":"2.0","id":"more",`+full)
		p.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}` + "\n")
		p.want(`{"jsonrpc":"2.0","id":7,"error":{"code":-32800,"message":"Request cancelled"}}`)
		p.send(permission(`"more"`, "x"))
		p.want()
	})
}

// Options.Request and Options.Notification get the methods that are not in the protocol (behaviour 10).
func TestExtensions(t *testing.T) {
	var told []string
	opts := Options{
		Request: func(method string, params Raw) Answer[any] {
			if method != "_ours/echo" {
				return nil
			}
			return Reply[any](params, nil)
		},
		Notification: func(method string, params Raw) { told = append(told, method+string(params)) },
	}
	bubbleWith(t, opts, func(p *peer) {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"_ours/echo","params":{"a": [1, 2]}}` + "\n")
		p.want(`{"jsonrpc":"2.0","id":1,"result":{"a":[1,2]}}`)
		p.send(`{"jsonrpc":"2.0","id":2,"method":"craft/drainMidTurnQueue","params":{}}` + "\n")
		p.want(`{"jsonrpc":"2.0","id":2,` + notFound)
		p.send(`{"jsonrpc":"2.0","method":"_auth/status_update","params":{"a":1}}` + "\n")
		if got, want := strings.Join(told, "|"), `_auth/status_update{"a":1}`; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
		result := make(chan string, 1)
		go func() {
			var res struct {
				B int `json:"b"`
			}
			err := p.conn.Call(p.t.Context(), "_theirs/x", map[string]int{"a": 1}, &res)
			result <- fmt.Sprint(res.B) + fmt.Sprint(err)
		}()
		synctest.Wait()
		p.want(`{"jsonrpc":"2.0","id":1,"method":"_theirs/x","params":{"a":1}}`)
		p.send(`{"jsonrpc":"2.0","id":1,"result":{"b":2}}` + "\n")
		if got, want := <-result, "2<nil>"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
