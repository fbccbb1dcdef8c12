package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// actor is the player's agent. It lives in the test: each connection is one incarnation of its process, and its sessions
// survive them.
type actor struct {
	socket string
	in     net.Listener
	dir    string
	seed   uint64

	mu       sync.Mutex // guards all below
	rand     *rand.Rand // of what is no turn's
	n        int        // of sessions, calls and words
	sessions map[string]*role
	conns    map[*stage]bool
	next     string        // how the next prompt ends: "" plays a turn, else error, login, crash or hang
	load     string        // how the next load goes: "", late or error
	login    bool          // nobody has logged in since the last prompt that was refused
	free     chan struct{} // closed when turns may end
	playing  int           // turns
	tools    int           // calls of our tools that are not answered
	granted  int           // permissions
	heard    []*heard
	reached  []string // acts of the agent, for a failure's report
}

// role is a session of the actor's.
type role struct {
	id, mode, speed string
	said            []wireMessage // its history, as updates
	server          toolServer    // ours, as it was last given
	used            []int         // tokens of its context, as it has said: the last one that is known to have come, and those behind it
	rand            *rand.Rand    // of its turn
	stop            chan struct{} // closed by session/cancel, nil while no turn runs
}

// heard is a prompt that has come.
type heard struct {
	session, mode, text string
	blocks              []string
	refused             bool
	by                  *stage
	ended               bool // the prompt was answered, with no error
}

// stage is a connection: an incarnation of the agent's process.
type stage struct {
	*actor
	conn    net.Conn
	gone    chan struct{}
	write   sync.Mutex               // guards what is written to conn
	answers map[int]chan wireMessage // guarded by the actor's mu
}

func newActor(t *testing.T, dir string, seed uint64) *actor {
	t.Helper()
	a := &actor{
		socket: filepath.Join(runDir(t), "s"), dir: dir, seed: seed, rand: rand.New(rand.NewPCG(seed, 1)),
		sessions: map[string]*role{}, conns: map[*stage]bool{}, free: make(chan struct{}),
	}
	var err error
	if a.in, err = net.Listen("unix", a.socket); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.in.Close(); a.crash() })
	go func() { // until the listener is closed
		for {
			conn, err := a.in.Accept()
			if err != nil {
				return
			}
			s := &stage{actor: a, conn: conn, gone: make(chan struct{}), answers: map[int]chan wireMessage{}}
			a.do(func() { a.conns[s] = true })
			go s.serve()
		}
	}()
	return a
}

// do runs what needs the lock.
func (a *actor) do(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

// intn chooses, for a turn of that session; nil for what is no turn's.
func (a *actor) intn(r *role, n int) (i int) {
	a.do(func() {
		if r == nil {
			i = a.rand.IntN(n)
		} else {
			i = r.rand.IntN(n)
		}
	})
	return i
}

func (a *actor) count() (n int) {
	a.do(func() { a.n++; n = a.n })
	return n
}

func (a *actor) note(format string, args ...any) {
	a.do(func() {
		a.reached = append(a.reached, time.Now().Format(clock)+"agent: "+fmt.Sprintf(format, args...))
	})
}

// release lets all turns end that wait for it.
func (a *actor) release() {
	a.do(func() { close(a.free); a.free = make(chan struct{}) })
}

// crash ends all incarnations.
func (a *actor) crash() {
	a.do(func() {
		for s := range a.conns {
			_ = s.conn.Close()
		}
	})
}

// alive returns how many incarnations there are.
func (a *actor) alive() (n int) {
	a.do(func() { n = len(a.conns) })
	return n
}

func (s *stage) serve() {
	defer func() {
		_ = s.conn.Close()
		close(s.gone)
		s.do(func() { delete(s.conns, s) })
	}()
	r := bufio.NewReader(s.conn)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			wireMessage
			Params params `json:"params"`
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch {
		case m.Method == "":
			s.answered(m.wireMessage)
		case m.Method == "session/prompt":
			s.prompt(m.ID, m.Params)
		case m.Method == "session/cancel":
			s.do(func() {
				if r := s.sessions[m.Params.SessionID]; r != nil && r.stop != nil {
					close(r.stop)
					r.stop = nil
				}
			})
		case m.ID != nil:
			s.request(m.ID, m.Method, m.Params)
		}
	}
}

// params are those of all requests to the agent.
type params struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
	ConfigID  string `json:"configId"`
	Value     string `json:"value"`
	Prompt    []struct {
		Text string `json:"text"`
	} `json:"prompt"`
	Servers []toolServer `json:"mcpServers"`
}

func (p params) blocks() (list []string) {
	for _, b := range p.Prompt {
		list = append(list, strings.TrimSpace(b.Text))
	}
	return list
}

func (s *stage) answered(m wireMessage) {
	var id int
	_ = json.Unmarshal(m.ID, &id)
	s.do(func() {
		if answer := s.answers[id]; answer != nil {
			answer <- m
		}
		delete(s.answers, id)
	})
}

func (s *stage) send(m wireMessage) {
	line := m.line()
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = s.conn.Write(line) // it may be gone
}

func (s *stage) result(id json.RawMessage, result any) {
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	s.send(wireMessage{ID: id, Result: raw})
}

func (s *stage) fail(id json.RawMessage, code int, message string) {
	s.send(wireMessage{ID: id, Error: json.RawMessage(fmt.Sprintf(`{"code": %d, "message": %q}`, code, message))})
}

