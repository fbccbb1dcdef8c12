package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// object is a JSON object that is sent.
type object = map[string]any

// A message is one line of JSON-RPC, of any kind.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *callError      `json:"error,omitempty"`
}

// A callError is a JSON-RPC error, ours or the client's.
type callError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *callError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// The codes of JSON-RPC and ACP that the agent answers with.
const (
	codeParse         = -32700
	codeInvalid       = -32600
	codeUnknownMethod = -32601
	codeParams        = -32602
	codeInternal      = -32603
	codeNotFound      = -32002
)

// failure makes an error to answer with.
func failure(code int, format string, args ...any) *callError {
	return &callError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// An answer is the client's to a request of ours.
type answer struct {
	result json.RawMessage
	err    error
}

// A peer writes lines and pairs our requests with their answers. It is safe for concurrent use.
type peer struct {
	writing sync.Mutex // guards out
	out     io.Writer

	mu      sync.Mutex // guards the rest
	lastID  int
	waiting map[int]chan answer
}

// send writes one line. A client that is gone shows as the end of the input, so what cannot be written is dropped.
func (p *peer) send(line object) {
	line["jsonrpc"] = "2.0"
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		panic(fmt.Sprintf("demo: a message that is not JSON: %v", err)) // all of them are made here
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, _ = p.out.Write(b.Bytes())
}

// notify sends a notification.
func (p *peer) notify(method string, params any) {
	p.send(object{"method": method, "params": params})
}

// reply answers a request of the client with a result or an error.
func (p *peer) reply(id json.RawMessage, result any, err error) {
	if err == nil {
		p.send(object{"id": id, "result": result})
		return
	}
	var known *callError
	if !errors.As(err, &known) {
		known = failure(codeInternal, "%v", err)
	}
	p.send(object{"id": id, "error": known})
}

// call sends a request and waits for its answer or for ctx.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	answers := make(chan answer, 1)
	p.mu.Lock()
	p.lastID++
	id := p.lastID
	p.waiting[id] = answers
	p.mu.Unlock()

	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	p.send(object{"id": id, "method": method, "params": params})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case a := <-answers:
		if a.err != nil {
			return fmt.Errorf("%s: %w", method, a.err)
		}
		if result == nil || string(a.result) == "null" {
			return nil
		}
		if err := json.Unmarshal(a.result, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	}
}

// post sends a request whose answer does not matter.
func (p *peer) post(method string, params any) {
	p.mu.Lock()
	p.lastID++
	id := p.lastID
	p.mu.Unlock()
	p.send(object{"id": id, "method": method, "params": params})
}

// resolve hands an answer to the call that waits for it. One that nobody waits for any more is dropped.
func (p *peer) resolve(m message) {
	var id int
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	answers, ok := p.waiting[id]
	if !ok {
		return
	}

	delete(p.waiting, id)
	a := answer{result: m.Result}
	if m.Error != nil {
		a.err = m.Error
	}

	answers <- a
}
