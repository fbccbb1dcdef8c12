package host

import (
	"maps"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// configure asks for the mode, model and options that the configuration names, and for those that the user has chosen before
// the agent was ready. The requests are on the wire when it returns.
func (s handshake) configure() {
	spec := s.spec()
	want := maps.Clone(spec.Options)
	if want == nil {
		want = map[string]any{}
	}
	if spec.Mode != "" {
		want[acp.CategoryMode] = spec.Mode
	}
	if spec.Model != "" {
		want[acp.CategoryModel] = spec.Model
	}
	mode := ask(s.Session, func(st *session.State) string { return st.Options().ReadOnlyMode() })
	if mode != "" && ask(s.Session, hasPlace) { // it does not write the lines itself
		want[acp.CategoryMode] = mode
	}

	startChanges(s.Session, func(o *session.Options) ([]*session.Change, []error) { return o.Configure(want) })
}

// startChanges asks the agent for changes of options, and says why others cannot be.
func startChanges(s *Session, of func(*session.Options) ([]*session.Change, []error)) {
	var changes []*session.Change
	var problems []error
	s.do(func(st *session.State) { changes, problems = of(st.Options()) })
	for _, err := range problems {
		s.host.say("warn", err.Error())
	}

	for _, c := range changes {
		s.startChange(c.Connection, c)
	}
}

// set changes an option: shown at once, and taken back with an error if the agent refuses. It is sent before any prompt that
// is sent later, which waits until the agent has agreed to a mode; before the agent is ready it is kept, and sent then.
func (s *Session) set(a setArgs) {
	var c *session.Change
	var err error
	s.do(func(st *session.State) { c, err = st.Options().Set(a.Option, a.Value) })
	switch {
	case err != nil:
		s.host.say("warn", err.Error())
	case c != nil:
		s.startChange(c.Connection, c)
	}
}

// startChange asks the agent for the change of an option. The answer is handled in wire order.
func (s *Session) startChange(a *agents.Agent, c *session.Change) {
	done := func(err error) {
		if err != nil && a.Proc.Err() != nil {
			return // it has not refused: the value is that of the next agent
		}
		why := ""
		s.do(func(st *session.State) {
			why = st.Options().Changed(c, err)
			st.Next()
		})
		if why != "" {
			s.host.say("error", s.spec().Title+": "+why)
		}
	}

	s.wire.Lock()
	defer s.wire.Unlock()

	switch c.Dialect {
	case "mode":
		a.Proc.StartSetMode(&acp.SetSessionModeRequest{SessionID: c.Remote, ModeID: c.Option.CurrentValue},
			onAnswer(s, func(_ *acp.SetSessionModeResponse, err error) { done(err) }))
	case "model":
		a.Proc.StartSetModel(&acp.SetSessionModelRequest{SessionID: c.Remote, ModelID: c.Option.CurrentValue},
			onAnswer(s, func(_ *acp.SetSessionModelResponse, err error) { done(err) }))
	default:
		req := &acp.SetSessionConfigOptionRequest{SessionID: c.Remote, ConfigID: c.Option.ID, Value: c.Option.CurrentValue}
		if c.Option.Type == acp.ConfigBoolean {
			req.Bool = &c.Option.CurrentBool
		}
		a.Proc.StartSetConfigOption(req, onAnswer(s, func(r *acp.SetSessionConfigOptionResponse, err error) {
			if err == nil {
				s.do(func(st *session.State) { st.Options().Replace(r.ConfigOptions) })
			}
			done(err)
		}))
	}
}

// hasPlace reports whether a session is about lines of a buffer.
func hasPlace(st *session.State) bool { return st.Place().At() != nil }
