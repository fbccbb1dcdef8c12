package acp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

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
	m, err := parseMessage(line)
	switch {
	case err == nil:
		c.dispatchMessage(ctx, line, m)
	case line[0] == '[' && Raw(line).IsValid(decodeOptions):
		c.ignore(line)
		c.refuse(Raw("null"), Errorf(CodeInvalidRequest, "Invalid request: batches are not supported"))
	default:
		for part, m := range split(line) {
			if m != nil {
				c.dispatchMessage(ctx, part, *m)
			} else if !unseen().Match(part) {
				c.ignore(bytes.TrimSpace(part))
			}
		}
	}
}

func (c *Conn) dispatchMessage(ctx context.Context, line []byte, m message) {
	switch {
	case m.Method != nil && m.ID != nil:
		c.request(ctx, line, m)
	case m.Method != nil:
		c.notified(line, m)
	case m.ID != nil:
		c.answered(line, m)
	default:
		c.ignore(line)
	}
}

// ignore logs what is no message.
func (c *Conn) ignore(text []byte) {
	c.log.add(Entry{Dir: DirInfo, Method: "ignored"}, text)
	if c.opts.Garbled != nil && garbled(text) {
		c.opts.Garbled(text)
	}
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
