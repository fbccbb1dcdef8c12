package host

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"github.com/neovim/go-client/msgpack"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// register lets a Neovim say the verbs. All are notifications, handled on one goroutine of go-client, so none may wait.
func (h *Host) register(g *attach.Guest) error {
	var once sync.Once
	verbs := map[string]any{
		"hello":      func(s settings.Settings) { once.Do(func() { h.hello(s) }) },
		"open":       h.open,
		"prompt":     onSession(h, (*Session).prompt),
		"stop_child": onSession(h, (*Session).stopChild),
		"cancel": onSession(h, func(s *Session, _ sessionArgs) {
			h.checks.Stopped(featured{s})
			s.cancel()
		}),
		"queue":      onSession(h, (*Session).requeue),
		"requeue":    onSession(h, func(s *Session, a requeueArgs) { s.do(func(st *session.State) { st.Reorder(a.Shown, a.Want) }) }),
		"permit":     onSession(h, func(s *Session, a permitArgs) { s.permit(a) }),
		"permit_now": h.permitNow, // a request, answered at once
		"fill":       onSession(h, (*Session).fill),
		"inspect":    onSession(h, (*Session).inspect),
		"set":        onSession(h, (*Session).set),
		"warm":       func(a warmArgs) { h.agents.Get(a.Agent, a.Cwd) },
		"rest":       func(a restArgs) { h.agents.Rest(a.Agent) },
		"close":      onSession(h, func(s *Session, _ sessionArgs) { s.close() }),
		"restart": onSession(h, func(s *Session, a restartArgs) {
			s.spawn(func() { s.restart(a.Agent) }) // ends when the agent has stopped
		}),
		"redraw": onSession(h, func(s *Session, _ sessionArgs) { s.do(func(st *session.State) { st.Screen().Redraw() }) }),
		"width":  onSession(h, (*Session).setWidth),
		"look":   h.lookAt,
		"safe":   func(sessionArgs) { h.files.SafeMode() },
		"loaded": func(r files.Report) {
			if r.Missing {
				h.files.Loaded(r)
				return
			}
			h.review.Reported(r) // before a look at the buffer goes on, which waits for what Loaded notes
			h.files.Loaded(r)
			h.history.Loaded(r)
			h.review.Look(r.Path)
		},
		"unwritten": func(r files.Report) { h.files.SaveFailed(r.Path) },
	}
	maps.Copy(verbs, h.life.Verbs(g))
	for _, f := range h.features {
		maps.Copy(verbs, f.Verbs())
	}

	for name, fn := range verbs {
		if err := g.RegisterHandler(name, h.tolerant(g, name, fn)); err != nil {
			return fmt.Errorf("verb %s: %w", name, err)
		}
	}

	return nil
}

// tolerant makes a notification that takes anything, and says what it cannot read: go-client would end the connection, and
// with it every session.
func (h *Host) tolerant(g *attach.Guest, name string, fn any) any {
	verb := reflect.ValueOf(fn)
	if verb.Type().NumOut() > 0 {
		return guardedRequest(name, verb)
	}

	return func(given any) {
		if name != "attach" && !h.life.Accepts(g) {
			return // another Neovim has the host by now
		}

		var text bytes.Buffer
		args := reflect.New(verb.Type().In(0))
		err := msgpack.NewEncoder(&text).Encode(given)
		if err == nil {
			err = msgpack.NewDecoder(&text).Decode(args.Interface())
		}
		if err != nil {
			h.say("error", fmt.Sprintf("%s: what the plugin said cannot be read: %v", name, err))
			h.giveBackUnread(name, given)
			return
		}
		if fault := caught.Do("host.verb."+name, func() { verb.Call([]reflect.Value{args.Elem()}) }); fault != nil {
			h.verbFailed(args.Elem().Interface(), fault)
		}
	}
}

// giveBackUnread gives a prompt back of which what it names cannot be read.
func (h *Host) giveBackUnread(verb string, given any) {
	fields, ok := given.(map[string]any)
	if verb != "prompt" || !ok {
		return
	}

	var text bytes.Buffer
	var a promptArgs
	delete(fields, "context")
	if msgpack.NewEncoder(&text).Encode(fields) != nil || msgpack.NewDecoder(&text).Decode(&a) != nil {
		return
	}
	if s := h.session(a.Session); s != nil {
		s.giveBack([]session.Prompt{{ID: a.ID, Text: a.Text}})
		s.do(func(st *session.State) { st.Screen().Saw(a.N) })
	}
}

