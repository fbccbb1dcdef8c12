package demo

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"
)

// An agent serves one client. Requests are taken in their order by the goroutine that reads; only a prompt goes on in
// one of its own, so that a cancel always finds the turn it means.
type agent struct {
	ctx   context.Context // ends with the client; the base of every turn
	opts  Options
	peer  *peer
	store store
	turns sync.WaitGroup

	client clientCapabilities // set by initialize, before any turn starts
	ready  bool

	mu       sync.Mutex // guards sessions
	sessions map[string]*session
}

// clientCapabilities is what of the client's the agent makes use of.
type clientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
	Session  struct {
		ConfigOptions struct {
			Boolean *struct{} `json:"boolean"`
		} `json:"configOptions"`
	} `json:"session"`
}

// decode reads params, with the protocol's error.
func decode(params json.RawMessage, into any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		return failure(codeParams, "Invalid params: %v", err)
	}
	return nil
}

// session returns an open session.
func (a *agent) session(id string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, ok := a.sessions[id]; ok {
		return s, nil
	}
	return nil, &callError{Code: codeNotFound, Message: "Resource not found", Data: object{"sessionId": id}}
}

// absolute checks a working directory.
func absolute(cwd string) error {
	if !filepath.IsAbs(cwd) {
		return failure(codeParams, "Invalid params: cwd must be an absolute path")
	}
	return nil
}

// Options say how the agent behaves. The zero value streams without a pause and keeps no sessions.
type Options struct {
	Pace    time.Duration // the pause between two pieces of streamed text
	State   string        // the folder of the kept sessions; "" keeps none
	Version string        // told to the client
	Tour    bool          // the first turns show a newcomer around
}
