package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// serve reads until the client leaves.
func (a *agent) serve(in *bufio.Reader) error {
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			a.take(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take deals with one line.
func (a *agent) take(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		e := failure(codeParse, "Parse error")
		if json.Valid(line) {
			e = failure(codeInvalid, "Invalid request")
		}
		a.peer.reply(json.RawMessage("null"), nil, e)
		return
	}
	switch {
	case m.Method == "" && m.ID != nil && (m.Result != nil || m.Error != nil):
		a.peer.resolve(m)
	case m.Method == "":
		a.peer.reply(json.RawMessage("null"), nil, failure(codeInvalid, "Invalid request"))
	case m.ID == nil:
		a.notified(m)
	case !a.ready && m.Method != "initialize":
		a.peer.reply(m.ID, nil, failure(codeInvalid, "the first request must be initialize"))
	case m.Method == "session/prompt":
		if err := a.prompt(m); err != nil {
			a.peer.reply(m.ID, nil, err)
		}
	default:
		a.requested(m)
	}
}

// notified takes a notification; those it does not know are ignored.
func (a *agent) notified(m message) {
	if m.Method != "session/cancel" {
		return
	}
	var params struct {
		SessionID string `json:"sessionId"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	if s, err := a.session(params.SessionID); err == nil {
		s.cancelTurn()
	}
}

// methods answer a request at once. What must come after the answer is returned beside it.
var methods = map[string]func(*agent, json.RawMessage) (result any, after func(), err error){
	"initialize":                (*agent).initialize,
	"session/new":               (*agent).newSession,
	"session/load":              (*agent).loadSession,
	"session/resume":            (*agent).resumeSession,
	"session/list":              (*agent).listSessions,
	"session/close":             (*agent).closeSession,
	"session/delete":            (*agent).deleteSession,
	"session/set_mode":          (*agent).setMode,
	"session/set_config_option": (*agent).setOption,
}

// requested answers a request.
func (a *agent) requested(m message) {
	method, ok := methods[m.Method]
	if !ok {
		a.peer.reply(m.ID, nil, &callError{
			Code: codeUnknownMethod, Message: "Method not found", Data: object{"method": m.Method},
		})
		return
	}
	result, after, err := method(a, m.Params)
	a.peer.reply(m.ID, result, err)
	if err == nil && after != nil {
		after()
	}
}

func (a *agent) initialize(params json.RawMessage) (any, func(), error) {
	var request struct {
		ProtocolVersion    *int               `json:"protocolVersion"`
		ClientCapabilities clientCapabilities `json:"clientCapabilities"`
	}
	if err := decode(params, &request); err != nil {
		return nil, nil, err
	}
	if request.ProtocolVersion == nil {
		return nil, nil, failure(codeParams, "Invalid params: protocolVersion is missing")
	}
	if a.ready {
		return nil, nil, failure(codeInvalid, "already initialized")
	}

	a.client, a.ready = request.ClientCapabilities, true
	sessions := object{"close": object{}, "resume": object{}}
	if a.store.keeps() {
		sessions["list"], sessions["delete"] = object{}, object{}
	}

	return object{
		"protocolVersion": 1,
		"agentInfo":       object{"name": "nvim-acp-demo", "title": "Demo agent", "version": a.opts.Version},
		"agentCapabilities": object{
			"loadSession":         a.store.keeps(),
			"promptCapabilities":  object{"embeddedContext": true},
			"sessionCapabilities": sessions,
		},
		"authMethods": []any{},
	}, nil, nil
}

// prompt starts a turn, or says why not. The turn ends by itself, by session/cancel, or with the client.
func (a *agent) prompt(m message) error {
	var params struct {
		SessionID string            `json:"sessionId"`
		Prompt    []json.RawMessage `json:"prompt"`
	}
	if err := decode(m.Params, &params); err != nil {
		return err
	}

	s, err := a.session(params.SessionID)
	if err != nil {
		return err
	}

	request, err := parseRequest(s.cwd, params.Prompt)
	if err != nil {
		return err
	}

	ctx := s.beginTurn(a.ctx)
	if ctx == nil {
		return failure(codeInvalid, "a turn of this session is running")
	}

	a.turns.Go(func() {
		t := &turn{agent: a, session: s, ctx: ctx, request: request}
		stop, err := t.run()
		s.endTurn()
		if saved := a.saveOpen(s); err == nil {
			err = saved
		}
		a.peer.reply(m.ID, object{"stopReason": stop}, err)
	})
	return nil
}
