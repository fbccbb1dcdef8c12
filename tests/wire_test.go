package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// wire is the agent's end of a connection that a test holds in its own hand. The agent's process, wireAgent, only passes on
// what comes.
type wire struct {
	socket string
	in     net.Listener

	mu      sync.Mutex // guards all below
	out     io.Writer
	n       int
	answers map[int]chan wireMessage
	prompt  json.RawMessage // the id of the last prompt
}

type wireMessage struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params any             `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// wireAgent is the agent's process: it connects its own input and output with the socket that it is given.
func wireAgent() {
	conn, err := net.Dial("unix", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { // until the client closes its end
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.Close()
	}()
	_, _ = io.Copy(os.Stdout, conn)
}

// newWire waits for the agent's process, and answers it for the agent until a prompt comes.
func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{socket: filepath.Join(runDir(t), "s"), answers: map[int]chan wireMessage{}}
	var err error
	if w.in, err = net.Listen("unix", w.socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.in.Close() })
	go w.serve() // until the listener or the connection is closed
	return w
}

func (w *wire) serve() {
	conn, err := w.in.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	w.mu.Lock()
	w.out = conn
	w.mu.Unlock()
	r := bufio.NewReader(conn)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m wireMessage
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Method {
		case "initialize":
			w.send(wireMessage{ID: m.ID, Result: json.RawMessage(`{"protocolVersion":1}`)})
		case "session/new":
			w.send(wireMessage{ID: m.ID, Result: json.RawMessage(`{"sessionId":"s"}`)})
		case "session/prompt":
			w.mu.Lock()
			w.prompt = m.ID
			w.mu.Unlock()
		case "":
			var id int
			_ = json.Unmarshal(m.ID, &id)
			w.mu.Lock()
			answer := w.answers[id]
			delete(w.answers, id)
			w.mu.Unlock()
			if answer != nil {
				answer <- m
			}
		}
	}
}

// line returns a message as it is sent.
func (m wireMessage) line() []byte {
	line, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		wireMessage
	}{"2.0", m})
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}

func (w *wire) send(m wireMessage) {
	line := m.line()
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.out.Write(line)
}

// call asks the client for something and waits for its answer.
func (w *wire) call(method string, params any, result any) error {
	w.mu.Lock()
	w.n++
	n := w.n
	answer := make(chan wireMessage, 1)
	w.answers[n] = answer
	w.mu.Unlock()
	w.send(wireMessage{ID: json.RawMessage(fmt.Sprint(n)), Method: method, Params: params})
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-time.After(2 * patience):
		return fmt.Errorf("%s: no answer", method)
	}
}

// prompted reports whether a prompt has come.
func (w *wire) prompted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.prompt != nil
}

// end ends the turn.
func (w *wire) end() {
	w.mu.Lock()
	id := w.prompt
	w.prompt = nil
	w.mu.Unlock()
	w.send(wireMessage{ID: id, Result: json.RawMessage(`{"stopReason":"end_turn"}`)})
}
