package host

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/forms"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// elicit is a question of an agent's that wants more than one of some options: a form to fill in, or a page to visit.
type elicit struct {
	schema   *acp.ElicitationSchema // of a form
	url      string
	id       string            // the agent's, of a page
	problems map[string]string // of the values sent last, by field
	result   *acp.CreateElicitationResponse
}

// shownForm is a form as Lua is told of it.
type shownForm struct {
	Fields []forms.Field `msgpack:"fields"`
	URL    string        `msgpack:"url"`
	Host   string        `msgpack:"host"`
}

// CreateElicitation asks the user to fill in a form, or to visit a page. PROTOCOL elicitation/create.
func (a *agent) CreateElicitation(r *acp.CreateElicitationRequest) acp.Answer[*acp.CreateElicitationResponse] {
	s := a.elicitSession(r)
	if s == nil {
		return noSession[*acp.CreateElicitationResponse](r.SessionID)
	}
	e := &elicit{schema: r.RequestedSchema, url: r.URL, id: r.ElicitationID}
	switch r.Mode {
	case acp.ElicitationForm:
	case acp.ElicitationURL:
		if u, err := url.Parse(r.URL); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return acp.Reply[*acp.CreateElicitationResponse](nil, acp.Errorf(acp.CodeInvalidParams, "not a web address: %q", r.URL))
		}
	default:
		return acp.Reply[*acp.CreateElicitationResponse](nil, acp.Errorf(acp.CodeInvalidParams, "unknown mode %q", r.Mode))
	}
	return s.elicitation(r, e)
}

// elicitSession is the session that a question is shown with. One about a request of ours, such as a login, belongs to none;
// it is shown with any of the agent's.
func (a *agent) elicitSession(r *acp.CreateElicitationRequest) *Session {
	if r.SessionID != "" {
		return a.session(r.SessionID)
	}
	for _, s := range a.host.all() {
		if s.ofAgent(a) {
			return s
		}
	}
	return nil
}

func (s *Session) ofAgent(a *agent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent == a
}

func (s *Session) elicitation(r *acp.CreateElicitationRequest, e *elicit) acp.Answer[*acp.CreateElicitationResponse] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil && s.turn.cancelled {
		return acp.Reply(&acp.CreateElicitationResponse{Action: acp.ElicitationCancel}, nil)
	}
	a := s.newAsk(nil)
	a.form = e
	a.kind = "elicitation"
	a.title = transcript.OneLine(s.spec().Title) + " asks"
	for _, line := range strings.Split(transcript.Visible(r.Message), "\n") {
		a.lines = append(a.lines, "  "+line)
	}
	s.show1(a)
	s.hurry()
	return func(ctx context.Context) (*acp.CreateElicitationResponse, error) {
		go a.answered(ctx)
		if _, err := s.await(ctx, a); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if e.result == nil {
			return &acp.CreateElicitationResponse{Action: acp.ElicitationCancel}, nil
		}
		return e.result, nil
	}
}

// CompleteElicitation ends the wait for a page. PROTOCOL elicitation/complete.
func (a *agent) CompleteElicitation(n *acp.CompleteElicitationNotification) {
	a.mu.Lock()
	sessions := make([]*Session, 0, len(a.sessions))
	for _, s := range a.sessions {
		sessions = append(sessions, s)
	}
	a.mu.Unlock()
	for _, s := range sessions {
		s.change(func() {
			for _, p := range slices.Clone(s.asks) {
				if p.form != nil && p.form.id != "" && p.form.id == n.ElicitationID {
					s.drop(p, false)
					p.answer <- answer{}
				}
			}
		})
	}
}

// fill takes what the user has entered: checked, and sent if it is right; else shown again with what is wrong.
func (s *Session) fill(f fillArgs) {
	s.change(func() {
		s.askNew = true
		i := slices.IndexFunc(s.asks, func(a *ask) bool { return a.id == f.ID && a.version == f.Version && a.form != nil })
		if i < 0 {
			return
		}
		a := s.asks[i]
		result := &acp.CreateElicitationResponse{Action: f.Action}
		switch f.Action {
		case acp.ElicitationAccept:
			if a.form.schema == nil {
				break // consent to a page carries no content
			}
			content, problems := forms.Check(a.form.schema, f.Values)
			if len(problems) > 0 {
				a.form.problems = problems
				a.version++
				return
			}
			result.Content = content
		case acp.ElicitationDecline, acp.ElicitationCancel:
		default:
			return
		}
		a.form.result = result
		s.drop(a, false)
		a.answer <- answer{}
	})
}

// shown is the form as Lua draws it.
func (e *elicit) shown() *shownForm {
	out := &shownForm{Fields: []forms.Field{}}
	if e.url != "" {
		out.URL = transcript.OneLine(e.url)
		if u, err := url.Parse(e.url); err == nil {
			out.Host = transcript.OneLine(u.Host)
		}
		return out
	}
	if e.schema != nil {
		out.Fields = forms.Fields(e.schema)
		for i := range out.Fields {
			out.Fields[i].Problem = e.problems[out.Fields[i].Name]
		}
	}
	return out
}
