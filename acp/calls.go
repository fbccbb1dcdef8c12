package acp

import (
	"context"
	"fmt"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// The blocking calls. If ctx ends before the answer, $/cancel_request is sent, ctx.Err() returned, and a late answer
// dropped. A result of null is read as {}.

// Initialize sends initialize. The caller checks the protocol version of the answer.
func (c *Conn) Initialize(ctx context.Context, req *InitializeRequest) (*InitializeResponse, error) {
	return ask[InitializeResponse](ctx, c, "initialize", req)
}

// Authenticate sends authenticate.
func (c *Conn) Authenticate(ctx context.Context, req *AuthenticateRequest) (*AuthenticateResponse, error) {
	return ask[AuthenticateResponse](ctx, c, "authenticate", req)
}

// Logout sends logout.
func (c *Conn) Logout(ctx context.Context, req *LogoutRequest) (*LogoutResponse, error) {
	return ask[LogoutResponse](ctx, c, "logout", req)
}

// NewSession sends session/new.
func (c *Conn) NewSession(ctx context.Context, req *NewSessionRequest) (*NewSessionResponse, error) {
	return ask[NewSessionResponse](ctx, c, "session/new", req)
}

// LoadSession sends session/load.
func (c *Conn) LoadSession(ctx context.Context, req *LoadSessionRequest) (*LoadSessionResponse, error) {
	return ask[LoadSessionResponse](ctx, c, "session/load", req)
}

// ResumeSession sends session/resume.
func (c *Conn) ResumeSession(ctx context.Context, req *ResumeSessionRequest) (*ResumeSessionResponse, error) {
	return ask[ResumeSessionResponse](ctx, c, "session/resume", req)
}

// ForkSession sends session/fork.
func (c *Conn) ForkSession(ctx context.Context, req *ForkSessionRequest) (*ForkSessionResponse, error) {
	return ask[ForkSessionResponse](ctx, c, "session/fork", req)
}

// ListSessions sends session/list.
func (c *Conn) ListSessions(ctx context.Context, req *ListSessionsRequest) (*ListSessionsResponse, error) {
	return ask[ListSessionsResponse](ctx, c, "session/list", req)
}

// DeleteSession sends session/delete. A session that the agent does not find is deleted.
func (c *Conn) DeleteSession(ctx context.Context, req *DeleteSessionRequest) (*DeleteSessionResponse, error) {
	res, err := ask[DeleteSessionResponse](ctx, c, "session/delete", req)
	if IsCode(err, CodeResourceNotFound) {
		return &DeleteSessionResponse{}, nil
	}
	return res, err
}

// CloseSession sends session/close. A session that the agent does not find is closed.
func (c *Conn) CloseSession(ctx context.Context, req *CloseSessionRequest) (*CloseSessionResponse, error) {
	res, err := ask[CloseSessionResponse](ctx, c, "session/close", req)
	if IsCode(err, CodeResourceNotFound) {
		return &CloseSessionResponse{}, nil
	}
	return res, err
}

// SetMode sends session/set_mode.
func (c *Conn) SetMode(ctx context.Context, req *SetSessionModeRequest) (*SetSessionModeResponse, error) {
	return ask[SetSessionModeResponse](ctx, c, "session/set_mode", req)
}

// SetModel sends session/set_model.
func (c *Conn) SetModel(ctx context.Context, req *SetSessionModelRequest) (*SetSessionModelResponse, error) {
	return ask[SetSessionModelResponse](ctx, c, "session/set_model", req)
}

// SetConfigOption sends session/set_config_option.
func (c *Conn) SetConfigOption(ctx context.Context, req *SetSessionConfigOptionRequest) (*SetSessionConfigOptionResponse, error) {
	return ask[SetSessionConfigOptionResponse](ctx, c, "session/set_config_option", req)
}

// Call sends a request of an extension and reads its result into result, which may be nil.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := c.roundTrip(ctx, method, params)
	if err != nil || result == nil {
		return err
	}
	if err := Unmarshal(raw, result); err != nil {
		return fmt.Errorf("%s: bad answer: %w", method, err)
	}
	return nil
}

// The calls in wire order. Each enqueues its request and returns. done is called exactly once: with the answer, on the read
// goroutine, before the next message is read; or with the error that the connection ended with. It must not block.

// Prompt sends session/prompt; done ends the turn.
func (c *Conn) Prompt(req *PromptRequest, done func(*PromptResponse, error)) {
	start(c, "session/prompt", req, done)
}

