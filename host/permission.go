package host

import (
	"context"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/webpage"
)

// permit answers as the user has chosen, and reports whether the answer counts: one to something that has changed, or that was
// answered, does not, and whoever was asked is asked again.
func (s *Session) permit(p permitArgs) (counts bool) {
	got := ask(s, func(st *session.State) permission.Result {
		return st.Answer(permission.Answer{
			ID: p.ID, Option: p.Option, Version: p.Version, Reason: p.Reason, By: p.By, Changed: p.Changed, Path: p.Path, Text: p.Text,
		})
	})
	if proposal := got.Accepted; proposal != nil {
		s.do(func(st *session.State) {
			st.Screen().Say("allowed with your changes: "+featured{s}.Short(proposal.Path), "AcpDone")
		})
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
			st.Requests().LayOut(l.ID, l.Width)
		} else {
			st.Requests().Inspect(l.ID, l.What)
		}
	})
}

// CreateElicitation asks the user to fill in a form, or to visit a page. It answers elicitation/create.
func (c client) CreateElicitation(r *acp.CreateElicitationRequest) acp.Answer[*acp.CreateElicitationResponse] {
	s := c.elicitSession(r)
	if s.Session == nil {
		return noSession[*acp.CreateElicitationResponse](r.SessionID)
	}
	var page *webpage.Page
	switch r.Mode {
	case acp.ElicitationForm:
	case acp.ElicitationURL:
		if len(r.URL) > bounds.URL {
			err := acp.Errorf(acp.CodeInvalidParams, "an address of %d bytes is not opened", len(r.URL))
			return acp.Reply[*acp.CreateElicitationResponse](nil, err)
		}
		read, err := webpage.Read(r.URL)
		if err != nil {
			return acp.Reply[*acp.CreateElicitationResponse](nil, acp.Errorf(acp.CodeInvalidParams, "%q: %v", r.URL, err))
		}
		page = &read
	default:
		return acp.Reply[*acp.CreateElicitationResponse](nil, acp.Errorf(acp.CodeInvalidParams, "unknown mode %q", r.Mode))
	}

	return s.elicitation(r, page)
}

// elicitSession is the session that an elicitation is shown with. One about a request of ours, such as a login, belongs to
// none; it is shown with any of the agent's.
func (c client) elicitSession(r *acp.CreateElicitationRequest) asker {
	if r.SessionID != "" {
		return c.asker(r.SessionID)
	}
	for _, s := range c.host.all() {
		if s.Serves(c.agent) {
			return asker{featured: featured{s}}
		}
	}
	return asker{}
}

func (s asker) elicitation(r *acp.CreateElicitationRequest, page *webpage.Page) acp.Answer[*acp.CreateElicitationResponse] {
	made := permission.FormRequest(s.spec().Title, r.Message, &permission.Form{Schema: r.RequestedSchema, Page: page, ID: r.ElicitationID})
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
		s.(*Session).do(func(st *session.State) { st.Requests().Complete(n.ElicitationID) })
	}
}

// fill answers a form with what the user has entered, if that is right.
func (s *Session) fill(f fillArgs) {
	s.do(func(st *session.State) {
		st.Requests().Fill(permission.Filled{ID: f.ID, Version: f.Version, Action: f.Action, Values: f.Values})
	})
}
