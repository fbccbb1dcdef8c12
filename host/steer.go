package host

import (
	"context"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// steer sends a waiting prompt into the turn that runs. If there is none any more, or the agent does not take it, it is the
// first of the queue again.
func (s *Session) steer(p session.Prompt) {
	t := ask(s, steerable)
	if t == nil {
		s.requeueSteered([]session.Prompt{p}, nil, nil)
		return
	}
	ticket := s.steers.Ticket("")
	s.spawn(func() { // ends when the words are on their way
		defer ticket.Done()
		if err := ticket.Wait(t.Making); err != nil {
			s.requeueSteered([]session.Prompt{p}, t, err)
			return
		}
		s.sendSteer(t, p)
	})
}

func (s *Session) sendSteer(t *session.Turn, p session.Prompt) {
	a := t.Connection
	blocks, notes, err := s.host.prompts.Content(t.Making, featured{s}, p, a.Info.AgentCapabilities.PromptCapabilities)
	if err != nil {
		s.requeueSteered([]session.Prompt{p}, t, err)
		return
	}

	text, _ := s.host.prompts.Unsaved(t.Making, featured{s}, p, a, s.host.prompts.Inspect)
	if text.Text != "" {
		blocks = append(blocks, acp.Text(text.Text))
	}

	s.wire.Lock()
	defer s.wire.Unlock()

	a.Proc.StartSteer(&acp.SteerRequest{SessionID: t.Remote, Prompt: blocks}, onAnswer(s, func(r *acp.SteerResponse, err error) {
		if err != nil || r.Outcome == acp.SteerPromptRequired {
			s.requeueSteered([]session.Prompt{p}, t, err)
			return
		}
		s.do(func(st *session.State) {
			session.Steered(st, p, notes)
			st.Briefing().ToldUnsaved(text)
		})
	}))
}

// steerNote sends a note for the agent into the turn that runs, if there is one and the agent takes that; only then is the note asked for.
// A note that does not reach it goes with the next prompt.
func (s *Session) steerNote(note func() (text, shown string)) {
	t := ask(s, steerable)
	if t == nil {
		return
	}

	text, shown := note()
	if text == "" {
		return
	}

	req := &acp.SteerRequest{SessionID: t.Remote, Prompt: []acp.ContentBlock{acp.Text(text)}}
	s.wire.Lock()
	defer s.wire.Unlock()

	t.Connection.Proc.StartSteer(req, onAnswer(s, func(got *acp.SteerResponse, err error) {
		if err != nil || got.Outcome == acp.SteerPromptRequired {
			s.do(func(st *session.State) { st.Briefing().Tell(text) })
			return
		}
		s.do(func(st *session.State) { st.Screen().Notes([]string{shown}) })
	}))
}

// steerable is the turn that runs if words may be sent into it: not while they would be heard in another mode than was chosen.
func steerable(st *session.State) *session.Turn {
	if t := st.Turn(); t.Steerable() && !st.Options().AwaitsMode() {
		return t
	}
	return nil
}

func (s *Session) requeueSteered(list []session.Prompt, t *session.Turn, err error) {
	s.do(func(st *session.State) { st.RequeueSteered(list, t, err) })
}

// drainMethod is how one agent asks, between the steps of a turn, for the prompts that wait.
const drainMethod = "craft/drainMidTurnQueue"

// drained is the answer to it.
type drained struct {
	Items  []drainedItem `json:"items"`
	Queued bool          `json:"hasQueuedPrompt"` // after those
}

// WithContent implements [acp.Carrier].
func (d drained) WithContent(change func([]acp.ContentBlock) ([]acp.ContentBlock, error)) (any, error) {
	c := drained{Items: make([]drainedItem, len(d.Items)), Queued: d.Queued}
	for i, item := range d.Items {
		blocks, err := change(item.Content)
		if err != nil {
			return nil, err
		}
		c.Items[i] = drainedItem{blocks, item.Text}
	}
	return c, nil
}

type drainedItem struct {
	Content []acp.ContentBlock `json:"content"`
	Text    string             `json:"displayText"`
}

// extension answers requests that are not in the protocol. It runs on the read goroutine.
func (c client) extension(method string, params acp.Raw) acp.Answer[any] {
	if method != drainMethod {
		return nil
	}
	var asked struct {
		SessionID string `json:"sessionId"`
	}
	_ = acp.Unmarshal(params, &asked) // without a session there is none
	if s := c.session(asked.SessionID); s != nil {
		return s.drain(c.agent)
	}
	return noSession[any](asked.SessionID)
}

// drain gives the agent the prompts that wait, but for those that wait for the user. Those that do not reach it are in the
// queue again.
func (s *Session) drain(a *agents.Agent) acp.Answer[any] {
	var t *session.Turn
	var list []session.Prompt
	s.do(func(st *session.State) {
		if t = st.Turn(); t != nil && !t.Cancelled() && !st.Options().AwaitsMode() {
			list = st.Queue().Drain()
		}
	})
	return func(ctx context.Context) (any, error) {
		answer := drained{Items: []drainedItem{}}
		for i, p := range list {
			blocks, notes, err := s.host.prompts.Content(t.Making, featured{s}, p, a.Info.AgentCapabilities.PromptCapabilities)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				s.requeueSteered(list[i:], t, err)
				break
			}

			text, _ := s.host.prompts.Unsaved(ctx, featured{s}, p, a, s.host.prompts.Inspect)
			if text.Text != "" {
				blocks = append(blocks, acp.Text(text.Text))
			}

			answer.Items = append(answer.Items, drainedItem{blocks, p.Text})
			s.do(func(st *session.State) {
				session.Steered(st, p, notes)
				st.Briefing().ToldUnsaved(text)
			})
		}

		return answer, nil
	}
}
