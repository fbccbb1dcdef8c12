package host

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
)

// drainMethod is how one agent asks, between the steps of a turn, for the prompts that wait.
const drainMethod = "craft/drainMidTurnQueue"

// drained is the answer to it.
type drained struct {
	Items  []drainedItem `json:"items"`
	Queued bool          `json:"hasQueuedPrompt"` // after those
}

type drainedItem struct {
	Content []acp.ContentBlock `json:"content"`
	Text    string             `json:"displayText"`
}

// extension answers requests that are not in the protocol. It runs on the read goroutine.
func (a *agent) extension(method string, params acp.Raw) acp.Answer[any] {
	if method != drainMethod {
		return nil
	}
	var asked struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(params, &asked) // without a session there is none
	if s := a.session(asked.SessionID); s != nil {
		return s.drain(a)
	}
	return noSession[any](asked.SessionID)
}

// drain gives the agent the prompts that wait, but for those that wait for the user's word. What does not reach it is in the
// queue again.
func (s *Session) drain(a *agent) acp.Answer[any] {
	s.mu.Lock()
	t := s.turn
	var taken []prompt
	if t != nil && !t.cancelled {
		s.queue = slices.DeleteFunc(s.queue, func(p prompt) bool {
			if !p.held {
				taken = append(taken, p)
			}
			return !p.held
		})
	}
	s.status = true
	s.mu.Unlock()
	s.hurry()
	return func(ctx context.Context) (any, error) {
		answer := drained{Items: []drainedItem{}}
		for i, p := range taken {
			blocks, notes, err := s.content(t.making, p, a.info.AgentCapabilities.PromptCapabilities)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				s.undrained(taken[i:], t, err)
				break
			}
			answer.Items = append(answer.Items, drainedItem{blocks, p.text})
			s.change(func() {
				s.log.Steer(p.text, names(p.context))
				s.sayAll(notes)
			})
		}
		return answer, nil
	}
}

// undrained puts prompts back to the front of the queue, where they wait for the user; of an agent that is gone they come back
// to the prompt buffer.
func (s *Session) undrained(list []prompt, t *turn, err error) {
	s.mu.Lock()
	gone := s.agent == nil
	s.mu.Unlock()
	if gone {
		s.giveBack(list...)
		return
	}
	for _, p := range slices.Backward(list) {
		s.unsteered(p, t, err)
	}
}
