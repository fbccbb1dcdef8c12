package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// A handler computes the answer to a request.
type handler = func(ctx context.Context) (any, error)

// routes are the requests of the protocol: each decodes, asks the client, and returns what will answer.
var routes = map[string]func(*Conn, *message) (handler, error){
	"session/request_permission": route(Client.RequestPermission),
	"fs/read_text_file":          route(Client.ReadTextFile),
	"fs/write_text_file":         route(Client.WriteTextFile),
	"terminal/create":            route(Client.CreateTerminal),
	"terminal/output":            route(Client.TerminalOutput),
	"terminal/wait_for_exit":     route(Client.WaitForTerminalExit),
	"terminal/kill":              route(Client.KillTerminal),
	"terminal/release":           route(Client.ReleaseTerminal),
	"elicitation/create":         route(Client.CreateElicitation),
}

func route[P, R any](method func(Client, *P) Answer[R]) func(*Conn, *message) (handler, error) {
	return func(c *Conn, m *message) (handler, error) {
		p, err := paramsOf[P](m)
		if err != nil {
			return nil, err
		}
		if err := c.incoming(p); err != nil {
			return nil, err
		}
		return handle(method(c.client, p))
	}
}

// incoming gives ids to what has none in a message, and lets the options see it. It is called on the read goroutine.
func (c *Conn) incoming(message any) error {
	c.unnamed.name(message)
	if c.opts.Incoming == nil {
		return nil
	}
	return c.opts.Incoming(message)
}

func handle[R any](answer Answer[R]) (handler, error) {
	if answer == nil {
		return nil, Errorf(CodeMethodNotFound, "Method not found")
	}
	return func(ctx context.Context) (any, error) { return answer(ctx) }, nil
}

// paramsOf returns the parameters of a message.
func paramsOf[P any](m *message) (*P, error) {
	if p, ok := m.read.(*P); ok {
		return p, nil
	}
	p := new(P)
	return p, decodeParams(m.Params, p)
}

func decodeParams(params Raw, into any) error {
	if params == nil || isNull(params) {
		params = Raw("{}")
	}
	if params.Kind() != '{' {
		return Errorf(CodeInvalidParams, "Invalid params: is %s, not object", kindName(params.Kind()))
	}
	if err := Unmarshal(params, into); err != nil {
		return Errorf(CodeInvalidParams, "Invalid params: %v", err)
	}
	return nil
}

// dispatch handles one line, on the read goroutine. A line that is not a message is logged and ignored: agents print banners
// and logs on their output, and an answer to each would only confuse them.
func (c *Conn) dispatch(ctx context.Context, line []byte) {
	for len(line) > 0 {
		line = c.dispatchFirst(ctx, line)
	}
}

// dispatchFirst handles the message that a line begins with, and returns what is behind it.
func (c *Conn) dispatchFirst(ctx context.Context, line []byte) (after []byte) {
	m, err := parseMessage(line)
	if err != nil {
		if first, rest, ok := before(line); ok {
			line, after = first, rest
			m, err = parseMessage(line)
		} else if end := bytes.LastIndexByte(line, '}') + 1; end > 0 && unseen().Match(line[end:]) {
			line = line[:end]
			m, err = parseMessage(line)
		}
	}
	if err != nil {
		if rest, inner, ok := behind(line); ok {
			c.log.add(Entry{Dir: DirInfo, Method: "ignored"}, line[:len(line)-len(rest)])
			line, m, err = rest, inner, nil
		}
	}
	switch {
	case err != nil && line[0] == '[' && Raw(line).IsValid(decodeOptions):
		c.log.add(Entry{Dir: DirInfo, Method: "ignored"}, line)
		c.refuse(Raw("null"), Errorf(CodeInvalidRequest, "Invalid request: batches are not supported"))
	case err != nil:
		c.log.add(Entry{Dir: DirInfo, Method: "ignored"}, line)
	case m.Method != nil && m.ID != nil:
		c.request(ctx, line, m)
	case m.Method != nil:
		c.notified(line, m)
	case m.ID != nil:
		c.answered(line, m)
	default:
		c.log.add(Entry{Dir: DirInfo, Method: "ignored"}, line)
	}
	return after
}

