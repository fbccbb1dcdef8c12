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
	a.delivering.Lock()
	defer a.delivering.Unlock()
	if !a.stopped.Load() { // else its sessions have nothing more to do with it
		a.deliver(n)
	}
}

func (a *Agent) deliver(n *acp.SessionNotification) {
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
		a.deliver(&acp.SessionNotification{SessionID: u.SessionID, Update: e})
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
	a.early.add(n, most)
}

// early are updates of sessions whose id is not known yet.
type early struct {
	updates map[string][]acp.SessionUpdate // by id; nil once the process has ended
	count   int
	dropped int // for which there was no room
}

// add adds an update, if there are fewer than most.
func (e *early) add(n *acp.SessionNotification, most int) {
	if e.count >= most || e.updates == nil {
		e.dropped++
		return
	}
	e.updates[n.SessionID] = append(e.updates[n.SessionID], n.Update)
	e.count++
}

// take returns those of a session, and forgets them.
func (e *early) take(id string) []acp.SessionUpdate {
	list := e.updates[id]
	delete(e.updates, id)
	e.count -= len(list)
	return list
}

func (e *early) clear() {
	clear(e.updates)
	e.count = 0
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
	return "", a.early.take(id)
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

	n, uses := a.early.count+a.early.dropped, len(a.children) > 0
	for _, list := range a.early.updates {
		uses = uses || slices.ContainsFunc(list, func(u acp.SessionUpdate) bool {
			_, announces := u.(*acp.SubagentUpdate)
			return announces
		})
	}

	a.early.clear()
	a.early.dropped = 0
	if !uses {
		return 0
	}

	return n
}
