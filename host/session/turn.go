package session

import (
	"context"
	"errors"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Turn is a prompt turn. Its exported fields never change.
type Turn struct {
	Prompt     Prompt
	Key        string // of the prompt in the record
	Tokens     uint64 // that it has taken, as the agent counts them at its end; 0 if it does not
	Connection Connection
	Remote     string          // the agent's id of the session
	Making     context.Context // of its content, and of what is sent into it; ends with the turn, or when that is stopped

	stop      context.CancelFunc
	began     time.Time
	steers    bool // the agent takes words for it
	sent      bool
	speaks    bool // the agent has begun to answer
	cancelled bool
	read      map[string]bool // files that it has read through the editor, by real path; true: for a call that reads
}

// Sent reports whether a turn was sent to its agent.
func (t *Turn) Sent() bool { return t.sent }

// Cancelled reports whether the user has stopped a turn.
func (t *Turn) Cancelled() bool { return t.cancelled }

// Steerable reports whether words may be sent into a turn, which may be nil.
func (t *Turn) Steerable() bool { return t != nil && t.sent && !t.cancelled && t.steers }

// HasReadHere reports whether the agent has read a file through the editor in a turn.
func (t *Turn) HasReadHere(real string) bool {
	_, ok := t.read[real]
	return ok
}

// firstWords reports whether an update has the first words of a turn, for which the user waits. It does so once a turn.
func (t *Turn) firstWords(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.AgentMessageChunk, *acp.AgentThoughtChunk:
		if t != nil && !t.speaks {
			t.speaks = true
			return true
		}
	}
	return false
}

var errRestarted = errors.New("the agent was restarted")

// outcome returns how a turn ended, in words that follow the name of its agent; "" if the user has ended it. login reports whether err
// wants one.
func (t *Turn) outcome(reason acp.StopReason, err error, login bool) string {
	exit := (*acp.ExitError)(nil)
	switch {
	case reason == acp.StopCancelled && t.cancelled, errors.Is(err, errRestarted):
		return ""
	case login:
		return "needs a login"
	case errors.As(err, &exit):
		return (&acp.ExitError{Status: exit.Status}).Reason() // the chat has the rest
	case err != nil:
		return "has failed"
	}

	switch reason {
	case acp.StopEndTurn:
		return "has finished"
	case acp.StopCancelled:
		return "has stopped"
	case acp.StopMaxTokens:
		return "has stopped at the limit of tokens"
	case acp.StopMaxTurnRequests:
		return "has stopped at the limit of requests of one turn"
	case acp.StopRefusal:
		return "has refused"
	}
	return "has stopped (" + plain.Brief(string(reason)) + ")"
}

// turns are those of a session, of which one runs at most. Whatever must know of that shares them.
type turns struct {
	now     *Turn
	outcome string // of the latest one, see Outcome
}
