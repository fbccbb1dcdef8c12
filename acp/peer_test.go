package acp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// peer plays the agent's side of a connection, inside a synctest bubble.
type peer struct {
	t      *testing.T
	conn   *Conn
	client *recorder
	out    *io.PipeWriter // what the client reads
	in     *io.PipeReader // what the client wrote

	mu    sync.Mutex // guards lines
	lines []string
}

// bubble runs f against a new connection and closes it after.
func bubble(t *testing.T, f func(*peer)) { bubbleWith(t, Options{}, f) }

func bubbleWith(t *testing.T, opts Options, f func(*peer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t, opts)
		f(p)
		if err := p.conn.Close(); err != nil {
			t.Error(err)
		}
	})
}

func newPeer(t *testing.T, opts Options) *peer {
	r, out := io.Pipe()
	in, w := io.Pipe()
	p := &peer{t: t, client: &recorder{}, out: out, in: in}
	p.conn = NewConn(r, w, p.client, opts)
	go func() { // until the connection closes its side
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.mu.Lock()
			p.lines = append(p.lines, strings.TrimSuffix(line, "\n"))
			p.mu.Unlock()
		}
	}()
	return p
}

// send writes bytes to the client and waits until it has done all it can.
func (p *peer) send(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.out, s); err != nil && p.conn.Err() == nil {
		p.t.Fatal(err)
	}
	synctest.Wait()
}

// took returns what the client has written since the last time.
func (p *peer) took() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.lines
	p.lines = nil
	return lines
}

// want compares what the client has written since the last time.
func (p *peer) want(lines ...string) {
	p.t.Helper()
	got, want := strings.Join(p.took(), "\n"), strings.Join(lines, "\n")
	if got != want {
		p.t.Errorf("client wrote\n%s\nwant\n%s", got, want)
	}
}

// alive checks that the connection still works.
func (p *peer) alive() {
	p.t.Helper()
	p.took()
	p.send(`{"jsonrpc":"2.0","id":"probe","method":"x/probe"}` + "\n")
	p.want(`{"jsonrpc":"2.0","id":"probe","error":{"code":-32601,"message":"Method not found"}}`)
}

// recorder is a client that notes what it is told, in order, and answers by its fields; nil ones mean no capability.
type recorder struct {
	permission  func(context.Context, *RequestPermissionRequest) (*RequestPermissionResponse, error)
	read        func(context.Context, *ReadTextFileRequest) (*ReadTextFileResponse, error)
	write       func(context.Context, *WriteTextFileRequest) (*WriteTextFileResponse, error)
	create      func(context.Context, *CreateTerminalRequest) (*CreateTerminalResponse, error)
	output      func(context.Context, *TerminalOutputRequest) (*TerminalOutputResponse, error)
	exit        func(context.Context, *WaitForTerminalExitRequest) (*WaitForTerminalExitResponse, error)
	kill        func(context.Context, *KillTerminalRequest) (*KillTerminalResponse, error)
	release     func(context.Context, *ReleaseTerminalRequest) (*ReleaseTerminalResponse, error)
	elicitation func(context.Context, *CreateElicitationRequest) (*CreateElicitationResponse, error)
	onUpdate    func(*SessionNotification)

	mu     sync.Mutex // guards events
	events []string
}

func (r *recorder) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

func (r *recorder) told() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := strings.Join(r.events, " ")
	r.events = nil
	return s
}

func answer[P, R any](f func(context.Context, P) (R, error), params P) Answer[R] {
	if f == nil {
		return nil
	}
	return func(ctx context.Context) (R, error) { return f(ctx, params) }
}

func (r *recorder) SessionUpdate(n *SessionNotification) {
	if r.onUpdate != nil {
		r.onUpdate(n)
		return
	}
	switch u := n.Update.(type) {
	case *AgentMessageChunk:
		if text, ok := u.Content.(*TextContent); ok {
			r.note("%s", text.Text)
			return
		}
		r.note("%T", u.Content)
	case *ToolCall:
		r.note("call:%s", u.ToolCallID)
	case *UnknownUpdate:
		r.note("unknown:%s", u.Kind)
	default:
		r.note("%T", u)
	}
}

func (r *recorder) CompleteElicitation(n *CompleteElicitationNotification) {
	r.note("complete:%s", n.ElicitationID)
}

func (r *recorder) RequestPermission(p *RequestPermissionRequest) Answer[*RequestPermissionResponse] {
	r.note("permission:%s", p.ToolCall.ToolCallID)
	return answer(r.permission, p)
}

func (r *recorder) ReadTextFile(p *ReadTextFileRequest) Answer[*ReadTextFileResponse] {
	r.note("read:%s", p.Path)
	return answer(r.read, p)
}

func (r *recorder) WriteTextFile(p *WriteTextFileRequest) Answer[*WriteTextFileResponse] {
	r.note("write:%s", p.Content)
	return answer(r.write, p)
}

func (r *recorder) CreateTerminal(p *CreateTerminalRequest) Answer[*CreateTerminalResponse] {
	return answer(r.create, p)
}

func (r *recorder) TerminalOutput(p *TerminalOutputRequest) Answer[*TerminalOutputResponse] {
	return answer(r.output, p)
}

func (r *recorder) WaitForTerminalExit(p *WaitForTerminalExitRequest) Answer[*WaitForTerminalExitResponse] {
	return answer(r.exit, p)
}

func (r *recorder) KillTerminal(p *KillTerminalRequest) Answer[*KillTerminalResponse] {
	return answer(r.kill, p)
}

func (r *recorder) ReleaseTerminal(p *ReleaseTerminalRequest) Answer[*ReleaseTerminalResponse] {
	return answer(r.release, p)
}

func (r *recorder) CreateElicitation(p *CreateElicitationRequest) Answer[*CreateElicitationResponse] {
	return answer(r.elicitation, p)
}
