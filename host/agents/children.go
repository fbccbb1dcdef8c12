package agents

import (
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Children are sessions that the agent makes for its subagents. What they say and ask reaches the session at the top, as a child's.

// child is one of them.
type child struct {
	session Session
	root    string // the agent's id of that
	parent  string // the session that has announced it
}

// Subagents reports whether an agent is told that child sessions are understood.
func (s Spec) Subagents() bool {
	on, set := s.Quirks["subagents"].(bool)
	return on || !set
}

// At returns the session that something is for which names an id: that session, or the one at the top of the child with that id. It is
// nil if neither is known.
func (a *Agent) At(id string) (s Session, isChild bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.at(id)
}

// at is At. The mutex is held.
func (a *Agent) at(id string) (s Session, isChild bool) {
	if s := a.sessions[id]; s != nil {
		return s, false
	}
	c := a.children[id]
	return c.session, c.session != nil
}

// Deliver hands an update to its session. One of a session that is not known is kept: while a session is being opened, whose id comes
// later, or where a child may be announced later than it should. It is called on the read goroutine.
func (a *Agent) Deliver(n *acp.SessionNotification) {
	a.mu.Lock()
	s, isChild := a.at(n.SessionID)
	if s == nil {
		a.keep(n)
		a.mu.Unlock()
		return
	}

	var wrong string
	var early []acp.SessionUpdate
	u, announces := n.Update.(*acp.SubagentUpdate)
	if announces {
		wrong, early = a.adopt(n.SessionID, u.SessionID, s)
	}

	a.mu.Unlock()

	switch {
	case wrong != "":
		s.Misplaced(wrong)
	case isChild:
		s.UpdateChild(n.SessionID, n.Update)
	default:
		s.Update(n.Update)
	}

	for _, e := range early {
		a.Deliver(&acp.SessionNotification{SessionID: u.SessionID, Update: e})
	}
}

// keep keeps an update of a session that is not known. The mutex is held.
func (a *Agent) keep(n *acp.SessionNotification) {
	most := maxEarly
	if a.opening == 0 {
		most = maxStrays
		if !a.Spec.Subagents() || a.known[n.SessionID] {
			return
		}
	}
	if a.earlyN >= most || a.early == nil { // else the process has ended
		a.dropped++
		return
	}

	a.early[n.SessionID] = append(a.early[n.SessionID], n.Update)
	a.earlyN++
}

// adopt makes a session a child of another, unless it is one already. It returns what is wrong with that, or the updates that came
// before. The mutex is held.
func (a *Agent) adopt(parent, id string, s Session) (wrong string, early []acp.SessionUpdate) {
	known, again := a.children[id]
	switch {
	case again && known.session == s && known.parent == parent:
		return "", nil
	case again:
		return "the agent announced the same subagent in two sessions; it stays with the first", nil
	case id == "" || a.sessions[id] != nil:
		return "the agent announced a subagent with the id of a conversation; that is ignored", nil
	}

	root := parent
	if c, ok := a.children[parent]; ok {
		root = c.root
	}

	a.children[id] = child{s, root, parent}
	a.known[id] = true
	early = a.early[id]
	delete(a.early, id)
	a.earlyN -= len(early)
	return "", early
}

// disown forgets the children of a session. The mutex is held.
func (a *Agent) disown(root string, s Session) {
	maps.DeleteFunc(a.children, func(_ string, c child) bool { return c.root == root && c.session == s })
}

// Strays returns how many updates have come of sessions that nobody has announced, and forgets them. It is 0 of an agent that has no
// subagents: such updates are of sessions that are over.
func (a *Agent) Strays() int {
	a.mu.Lock()
	defer a.mu.Unlock()

	if a.opening > 0 || !a.Spec.Subagents() {
		return 0
	}

	n, uses := a.earlyN+a.dropped, len(a.children) > 0
	for _, list := range a.early {
		uses = uses || slices.ContainsFunc(list, func(u acp.SessionUpdate) bool {
			_, announces := u.(*acp.SubagentUpdate)
			return announces
		})
	}

	clear(a.early)
	a.earlyN, a.dropped = 0, 0
	if !uses {
		return 0
	}

	return n
}