type object = map[string]any

// request answers all but prompts.
func (s *stage) request(id json.RawMessage, method string, p params) {
	var r *role
	s.do(func() {
		if r = s.sessions[p.SessionID]; r != nil && len(p.Servers) > 0 {
			r.server = p.Servers[0]
		}
	})
	switch method {
	case "initialize":
		can := object{"list": object{}, "close": object{}, "fork": object{}}
		if s.intn(nil, 2) == 0 {
			can["resume"] = object{}
		}
		s.result(id, object{
			"protocolVersion":   1,
			"agentCapabilities": object{"loadSession": true, "sessionCapabilities": can},
			"authMethods":       []object{{"id": "browser", "name": "Browser"}},
			"_meta":             object{"steering": object{"supported": true}},
		})
	case "authenticate":
		s.do(func() { s.login = false })
		s.result(id, object{})
	case "session/new":
		r = &role{id: fmt.Sprint("s", s.count()), mode: "ask", speed: "slow"}
		if len(p.Servers) > 0 {
			r.server = p.Servers[0]
		}
		s.do(func() { s.sessions[r.id] = r })
		s.result(id, s.about(r))
	case "session/list":
		list := []object{}
		s.do(func() {
			for _, r := range s.sessions {
				list = append(list, object{"sessionId": r.id, "cwd": s.dir})
			}
		})
		s.result(id, object{"sessions": list})
	case "session/set_mode", "session/set_config_option", "session/load", "session/resume", "session/close", "session/fork", "_session/steering":
		if r == nil {
			s.fail(id, -32602, "no such session")
			return
		}
		s.of(id, method, r, p)
	default:
		s.fail(id, -32601, "no "+method)
	}
}

// of answers a request about a session.
func (s *stage) of(id json.RawMessage, method string, r *role, p params) {
	s.note("%s %s %s%s%s", method, r.id, p.ModeID, p.ConfigID, p.Value)
	switch method {
	case "session/set_mode":
		s.do(func() { r.mode = p.ModeID })
		s.result(id, object{})
	case "session/set_config_option":
		s.do(func() {
			if p.ConfigID == "mode" {
				r.mode = p.Value
			} else {
				r.speed = p.Value
			}
		})
		s.result(id, object{"configOptions": s.about(r)["configOptions"]})
	case "session/close":
		s.result(id, object{})
	case "session/fork":
		copied := &role{id: fmt.Sprint("s", s.count()), mode: "ask", speed: "slow"}
		s.do(func() {
			copied.server, copied.used = r.server, slices.Clone(r.used)
			for _, m := range r.said {
				m.Params = object{"sessionId": copied.id, "update": m.Params.(object)["update"]}
				copied.said = append(copied.said, m)
			}
			s.sessions[copied.id] = copied
		})
		s.result(id, s.about(copied))
	case "_session/steering":
		s.steered(id, r, p)
	case "session/resume":
		s.result(id, s.back(r))
	case "session/load":
		var how string
		var said []wireMessage
		s.do(func() { how, s.load, said = s.load, "", append(said, r.said...) })
		if how == "error" {
			s.fail(id, -32603, "the session cannot be read")
			return
		}
		about := s.back(r)
		if how == "late" {
			s.result(id, about)
		}
		for _, m := range said {
			s.send(m)
		}
		if how != "late" {
			s.result(id, about)
		}
	}
}

// back is the answer about a session that an incarnation takes up again: like most agents it has forgotten the mode and the options.
func (s *stage) back(r *role) object {
	s.do(func() { r.mode, r.speed = "ask", "slow" })
	return s.about(r)
}

// about is the answer to session/new and the like.
func (s *stage) about(r *role) (about object) {
	named := func(key string, ids ...string) (list []object) {
		for _, id := range ids {
			list = append(list, object{key: id, "name": strings.ToUpper(id[:1]) + id[1:]})
		}
		return list
	}
	s.do(func() {
		about = object{
			"sessionId": r.id,
			"modes":     object{"currentModeId": r.mode, "availableModes": named("id", modes...)},
			"configOptions": []object{
				{"type": "select", "id": "mode", "name": "Mode", "category": "mode", "currentValue": r.mode, "options": named("value", modes...)},
				{"type": "select", "id": "speed", "name": "Speed", "currentValue": r.speed, "options": named("value", speeds...)},
			},
		}
	})
	return about
}

var (
	modes  = []string{"ask", "plan", "code"}
	speeds = []string{"slow", "fast"}
)

// call asks the client for something and waits for the answer, until the incarnation ends.
func (s *stage) call(method string, params any) (json.RawMessage, error) {
	n := s.count()
	answer := make(chan wireMessage, 1)
	s.do(func() { s.answers[n] = answer })
	s.send(wireMessage{ID: json.RawMessage(fmt.Sprint(n)), Method: method, Params: params})
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	case <-s.gone:
		return nil, fmt.Errorf("%s: %w", method, os.ErrClosed)
	}
}

// update sends one, which a load sends again.
func (s *stage) update(r *role, kind string, more object) {
	more["sessionUpdate"] = kind
	m := wireMessage{Method: "session/update", Params: object{"sessionId": r.id, "update": more}}
	s.do(func() { r.said = append(r.said, m) })
	s.send(m)
}
