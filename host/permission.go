package host

import (
	"context"
	"net/url"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
)

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
		made.Dir = st.ChildDir(who.ID)
		ticket, judge, ok = st.Request(call, made)
		judge = judge || ruled
		if ok && !judge {
			st.Show(ticket)
		}
	})
	if !ok { // of a replay, or too late
		return acp.Reply(acp.PermissionCancelled(), nil)
	}

	s.sayFirst("answers to a request", len(r.Options), permission.MaxOptions)
	return func(ctx context.Context) (*acp.RequestPermissionResponse, error) {
		s.spawn(func() { markSent(ctx, ticket) }) // ends when the answer has its place on the wire
		if judge {
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

// permit answers as the user has chosen, and reports whether the answer counts: one to something that has changed, or that was
// answered, does not, and whoever was asked is asked again.
func (s *Session) permit(p permitArgs) (counts bool) {
	got := ask(s, func(st *session.State) permission.Result {
		return st.Answer(permission.Answer{
			ID: p.ID, Option: p.Option, Version: p.Version, Reason: p.Reason, By: p.By, Changed: p.Changed, Text: p.Text,
		})
	})
	if proposal := got.Accepted; proposal != nil {
		s.do(func(st *session.State) { st.Say("allowed with your changes: "+s.short(proposal.Path), "AcpDone") })
	}
	if got.Settled {
		args := []any{p.ID, got.Version}
		if got.Counts {
			args = args[:1]
		}
		s.spawn(func() { _ = s.host.ed.ExecLua(luaSettled, nil, args...) }) // ends when Neovim answers or goes away
	}

	return got.Counts
}

// inspect changes what is shown of a request: its raw form, which of its files, or how wide.
func (s *Session) inspect(l lookArgs) {
	s.do(func(st *session.State) {
		if l.What == "width" {
			st.LayOut(l.ID, l.Width)
		} else {
			st.Inspect(l.ID, l.What)
		}
	})
}

// CreateElicitation asks the user to fill in a form, or to visit a page. It answers elicitation/create.
func (c client) CreateElicitation(r *acp.CreateElicitationRequest) acp.Answer[*acp.CreateElicitationResponse] {
	s := c.elicitSession(r)
	if s.Session == nil {
		return noSession[*acp.CreateElicitationResponse](r.SessionID)
	}
	switch r.Mode {
	case acp.ElicitationForm:
	case acp.ElicitationURL:
		if len(r.URL) > bounds.URL {
			err := acp.Errorf(acp.CodeInvalidParams, "an address of %d bytes is not opened", len(r.URL))
			return acp.Reply[*acp.CreateElicitationResponse](nil, err)
		}
		if u, err := url.Parse(r.URL); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return acp.Reply[*acp.CreateElicitationResponse](nil, acp.Errorf(acp.CodeInvalidParams, "not a web address: %q", r.URL))
		}
	default:
		return acp.Reply[*acp.CreateElicitationResponse](nil, acp.Errorf(acp.CodeInvalidParams, "unknown mode %q", r.Mode))
	}

	return s.elicitation(r)
}

// elicitSession is the session that an elicitation is shown with. One about a request of ours, such as a login, belongs to
// none; it is shown with any of the agent's.
func (c client) elicitSession(r *acp.CreateElicitationRequest) asker {
	if r.SessionID != "" {
		return c.asker(r.SessionID)
	}
	for _, s := range c.host.all() {
		if s.Serves(c.agent) {
			return asker{Session: s}
		}
	}
	return asker{}
}

func (s asker) elicitation(r *acp.CreateElicitationRequest) acp.Answer[*acp.CreateElicitationResponse] {
	made := permission.FormRequest(s.spec().Title, r.Message, &permission.Form{Schema: r.RequestedSchema, URL: r.URL, ID: r.ElicitationID})
	if s.child.ID != "" {
		made.Child, made.Who = s.child.ID, s.child.Name
		made.Title = plain.OneLine(s.spec().Title) + s.host.settings().Icons.Between() + plain.Brief(s.child.Name) + " asks"
	}

	ticket := ask(s.Session, func(st *session.State) *permission.Ticket { return session.ShowForm(st, made) })
	if ticket == nil {
		return acp.Reply(&acp.CreateElicitationResponse{Action: acp.ElicitationCancel}, nil)
	}

	return func(ctx context.Context) (*acp.CreateElicitationResponse, error) {
		s.spawn(func() { markSent(ctx, ticket) }) // ends when the answer has its place on the wire
		got, err := s.await(ctx, ticket)
		switch {
		case err != nil:
			return nil, err
		case got.Form == nil:
			return &acp.CreateElicitationResponse{Action: acp.ElicitationCancel}, nil
		}
		return got.Form, nil
	}
}

// CompleteElicitation ends the wait for a page. It takes elicitation/complete.
func (c client) CompleteElicitation(n *acp.CompleteElicitationNotification) {
	for _, s := range c.agent.Sessions() {
		s.(*Session).do(func(st *session.State) { st.Complete(n.ElicitationID) })
	}
}

// fill answers a form with what the user has entered, if that is right.
func (s *Session) fill(f fillArgs) {
	s.do(func(st *session.State) {
		st.Fill(permission.Filled{ID: f.ID, Version: f.Version, Action: f.Action, Values: f.Values})
	})
}
