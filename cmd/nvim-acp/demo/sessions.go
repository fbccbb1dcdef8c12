package demo

import (
	"encoding/json"
	"time"
)

// pageSize is how many sessions one answer to session/list holds.
const pageSize = 50

// open makes a session that the client can use, and returns what tells it of the commands.
func (a *agent) open(k kept) (*session, func()) {
	s := &session{id: k.ID, cwd: k.CWD, peer: a.peer, kept: k, boolean: a.client.Session.ConfigOptions.Boolean != nil}
	a.mu.Lock()
	defer a.mu.Unlock()
	if before, ok := a.sessions[k.ID]; ok {
		before.cancelTurn()
	}
	a.sessions[k.ID] = s
	return s, func() {
		s.tell(object{"sessionUpdate": "available_commands_update", "availableCommands": commandList()})
		if a.opts.Tour {
			s.suggest(tour[0].next)
		}
	}
}

func (a *agent) newSession(params json.RawMessage) (any, func(), error) {
	var request struct {
		CWD        string          `json:"cwd"`
		MCPServers json.RawMessage `json:"mcpServers"`
	}
	if err := decode(params, &request); err != nil {
		return nil, nil, err
	}
	if err := absolute(request.CWD); err != nil {
		return nil, nil, err
	}
	if request.MCPServers == nil {
		return nil, nil, failure(codeParams, "Invalid params: mcpServers is missing")
	}

	s, after := a.open(fresh(request.CWD))
	result := s.opened()
	result["sessionId"] = s.id
	return result, after, nil
}

// reopen finds a session of before, in this process or kept.
func (a *agent) reopen(params json.RawMessage) (*session, func(), error) {
	var request struct {
		SessionID string `json:"sessionId"`
		CWD       string `json:"cwd"`
	}
	if err := decode(params, &request); err != nil {
		return nil, nil, err
	}
	if err := absolute(request.CWD); err != nil {
		return nil, nil, err
	}

	var k kept
	if s, err := a.session(request.SessionID); err == nil {
		k = s.whole()
	} else if k, err = a.store.load(request.SessionID); err != nil {
		return nil, nil, err
	}

	k.CWD = request.CWD
	s, after := a.open(k)
	return s, after, nil
}

// loadSession replays the conversation before it answers.
func (a *agent) loadSession(params json.RawMessage) (any, func(), error) {
	s, after, err := a.reopen(params)
	if err != nil {
		return nil, nil, err
	}
	for _, update := range s.whole().Updates {
		s.tell(update)
	}
	return s.opened(), after, nil
}

func (a *agent) resumeSession(params json.RawMessage) (any, func(), error) {
	s, after, err := a.reopen(params)
	if err != nil {
		return nil, nil, err
	}
	return s.opened(), after, nil
}

// listSessions answers a page of the kept sessions; the cursor is the id of the last session before the page.
func (a *agent) listSessions(params json.RawMessage) (any, func(), error) {
	var request struct {
		CWD    string `json:"cwd"`
		Cursor string `json:"cursor"`
	}
	if err := decode(params, &request); err != nil {
		return nil, nil, err
	}

	all, err := a.store.list(request.CWD)
	if err != nil {
		return nil, nil, err
	}

	from := 0
	if request.Cursor != "" {
		for from < len(all) && all[from].ID != request.Cursor {
			from++
		}
		if from++; from > len(all) {
			return nil, nil, failure(codeParams, "Invalid params: unknown cursor")
		}
	}

	to := min(from+pageSize, len(all))
	page := []object{}
	for _, k := range all[from:to] {
		page = append(page, object{
			"sessionId": k.ID, "cwd": k.CWD, "title": k.Title, "updatedAt": k.Updated.Format(time.RFC3339),
		})
	}

	result := object{"sessions": page}
	if to < len(all) {
		result["nextCursor"] = all[to-1].ID
	}

	return result, nil, nil
}

// forget closes a session of the process.
func (a *agent) forget(params json.RawMessage) (id string, err error) {
	var request struct {
		SessionID string `json:"sessionId"`
	}
	if err := decode(params, &request); err != nil {
		return "", err
	}

	s, err := a.session(request.SessionID)
	if err != nil {
		return request.SessionID, err
	}

	s.cancelTurn()
	a.mu.Lock()
	defer a.mu.Unlock()

	delete(a.sessions, s.id)
	return s.id, nil
}

func (a *agent) closeSession(params json.RawMessage) (any, func(), error) {
	_, err := a.forget(params)
	return object{}, nil, err
}

// deleteSession succeeds for a session that does not exist, too.
func (a *agent) deleteSession(params json.RawMessage) (any, func(), error) {
	id, err := a.forget(params)
	if id == "" && err != nil {
		return nil, nil, err
	}
	return object{}, nil, a.store.remove(id)
}
