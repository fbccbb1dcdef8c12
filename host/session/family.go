package session

import (
	"errors"
	"fmt"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/subagents"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Child is a child session of the agent's as others need to know it: its id, and how it is called. The zero value is the session itself.
type Child struct{ ID, Name string }

// Family is the child sessions of a session, over one connection, and what is stopped with them.
type Family struct {
	screen   *Screen
	turns    *turns
	requests *Requests
	tree     subagents.Tree
}

// Child returns a child, and reports whether there is one of that id.
func (f *Family) Child(id string) (Child, bool) {
	return Child{id, f.tree.Name(id)}, f.tree.Has(id)
}

// Dir returns the folder that a child works in, "" if that is the session's.
func (f *Family) Dir(id string) string { return f.tree.Dir(id) }

// AtWork reports whether a child does something, as far as it has said.
func (f *Family) AtWork() bool { return f.working() > 0 }

func (f *Family) working() int { return len(f.tree.Working()) }

// forget notes that another connection begins, or none.
func (f *Family) forget() { f.tree = subagents.Tree{} }

// apply applies an update of a session that says something of children to a transcript, and reports whether it is one.
func (f *Family) apply(log *transcript.Transcript, session string, u acp.SessionUpdate) bool {
	switch u := u.(type) {
	case *acp.SubagentUpdate:
		f.tree.Announce(log, session, u)
		if !f.tree.Works(u.SessionID) {
			f.withdrawEnded(u)
		}
		f.screen.restate()
		if f.turns.now == nil {
			f.screen.draw(Now)
		}
	case *acp.SessionMessage:
		f.tree.Message(log, session, u)
	case *acp.SessionMessageChunk:
		f.tree.Chunk(log, session, u)
	default:
		return false
	}

	return true
}

// withdrawEnded withdraws what a child asks that says it was stopped, or has failed. One that is idle may still ask for what it has in
// the background.
func (f *Family) withdrawEnded(u *acp.SubagentUpdate) {
	if r := u.State.Value.StopReason; r == acp.StopCancelled || r == acp.StopError {
		f.requests.withdrawOf([]string{u.SessionID})
	}
}

// Stop stops the child whose run is a part of a block, or has it. It returns its id with the requests that are answered by that; the
// id is "" if it cannot be stopped alone, for a reason that is not nil where the user is to know it.
func (f *Family) Stop(block, part string) (child string, answered []*permission.Ticket, err error) {
	run := f.screen.log.Blocks().RunAt(block, part)
	if run == "" {
		return "", nil, subagents.ErrNone
	}

	child = f.tree.Of(run)
	list, err := f.tree.Stop(f.screen.log, child)
	switch {
	case errors.Is(err, subagents.ErrNone):
		return "", nil, err
	case err != nil && f.turns.now != nil:
		return "", nil, fmt.Errorf(":AcpStop stops the turn: %w", err)
	case err != nil:
		return "", nil, fmt.Errorf(":AcpRestart ends it: %w", err)
	}

	answered = f.requests.withdrawOf(list)
	f.screen.Refresh()
	return child, answered, nil
}

// StopAll stops all children that do something, with their turn or after it. It returns those that the agent is to be told of one
// by one, the names of those that cannot be stopped, and the requests that are answered by that.
func (f *Family) StopAll() (told, left []string, answered []*permission.Ticket) {
	told, left = f.tree.StopAll(f.screen.log)
	answered = f.requests.withdrawOf(f.tree.All())
	f.screen.Refresh()
	return told, left, answered
}
