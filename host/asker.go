package host

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/policy"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/subagents"
	"github.com/nvim-acp/nvim-acp/host/terminals"
)

// asker is who asks for something: a session, or a child of it, whose requests are decided by the session's own rules.
type asker struct {
	featured
	child session.Child // the zero value: the session itself
}

// asker returns who has an id. The session is nil if nobody has.
func (c client) asker(id string) asker {
	found, isChild := c.agent.At(id)
	s, _ := found.(*Session)
	if s == nil || !isChild {
		return asker{featured: featured{s}}
	}

	a := asker{featured: featured{s}}
	s.do(func(st *session.State) {
		known := false
		if a.child, known = st.Family().Child(id); !known {
			a.Session = nil
		}
	})
	return a
}

// LocalID is for a child its own: its text of a file is what it merges with, not what the session knows.
func (a asker) LocalID() string {
	if a.child.ID == "" {
		return a.id
	}
	return a.id + childBase + a.child.ID
}

// childBase is between the id of a session and that of its child.
const childBase = "/child/"

// AllowRead returns an error if who asks must not read a file.
func (a asker) AllowRead(ctx context.Context, real string, r *acp.ReadTextFileRequest) error {
	return a.host.policy.Allow(ctx, a.featured, a.child, "read", real, r, func() *acp.Diff { return nil })
}

// AllowWrite returns an error if who asks must not write a file.
func (a asker) AllowWrite(ctx context.Context, real string, r *acp.WriteTextFileRequest, change func() *acp.Diff) error {
	return a.host.policy.Allow(ctx, a.featured, a.child, "write", real, r, change)
}

// requestPermission answers session/request_permission of a session or a child.
func (a asker) requestPermission(r *acp.RequestPermissionRequest) acp.Answer[*acp.RequestPermissionResponse] {
	if a.child.ID == "" {
		return a.Session.requestPermission(r, a.child, &r.ToolCall)
	}
	call := subagents.Own(a.child.ID, &r.ToolCall, a.ours).(*acp.ToolCallUpdate)
	return a.Session.requestPermission(r, a.child, call)
}

// createTerminal answers terminal/create. The command takes its id here, in wire order. A child's commands run in its folder.
func (a asker) createTerminal(r *acp.CreateTerminalRequest) acp.Answer[*acp.CreateTerminalResponse] {
	h, set := a.host, a.host.settings().Terminal
	agent, _ := a.connection()
	start := terminals.Start{
		Dir: a.cwd, Env: set.Env, OSC52: set.OSC52, Run: h.run, Place: agent.Place(),
		Watch:  func() terminals.Watcher { return h.watch() },
		Wanted: func() bool { return a.Serves(agent) },
	}
	if dir := ask(a.Session, func(st *session.State) string { return st.Family().Dir(a.child.ID) }); filepath.IsAbs(dir) {
		start.Dir = dir
	}
	if len(set.Size) == 2 {
		start.Cols, start.Rows = set.Size[0], set.Size[1]
	}

	create := h.terms.Create(a.Session, r, start)
	return func(ctx context.Context) (*acp.CreateTerminalResponse, error) {
		if why := h.policy.Denied(a.featured, policy.Command(r, start.Dir)); why != "" {
			return nil, acp.Errorf(acp.CodeInvalidParams, "%s: %s", plain.OneLine(r.Command), why)
		}
		return create(ctx)
	}
}

// ours reports whether a terminal is one of ours.
func (s *Session) ours(terminal string) bool { return s.host.terms.Find(terminal) != nil }

// UpdateChild applies an update of a child, on the read goroutine.
func (s *Session) UpdateChild(child string, u acp.SessionUpdate) {
	s.within("host.(*Session).UpdateChild", func() {
		u = subagents.Own(child, u, s.ours)
		s.do(func(st *session.State) { st.UpdateChild(child, u) })
		s.lookAtCall(u)
	})
}

// Misplaced says why something that the agent has sent is not applied.
func (s *Session) Misplaced(why string) {
	s.do(func(st *session.State) { st.Screen().Say(why, "AcpWarning") })
}

// sayStrays says that updates came of sessions that nobody has announced.
func (s *Session) sayStrays(a *agents.Agent) {
	if n := a.Strays(); n > 0 {
		s.Misplaced(plain.Plural(n, "update") + " of sessions that the agent has not announced as its subagents: not shown")
	}
}

