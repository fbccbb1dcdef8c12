package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/subagents"
)

// Child is a child session of the agent's as others need to know it: its id, and how it is called. The zero value is the session itself.
type Child struct{ ID, Name string }

// Child returns a child, and reports whether there is one of that id.
func (s *State) Child(id string) (Child, bool) {
	return Child{id, s.family.Name(id)}, s.family.Has(id)
}

// ChildDir returns the folder that a child works in, "" if that is the session's.
func (s *State) ChildDir(id string) string { return s.family.Dir(id) }

// UpdateChild applies an update of a child's, whose ids of calls are unique in the session.
func (s *State) UpdateChild(child string, u acp.SessionUpdate) {
	s.link.used = time.Now()
	if !s.applyChildUpdate(child, u) {
		s.family.Apply(s.activeLog(), child, u)
	}

	s.showReplay()
	s.tellPlace()
	if s.log.Moved() {
		s.frame.status = true
	}

	s.noteCall(u)
	s.extendWindow()
	if s.replay.log == nil {
		s.frame.updates[kindOf(u)] = true
	}

	s.draw(Soon)
}

// applyChildUpdate applies an update that says something of children, and reports whether it is one.
func (s *State) applyChildUpdate(session string, u acp.SessionUpdate) bool {
	log := s.activeLog()
	switch u := u.(type) {
	case *acp.SubagentUpdate:
		s.family.Announce(log, session, u)
		if !s.family.Works(u.SessionID) {
			s.withdrawEnded(u)
		}
		s.frame.status = true
		if s.turn == nil {
			s.draw(Now)
		}
	case *acp.SessionMessage:
		s.family.Message(log, session, u)
	case *acp.SessionMessageChunk:
		s.family.Chunk(log, session, u)
	default:
		return false
	}

	return true
}

// withdrawEnded withdraws what a child asks that says it was stopped, or has failed. One that is idle may still ask for what it has in
// the background.
func (s *State) withdrawEnded(u *acp.SubagentUpdate) {
	if r := u.State.Value.StopReason; r == acp.StopCancelled || r == acp.StopError {
		s.requests.WithdrawOf([]string{u.SessionID}, s.log)
	}
}

// StopChild stops the child whose run is a part of a block, or has it. It returns its id with the requests that are answered by that; the
// id is "" if it cannot be stopped alone, for a reason that is not nil where the user is to know it.
func (s *State) StopChild(block, part string) (child string, answered []*permission.Ticket, err error) {
	run := s.log.RunAt(block, part)
	if run == "" {
		return "", nil, subagents.ErrNone
	}

	child = s.family.Of(run)
	list, err := s.family.Stop(s.log, child)
	switch {
	case errors.Is(err, subagents.ErrNone):
		return "", nil, err
	case err != nil && s.turn != nil:
		return "", nil, fmt.Errorf(":AcpStop stops the turn: %w", err)
	case err != nil:
		return "", nil, fmt.Errorf(":AcpRestart ends it: %w", err)
	}

	answered = s.requests.WithdrawOf(list, s.log)
	s.changed()
	return child, answered, nil
}

// StopChildren stops all children that do something, with their turn or after it. It returns those that the agent is to be told of one
// by one, the names of those that cannot be stopped, and the requests that are answered by that.
func (s *State) StopChildren() (told, left []string, answered []*permission.Ticket) {
	told, left = s.family.StopAll(s.log)
	answered = s.requests.WithdrawOf(s.family.All(), s.log)
	s.changed()
	return told, left, answered
}

// ChildrenWork reports whether a child does something, as far as it has said.
func (s *State) ChildrenWork() bool { return len(s.family.Working()) > 0 }

// SayOnce says something of children, and reports whether that was not said since the latest prompt.
func (s *State) SayOnce(text string) bool {
	if s.log.Says(text) {
		return false
	}
	s.Misplaced(text)
	return true
}

// Misplaced says that a child cannot be shown, and why.
func (s *State) Misplaced(why string) {
	s.log.Say(why, "AcpWarning")
	s.changed()
}