// verbFailed fails the session of a verb in which the program has failed. A prompt comes back.
func (h *Host) verbFailed(args any, fault *caught.Error) {
	var s *Session
	var t feature.Target
	if about, ok := args.(interface{ About() feature.Target }); ok {
		t = about.About()
		s = h.session(t.Session)
	}
	if a, ok := args.(openArgs); ok && s == nil {
		_ = caught.Do("host.(*Host).verbFailed", func() { s = h.add(a) })
	}
	if s == nil {
		h.fault(fault)
		return
	}

	s.crashed(fault)
	_ = caught.Do("host.(*Host).verbFailed", func() {
		if a, ok := args.(promptArgs); ok {
			s.giveBack([]session.Prompt{{ID: a.ID, Text: a.Text, Context: a.Context}})
		}
		s.do(func(st *session.State) { st.Screen().Saw(t.N) })
	})
}

// guardedRequest makes a request of which a panic is an error for the caller.
func guardedRequest(name string, verb reflect.Value) any {
	return reflect.MakeFunc(verb.Type(), func(args []reflect.Value) (results []reflect.Value) {
		fault := caught.Do("host.verb."+name, func() { results = verb.Call(args) })
		if fault == nil {
			return results
		}
		caught.Report(fault)
		var err error = fault
		return []reflect.Value{reflect.Zero(verb.Type().Out(0)), reflect.ValueOf(&err).Elem()}
	}).Interface()
}

// permitNow is permit for one who wants to know whether the answer counts.
func (h *Host) permitNow(a permitArgs) (counts bool, err error) {
	s := h.session(a.Session)
	return s != nil && s.permit(a), nil
}

// onSession makes a verb of a session.
func onSession[A interface{ About() feature.Target }](h *Host, do func(*Session, A)) func(A) {
	return feature.OnSession(port{h}, func(s feature.Session, a A) { do(of(s), a) })
}

func (h *Host) hello(s settings.Settings) {
	h.given.Store(&s)
	caught.Go(h.life.SayWhetherStays) // ends when the disk and Neovim have answered
	h.budget.Start()
	h.setLogging(&s)
	caught.Go(h.files.WarnOfCutSaves) // ends when it has looked
	caught.Go(h.records.Sweep)        // ends when it has removed what is left over
	if idle := s.Idle(); idle > 0 {
		caught.Go(func() { h.agents.EndIdle(idle) }) // until close
	}
	if s.Interface != Interface {
		const text = "run :AcpBuild, then restart Neovim: the program (interface %d) does not match the plugin (%d)"
		h.say("error", fmt.Sprintf(text, Interface, s.Interface))
	}
}

func (h *Host) setLogging(s *settings.Settings) {
	h.agents.SetLogging(agents.Logging{Messages: int(s.Log.Messages), Debug: s.Log.Level == "debug", Path: s.Log.Path})
}

// lookAt has the disk looked at: for a file, or where none is named for a save that waits.
func (h *Host) lookAt(a pathArgs) {
	if a.Path == "" {
		h.files.SaveWaits()
		return
	}
	h.files.Suspect(a.Path)
}

// add begins a session that nobody has connected.
func (h *Host) add(a openArgs) *Session {
	s := newSession(h, a)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[a.Session] = s
	return s
}

func (h *Host) open(a openArgs) {
	s := h.session(a.Session)
	fresh := s == nil
	if fresh {
		s = h.add(a)
	}

	h.life.Saw(a.N)
	s.do(func(st *session.State) { st.Screen().Saw(a.N) })
	h.files.Poke()
	if !ask(s, func(st *session.State) bool { return st.Link().Claim() }) {
		return
	}

	s.spawn(func() { // ends when the session is ready or has failed
		switch {
		case fresh && a.Cut != "":
			if err := s.inheritUntil(a.From, a.Fork, a.Cut); err != nil {
				s.failed(nil, err)
				return
			}
		case fresh && a.Fork != "":
			s.kept.Inherit(a.From, a.Title)
			files.Inherit(h.files, featured{s}, a.From)
		}
		s.connect()
	})
}