// stopChild stops the subagent that a part of a block is, or is below of, and no other.
func (s *Session) stopChild(a childArgs) {
	var agent *agents.Agent
	var child string
	var answered []*permission.Ticket
	var err error
	s.stop(func(st *session.State) {
		agent = st.Link().Agent()
		child, answered, err = st.Family().Stop(a.Block, a.Part)
	}, func() {
		if agent != nil && err == nil {
			s.tellStopped(agent, nil, []string{child}, answered)
		}
	})
	if err != nil {
		level := "warn"
		if errors.Is(err, subagents.ErrNone) {
			level = "info"
		}
		s.host.say(level, err.Error())
	}
}

// stop has something stopped in the state, and then tells the agent in a goroutine. The channel that it returns is closed when the agent
// knows of this stop and of all before: what was stopped once is not there to be stopped again.
func (s *Session) stop(change func(*session.State), tell func()) <-chan struct{} {
	told := make(chan struct{})
	var before <-chan struct{}
	s.do(func(st *session.State) {
		before, s.told = s.told, told
		change(st)
	})
	s.spawn(func() { // ends when the agent has been told
		defer close(told)
		tell()
		if before != nil {
			<-before
		}
	})
	return told
}

// tellStopped tells the agent that a turn, if there is one that it knows, and children are to stop, once it has the answers to what they
// have asked.
func (s *Session) tellStopped(a *agents.Agent, t *session.Turn, children []string, answered []*permission.Ticket) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	awaitSent(ctx, answered)
	s.wire.Lock()
	defer s.wire.Unlock()
	if t != nil && ask(s, func(st *session.State) bool { return st.Turn() == t && t.Sent() }) {
		children = append([]string{t.Remote}, children...)
	}
	for _, id := range children {
		a.Proc.Cancel(&acp.CancelNotification{SessionID: id})
	}
}

// awaitSent waits until answers have their place on the wire, or the context ends.
func awaitSent(ctx context.Context, answered []*permission.Ticket) {
	for _, ticket := range answered {
		select {
		case <-ticket.Sent():
		case <-ctx.Done():
		}
	}
}

// requestPermission takes a request's place in wire order: the call it is about is known and shown from here on.
// The call is the request's, by its id in the transcript. It answers session/request_permission.
func (s *Session) requestPermission(
	r *acp.RequestPermissionRequest, who session.Child, call *acp.ToolCallUpdate,
) acp.Answer[*acp.RequestPermissionResponse] {
	long := func(o acp.PermissionOption) bool { return len(o.OptionID) > bounds.ID }
	if slices.ContainsFunc(r.Options, long) {
		err := acp.Errorf(acp.CodeInvalidParams, "an id of an option is longer than %d bytes", bounds.ID)
		return acp.Reply[*acp.RequestPermissionResponse](nil, err)
	}

	ruled := s.host.policy.Ruled(featured{s})
	made := permission.New{Options: r.Options, Raw: r, Child: who.ID, Who: who.Name}
	var ticket *permission.Ticket
	var judge, ok bool
	s.do(func(st *session.State) {
		made.Dir = st.Family().Dir(who.ID)
		ticket, judge, ok = st.Request(call, made)
		judge = judge || ruled
		if ok && !judge {
			st.Requests().Show(ticket)
		}
	})
	if !ok { // of a replay, or too late
		return acp.Reply(acp.PermissionCancelled(), nil)
	}

	s.sayFirst("answers to a request", len(r.Options), permission.MaxOptions)
	return func(ctx context.Context) (*acp.RequestPermissionResponse, error) {
		s.spawn(func() { markSent(ctx, ticket) }) // ends when the answer has its place on the wire
		if judge || s.host.policy.Look(featured{s}) {
			s.host.policy.Judge(featured{s}, ticket.ID)
		}
		got, err := s.await(ctx, ticket)
		switch {
		case err != nil:
			return nil, err
		case got.Option == "":
			return acp.PermissionCancelled(), nil
		}
		return acp.PermissionSelected(got.Option), nil
	}
}

func markSent(ctx context.Context, t *permission.Ticket) {
	<-acp.Sent(ctx)
	t.MarkSent()
}
