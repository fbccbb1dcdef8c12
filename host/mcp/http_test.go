package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// askDesk is a desk whose user is asked and does not answer.
type askDesk struct {
	Desk
	asked chan struct{} // has a value for each question
	over  chan error    // has why each has ended
}

func (d askDesk) Used(Use) error { return nil }

func (d askDesk) Ask(ctx context.Context, _ Question) (Answer, error) {
	d.asked <- struct{}{}
	<-ctx.Done()
	d.over <- ctx.Err()
	return Answer{}, ctx.Err()
}

// counted is the number of clients of a handler.
type counted struct {
	mu      sync.Mutex
	n       int
	calls   int
	changed chan struct{} // closed, and made anew, with each change
}

func (c *counted) add(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n, c.calls = c.n+more, c.calls+1
	close(c.changed)
	c.changed = make(chan struct{})
}

// wait waits until there is a number of clients.
func (c *counted) wait(t *testing.T, n int) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		c.mu.Lock()
		now, changed := c.n, c.changed
		c.mu.Unlock()
		if now == n {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("there are %d clients, want %d", now, n)
		}
	}
}

// handle serves a desk over HTTP whose user does not answer.
func handle(t *testing.T) (h *Handler, url string, desk askDesk, clients *counted) {
	t.Helper()
	desk = askDesk{asked: make(chan struct{}, 2*maxClients), over: make(chan error, 2*maxClients)}
	clients = &counted{changed: make(chan struct{})}
	h, url = handleDesk(t, desk, clients.add)
	return h, url, desk, clients
}

// handleDesk serves a desk over HTTP.
func handleDesk(t *testing.T, desk Desk, clients func(more int)) (h *Handler, url string) {
	t.Helper()
	h = NewHandler(desk, "test", clients)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Cleanup(h.End)
	return h, server.URL
}

// dial connects a client over HTTP.
func dial(t *testing.T, url string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask calls a tool that waits for the user, in the background, until it does.
func ask(t *testing.T, s *sdk.ClientSession, desk askDesk) (answered chan struct{}) {
	t.Helper()
	answered = make(chan struct{})
	go func() { // until the call is answered
		defer close(answered)
		r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "?"}})
		if err == nil && !r.IsError {
			t.Errorf("it is answered: %v", r)
		}
	}()
	await(t, desk.asked)
	return answered
}

func await[T any](t *testing.T, c <-chan T) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatal("it does not come")
	}
}

// A client over HTTP is one from its first message until it says goodbye, which ends its calls, and no one else's (behaviour 1152).
func TestClients(t *testing.T) {
	_, url, desk, clients := handle(t)
	one, two := dial(t, url), dial(t, url)
	clients.wait(t, 2)
	if list, err := one.ListTools(t.Context(), nil); err != nil || len(list.Tools) == 0 {
		t.Errorf("got %v, %v", list, err)
	}

	answered := ask(t, one, desk)
	other := ask(t, two, desk)
	r, err := http.NewRequest("DELETE", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", one.ID())
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusNoContent {
		t.Fatalf("got %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	await(t, desk.over)
	await(t, answered)
	clients.wait(t, 1)

	if _, err := one.ListTools(t.Context(), nil); err == nil {
		t.Error("it is served after its goodbye")
	}
	if _, err := two.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
	select {
	case <-other:
		t.Error("the other's call has ended, too")
	default:
	}
}

// The end of a handler ends its clients and their calls, and it serves no others (behaviour 1152).
func TestEnd(t *testing.T) {
	h, url, desk, clients := handle(t)
	one := dial(t, url)
	answered := ask(t, one, desk)
	h.End()
	await(t, desk.over)
	await(t, answered)
	clients.wait(t, 0)
	if _, err := one.ListTools(t.Context(), nil); err == nil {
		t.Error("it is served")
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	if _, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, MaxRetries: -1}, nil); err == nil {
		t.Error("another one is served")
	}
}

// Of clients that come and never go the oldest make room (behaviour 1152).
func TestManyClients(t *testing.T) {
	_, url, _, clients := handle(t)
	var all []*sdk.ClientSession
	for range maxClients + 3 {
		all = append(all, dial(t, url))
	}
	clients.wait(t, maxClients)
	for i, s := range all {
		if _, err := s.ListTools(t.Context(), nil); (err == nil) != (i >= 3) {
			t.Errorf("client %d: %v", i, err)
		}
	}
}

// What is no message of a client is refused, and makes none (behaviour 1152).
func TestNoClient(t *testing.T) {
	_, url, _, clients := handle(t)
	const first = `{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
		"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}`
	for _, test := range []struct {
		name, method, body, session, version string
		status                               int
	}{
		{"a stream of its own", "GET", "", "", "", 405},
		{"another method", "PUT", first, "", "", 405},
		{"no JSON", "POST", "{", "", "", 400},
		{"no such session", "POST", first, "x", "", 404},
		{"the end of no session", "DELETE", "", "x", "", 404},
		{"the end without one", "DELETE", "", "", "", 400},
		{"no such version", "POST", first, "", "1999-01-01", 400},
		{"a call before the first message", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "", "", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequest(test.method, url, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"Mcp-Session-Id": test.session, "MCP-Protocol-Version": test.version,
			} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}

			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text := new(strings.Builder)
			if err := answer.Write(text); err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != test.status || test.status == 200 && !strings.Contains(text.String(), `"error"`) {
				t.Errorf("got %s, want %d", text, test.status)
			}
		})
	}

	clients.mu.Lock()
	defer clients.mu.Unlock()
	if clients.calls != 0 {
		t.Errorf("clients are counted %d times", clients.calls)
	}
}
