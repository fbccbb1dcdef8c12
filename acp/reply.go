package acp

import (
	"bytes"
	"context"
	"errors"
	"time"
)

// reply answers a request that was admitted. It is called once for each.
func (c *Conn) reply(key string, id Raw, method string, start time.Time, result any, err error) {
	part, value, shown := "result", []byte(nil), []byte(nil)
	if text, ok := result.(*ReadTextFileResponse); ok && err == nil && text != nil && len(text.Meta) == 0 {
		c.closeRequest(key, answerText(id, text), nil, Entry{Method: method, ID: string(id), Took: time.Since(start)})
		return
	}
	if err == nil {
		value, shown, err = c.encode(result)
	}
	if err != nil {
		part = "error"
		value, shown, _ = c.encode(asError(err)) // an Error can be encoded
	} else if bytes.Equal(value, []byte("null")) {
		value = []byte("{}")
	}
	if shown != nil {
		shown = answerMessage(id, part, shown)
	}

	c.closeRequest(key, answerMessage(id, part, value), shown, Entry{Method: method, ID: string(id), Took: time.Since(start)})
}

// closeRequest sends the answer to an open request.
func (c *Conn) closeRequest(key string, message, shown []byte, e Entry) {
	c.mu.Lock()
	delete(c.open, key)
	c.asked--
	c.mu.Unlock()
	c.send(message, shown, e)
}

// refuse answers a message that never became a request.
func (c *Conn) refuse(id Raw, e *Error) {
	value, _, _ := c.encode(e) // an Error can be encoded
	c.send(answerMessage(id, "error", value), nil, Entry{ID: string(id)})
}

// asError returns the error object for an error.
func asError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		if len(e.Data) > 0 && !e.Data.IsValid(decodeOptions) {
			return &Error{Code: e.Code, Message: e.Message}
		}
		return e
	case errors.Is(err, context.Canceled):
		return Errorf(CodeCancelled, "Request cancelled")
	}
	return Errorf(CodeInternal, "%s", err)
}

// encode encodes params or a result on one line, whatever raw values contain, and, if it has secrets, the form for the log.
func (c *Conn) encode(v any) (value, shown []byte, err error) {
	if c.opts.Outgoing != nil {
		if v, err = c.opts.Outgoing(v); err != nil {
			return nil, nil, err
		}
	}
	if value, err = Marshal(v); err != nil {
		return nil, nil, err
	}
	if s, ok := v.(secretive); ok && !bytes.Equal(value, []byte("null")) {
		if shown, err = Marshal(s.masked(c.log.Mask)); err != nil {
			return nil, nil, err
		}
	}

	return value, shown, nil
}

// send enqueues a message. The log shows shown in its place, if that is not nil. After the end nothing is sent or logged.
func (c *Conn) send(message, shown []byte, e Entry) {
	if c.out.ended() {
		return
	}
	if shown == nil {
		shown = message
	}
	e.Dir, e.Size = DirSend, len(message)-1
	c.log.add(e, bytes.TrimSuffix(shown, []byte("\n")))
	c.out.put(message)
}