// unseen is what a terminal shows nothing of: a reset of colours behind a message, which programs add that colour what passes
// through them.
var unseen = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)` +
		`|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x1a\x1c-\x20\x7f]|\x{FEFF}|\x{2028})+$`)
})

// before finds the message that a line begins with, and what is behind it: a message that lacks its line end, or another thread's words.
// One between words is not taken: it may be quoted.
func before(line []byte) (first, rest []byte, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(line), decodeOptions)
	if d.PeekKind() != '{' || d.SkipValue() != nil {
		return nil, nil, false
	}
	end := d.InputOffset()
	first, rest = bytes.TrimSpace(line[:end]), bytes.TrimSpace(line[end:])
	m, err := parseMessage(first)
	return first, rest, err == nil && len(rest) > 0 && m.complete()
}

// complete reports whether a message is a request, a notification or an answer.
func (m message) complete() bool {
	return m.Method != nil || m.ID != nil && (m.Result != nil || m.Error != nil)
}

// behind finds the message at the end of a line that has other text before it: a title of the terminal, a prompt of the shell, a BOM, or
// words that lack their line end.
func behind(line []byte) (rest []byte, m message, ok bool) {
	const most = 20 // braces in those words
	rest = line
	for range most {
		i := bytes.IndexByte(rest[min(1, len(rest)):], '{')
		if i < 0 {
			return nil, m, false
		}
		rest = rest[i+1:]
		m, err := parseMessage(rest)
		if err == nil && m.complete() {
			return rest, m, true
		}
	}

	return nil, m, false
}

// request handles a request of the agent. It calls the client in wire order; the answer is computed on a goroutine of its own.
func (c *Conn) request(ctx context.Context, line []byte, m message) {
	method := text(m.Method)
	c.log.add(Entry{Dir: DirRecv, Method: method, ID: string(m.ID)}, line)
	key, ok := idKey(m.ID)
	if !ok {
		c.refuse(Raw("null"), Errorf(CodeInvalidRequest, "Invalid request: id is %s", kindName(m.ID.Kind())))
		return
	}
	if m.Method.Kind() != '"' {
		c.refuse(m.ID, Errorf(CodeInvalidRequest, "Invalid request: method is %s", kindName(m.Method.Kind())))
		return
	}

	id := m.ID.Clone()
	ctx, cancel := context.WithCancel(ctx)
	if err := c.admit(key, cancel); err != nil {
		cancel()
		c.refuse(id, err)
		return
	}

	start := time.Now()
	var h handler
	var err error
	if fault := caught.Do("acp.(*Conn).route", func() { h, err = c.route(method, &m) }); fault != nil {
		caught.Report(fault)
		err = internalError(fault)
	}
	if err != nil {
		cancel()
		c.reply(key, id, method, start, nil, err)
		return
	}

	sent := make(chan struct{})
	caught.Go(func() { // until the answer is known; its context ends with the connection
		defer cancel()
		defer close(sent)
		var result any
		var err error
		if fault := caught.Do("acp.(*Conn).request", func() { result, err = h(context.WithValue(ctx, sentKey{}, sent)) }); fault != nil {
			caught.Report(fault)
			result, err = nil, internalError(fault)
		}
		c.reply(key, id, method, start, result, err)
	})
}

// internalError is what the agent is told of a fault of ours.
func internalError(fault *caught.Error) error { return Errorf(CodeInternal, "%s", fault.Error()) }

// route returns the handler of a request.
func (c *Conn) route(method string, m *message) (handler, error) {
	if r := routes[method]; r != nil {
		return r(c, m)
	}
	if c.opts.Request == nil {
		return nil, Errorf(CodeMethodNotFound, "Method not found")
	}
	return handle(c.opts.Request(method, m.Params.Clone()))
}

// maxOpen is how many requests of an agent may be open at once. Each has a goroutine, and may have a question to the user.
const maxOpen = 1000

// admit registers an open request, unless its id is in use or too many are open. A null id is always free, and cannot be cancelled.
func (c *Conn) admit(key string, cancel context.CancelFunc) *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case key != "" && c.open[key] != nil:
		return Errorf(CodeInvalidRequest, "Invalid request: id is in use")
	case c.asked >= maxOpen:
		return Errorf(CodeInternal, "Too many requests: %d have no answer yet", c.asked)
	case key != "":
		c.open[key] = cancel
	}
	c.asked++
	return nil
}

// notified handles a notification. An unknown or malformed one is only logged.
func (c *Conn) notified(line []byte, m message) {
	method := text(m.Method)
	c.log.add(Entry{Dir: DirRecv, Method: method}, line)
	var err error
	switch method {
	case "session/update":
		var n *SessionNotification
		if n, err = paramsOf[SessionNotification](&m); err != nil {
			n, err = c.unreadable(m.Params, err)
		}
		if err == nil {
			err = c.incoming(n)
		}
		if err == nil {
			c.client.SessionUpdate(n)
		}
	case "elicitation/complete":
		var n *CompleteElicitationNotification
		if n, err = paramsOf[CompleteElicitationNotification](&m); err == nil {
			c.client.CompleteElicitation(n)
		}
	case "$/cancel_request":
		var n *CancelRequestNotification
		if n, err = paramsOf[CancelRequestNotification](&m); err == nil {
			c.cancelOpen(n.RequestID)
		}
	default:
		if c.opts.Notification != nil {
			c.opts.Notification(method, m.Params.Clone())
		}
	}

	if err != nil {
		c.log.Info(fmt.Sprintf("ignored %s: %v", method, err))
	}
}

// unreadable returns a notification whose update cannot be read because of err, for the client to say so. It returns err if that
// does not name a session.
func (c *Conn) unreadable(params Raw, err error) (*SessionNotification, error) {
	var head struct {
		SessionID string `json:"sessionId" acp:"required"`
		Update    Raw    `json:"update"`
	}
	if decodeParams(params, &head) != nil {
		return nil, err
	}

	c.log.Info(fmt.Sprintf("cannot read session/update: %v", err))
	var kind struct {
		Kind string `json:"sessionUpdate" acp:"lax"`
	}
	_ = Unmarshal(head.Update, &kind) // then it has no kind
	u := &UnknownUpdate{Kind: kind.Kind, Raw: head.Update, Why: err.Error()}
	return &SessionNotification{SessionID: head.SessionID, Update: u}, nil
}

// cancelOpen cancels the context of an open request of the agent. The answer still comes from its [Answer].
func (c *Conn) cancelOpen(id Raw) {
	key, ok := idKey(id)
	if !ok || key == "" {
		return
	}
	c.mu.Lock()
	cancel := c.open[key]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// answered handles the answer to one of our requests. An answer to no pending request is only logged.
func (c *Conn) answered(line []byte, m message) {
	var waiting *call
	if id, ok := ownID(m.ID); ok {
		c.mu.Lock()
		waiting = c.pending[id]
		delete(c.pending, id)
		c.mu.Unlock()
	}
	if waiting == nil {
		c.log.add(Entry{Dir: DirRecv, Method: "ignored", ID: string(m.ID)}, line)
		return
	}

	c.log.add(Entry{Dir: DirRecv, Method: waiting.method, ID: string(m.ID), Took: time.Since(waiting.start)}, line)
	result, err := outcome(m)
	if err != nil {
		result = nil
	}
	if fault := caught.Do("acp.(*Conn).answered", func() { waiting.done(result, err) }); fault != nil {
		caught.Report(fault)
		caught.Run("acp.(*Conn).failed", func() { waiting.done(nil, internalError(fault)) })
	}
}

// outcome returns the result or the error of an answer; a null beside the other is tolerated.
func outcome(m message) (Raw, error) {
	failed := m.Error != nil && !isNull(m.Error)
	switch {
	case failed && m.Result != nil && !isNull(m.Result):
		return nil, errors.New("bad answer: both result and error")
	case failed:
		return nil, answered(m.Error)
	case m.Result == nil:
		return nil, errors.New("bad answer: neither result nor error")
	}
	return m.Result, nil
}

// text returns the value of a JSON string, or another value as it is written.
func text(raw Raw) string {
	if raw.Kind() != '"' {
		return string(raw)
	}
	return unquote(raw)
}