// StartNewSession sends session/new.
func (c *Conn) StartNewSession(req *NewSessionRequest, done func(*NewSessionResponse, error)) {
	start(c, "session/new", req, done)
}

// StartLoadSession sends session/load.
func (c *Conn) StartLoadSession(req *LoadSessionRequest, done func(*LoadSessionResponse, error)) {
	start(c, "session/load", req, done)
}

// StartResumeSession sends session/resume.
func (c *Conn) StartResumeSession(req *ResumeSessionRequest, done func(*ResumeSessionResponse, error)) {
	start(c, "session/resume", req, done)
}

// StartForkSession sends session/fork.
func (c *Conn) StartForkSession(req *ForkSessionRequest, done func(*ForkSessionResponse, error)) {
	start(c, "session/fork", req, done)
}

// StartSetMode sends session/set_mode.
func (c *Conn) StartSetMode(req *SetSessionModeRequest, done func(*SetSessionModeResponse, error)) {
	start(c, "session/set_mode", req, done)
}

// StartSetModel sends session/set_model.
func (c *Conn) StartSetModel(req *SetSessionModelRequest, done func(*SetSessionModelResponse, error)) {
	start(c, "session/set_model", req, done)
}

// StartSetConfigOption sends session/set_config_option.
func (c *Conn) StartSetConfigOption(req *SetSessionConfigOptionRequest, done func(*SetSessionConfigOptionResponse, error)) {
	start(c, "session/set_config_option", req, done)
}

// Cancel enqueues session/cancel.
func (c *Conn) Cancel(n *CancelNotification) { c.Notify("session/cancel", n) }

// Notify enqueues a notification. One that cannot be encoded is logged and dropped.
func (c *Conn) Notify(method string, params any) {
	value, shown, err := c.encode(params)
	if err != nil {
		c.log.Info(fmt.Sprintf("not sent: %s: %v", method, err))
		return
	}
	if shown != nil {
		shown = notificationMessage(method, shown)
	}
	c.send(notificationMessage(method, value), shown, Entry{Method: method})
}

func ask[R any](ctx context.Context, c *Conn, method string, params any) (*R, error) {
	raw, err := c.roundTrip(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return decodeResult[R](c, method, raw)
}

func start[R any](c *Conn, method string, params any, done func(*R, error)) {
	c.submit(method, params, func(raw Raw, err error) {
		if err != nil {
			done(nil, err)
			return
		}
		done(decodeResult[R](c, method, raw))
	})
}

func decodeResult[R any](c *Conn, method string, raw Raw) (*R, error) {
	if isNull(raw) {
		raw = Raw("{}")
	}
	result := new(R)
	if err := Unmarshal(raw, result); err != nil {
		return nil, fmt.Errorf("%s: bad answer: %w", method, err)
	}
	if err := c.incoming(result); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return result, nil
}

// roundTrip sends a request and waits for the answer or for the end of ctx.
func (c *Conn) roundTrip(ctx context.Context, method string, params any) (Raw, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	type answer struct {
		result Raw
		err    error
	}
	answers := make(chan answer, 1)
	id := c.submit(method, params, func(result Raw, err error) { answers <- answer{result.Clone(), err} })
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
	}

	if !c.abandon(id) {
		a := <-answers // it is on its way
		return a.result, a.err
	}

	return nil, ctx.Err()
}

// submit enqueues a request and returns its id, 0 if the request cannot be sent. done is called as the calls in wire order
// promise; if the id is 0, from a separate goroutine, since the caller may hold a lock.
func (c *Conn) submit(method string, params any, done func(Raw, error)) int64 {
	value, shown, err := c.encode(params)
	c.mu.Lock()
	defer c.mu.Unlock()

	if err == nil {
		err = c.err
	}
	if err != nil {
		caught.Go(func() { done(nil, err) }) // ends at once: done must not block
		return 0
	}

	c.nextID++
	id := c.nextID
	c.pending[id] = &call{method: method, start: time.Now(), done: done}
	if shown != nil {
		shown = requestMessage(id, method, shown)
	}

	c.send(requestMessage(id, method, value), shown, Entry{Method: method, ID: fmt.Sprint(id)})
	return id
}

// abandon gives up a request. It reports false if the answer came first.
func (c *Conn) abandon(id int64) bool {
	c.mu.Lock()
	_, waiting := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if waiting {
		c.Notify("$/cancel_request", &CancelRequestNotification{RequestID: fmt.Append(nil, id)})
	}
	return waiting
}
