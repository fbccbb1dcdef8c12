package mcp

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// slowDesk is a desk whose user answers after a while, and whose editor never does.
type slowDesk struct {
	Desk
	after time.Duration
}

func (d slowDesk) Used(Use) error { return nil }

func (d slowDesk) Ask(ctx context.Context, _ Question) (Answer, error) {
	select {
	case <-time.After(d.after):
		return Answer{Text: "yes"}, nil
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

func (d slowDesk) Know(ctx context.Context, _ string, _ map[string]any, _ any) error {
	<-ctx.Done()
	return ctx.Err()
}

// serve connects a client to the tools of a desk.
func serve(t *testing.T, desk Desk, o *sdk.ClientOptions) (s *sdk.ClientSession, end func()) {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() { // until the client closes
		defer close(done)
		Serve(context.Background(), desk, "test", ours)
	}()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, o).Connect(context.Background(), &sdk.IOTransport{Reader: theirs, Writer: theirs}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, func() {
		_ = s.Close()
		<-done
	}
}

// A user may take their time: meanwhile an agent that wants to know it hears that its call is under way, and nothing once it is over
// (behaviour 338).
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int64
		s, end := serve(t, slowDesk{after: 25 * time.Minute}, &sdk.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { told.Add(1) },
		})
		defer end()
		params := &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "?"}}
		params.SetProgressToken("one")
		r, err := s.CallTool(context.Background(), params)
		if err != nil || r.IsError || r.Content[0].(*sdk.TextContent).Text != "yes" {
			t.Fatalf("got %v, %v", r, err)
		}
		synctest.Wait() // for what was told with the answer
		was := told.Load()
		if want := int64(25 * 6); was < want-1 || was > want {
			t.Errorf("told %d times, want %d", was, want)
		}
		<-time.After(time.Minute) // of the clock of the test, which passes at once
		if more := told.Load() - was; more != 0 {
			t.Errorf("told %d times more after the answer", more)
		}

		if _, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "?"}}); err != nil || told.Load() != was {
			t.Errorf("told of a call without a token, or %v", err)
		}
	})
}

// An editor that does not answer is not waited for for long, and a user not for ever (behaviour 338).
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, end := serve(t, slowDesk{after: 1000 * time.Hour}, nil)
		defer end()
		for _, test := range []struct {
			tool string
			args map[string]any
			wait time.Duration
			says string
		}{
			{"buffers", nil, maxTime, "did not answer within 30s"},
			{"ask", map[string]any{"question": "?"}, maxAskTime, "within 1h0m0s"},
		} {
			began := time.Now()
			r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: test.tool, Arguments: test.args})
			if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, test.says) {
				t.Errorf("%s: got %v, %v", test.tool, r, err)
			}
			if took := time.Since(began); took != test.wait {
				t.Errorf("%s took %v, want %v", test.tool, took, test.wait)
			}
		}
	})
}

// Arguments of a wrong shape, tools that are not there and lines that are no messages are answered with an error, and the next call works
// (behaviours 339, 465).
func TestHostileCalls(t *testing.T) {
	s, end := serve(t, slowDesk{}, nil)
	defer end()
	for _, args := range []any{
		map[string]any{"question": 7},
		map[string]any{"question": "?", "options": "one"},
		map[string]any{"question": "?", "lua": "os.exit()"},
		[]string{"question"},
		nil,
	} {
		r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "ask", Arguments: args})
		if err == nil && !r.IsError {
			t.Errorf("%v: got %v", args, r.Content[0])
		}
	}
	if _, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "exec"}); err == nil {
		t.Error("there is a tool exec")
	}
	if r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "?"}}); err != nil || r.IsError {
		t.Errorf("got %v, %v", r, err)
	}

	// What is no message is answered as JSON-RPC says, and the connection goes on.
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() { // until the other end is closed
		defer close(done)
		Serve(context.Background(), slowDesk{}, "test", ours)
	}()
	answers := bufio.NewReader(theirs)
	for _, test := range []struct {
		line string
		code string
	}{
		{"nonsense", "-32700"}, {"\r\n[[[[", "-32700"}, {"\x00\xff", "-32700"}, {strings.Repeat("[", 100_000), "-32700"}, {"{} {}", "-32700"},
		{"{}", "-32600"}, {"[]", "-32600"}, {"7", "-32600"}, {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "-32600"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600"}, {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxLine) + `"}`, "-32600"},
	} {
		go func() { _, _ = io.WriteString(theirs, test.line+"\n") }() // until it is read
		answer, err := answers.ReadString('\n')
		if want := `"id":null,"error":{"code":` + test.code; err != nil || !strings.Contains(answer, want) {
			t.Errorf("%.40q: got %s, %v, want %s", test.line, answer, err, want)
		}
	}
	go func() { _, _ = io.WriteString(theirs, `{"jsonrpc":"2.0","id":9,"method":"ping"}`+"\n") }() // the same
	if answer, err := answers.ReadString('\n'); err != nil || !strings.Contains(answer, `"id":9`) {
		t.Errorf("got %s, %v", answer, err)
	}
	_ = theirs.Close()
	<-done
}

// The server's name is none of the user's servers' (behaviour 339).
func TestFreeName(t *testing.T) {
	for _, test := range []struct {
		others []string
		want   string
	}{
		{nil, "nvim"}, {[]string{"x"}, "nvim"}, {[]string{"nvim"}, "nvim-acp"}, {[]string{"nvim-acp", "nvim"}, "nvim-acp2"},
		{[]string{"nvim-acp", "nvim", "nvim-acp2"}, "nvim-acp3"},
	} {
		if got := FreeName(test.others); got != test.want {
			t.Errorf("%v: got %q, want %q", test.others, got, test.want)
		}
	}
}
