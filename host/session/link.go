package session

import (
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
)

// Connection is the agent process that serves a session. States compare connections, and do nothing else with them.
type Connection = *agents.Agent

// Link is what joins a session to its agent.
type Link struct {
	at linkState

	remote     string // the agent's id of the session, "" if there is none yet; it outlives connections
	mustResume bool   // the user wants the session of that id, and no new one in its place
	fork       string // the agent's id of the session that this one begins as a copy of
	forked     bool   // it began as a copy
	cut        *Cut   // of a copy that ends earlier; nil if it has all
	fault      string // the last error, for the user
	used       time.Time
}

// linkState is what a link is: detached, starting, ready or closed. Each has what only it can have.
type linkState interface{ isLinkState() }

type (
	// detached is a session that no agent serves.
	detached struct {
		shown   Phase // Starting, Disconnected or Login
		claimed bool  // somebody is about to connect it
	}

	// starting is a session that its agent is asked for.
	starting struct {
		agent      Connection
		loads      bool // it is to replay the conversation
		configured bool // the agent has the session, and takes options
	}

	// ready is a session that takes prompts.
	ready struct {
		agent Connection
		can   Capabilities
		login bool // not before a login
	}

	// closed is a session that is over for good.
	closed struct{}
)

func (detached) isLinkState() {}
func (starting) isLinkState() {}
func (ready) isLinkState()    {}
func (closed) isLinkState()   {}

// Capabilities are what the agent can do with the session.
type Capabilities struct {
	Image, Audio, Load, Steer, Fork, Delete bool
}

// agent is the process that serves the session, nil if none does.
func (l *Link) agent() Connection {
	switch at := l.at.(type) {
	case starting:
		return at.agent
	case ready:
		return at.agent
	}
	return nil
}

// idlePhase is how far the session is when no turn runs.
func (l *Link) idlePhase() Phase {
	switch at := l.at.(type) {
	case detached:
		return at.shown
	case starting:
		if at.loads {
			return Loading
		}
		return Starting
	case ready:
		if at.login {
			return Login
		}
		return Idle
	}

	return Disconnected
}

func (l *Link) isClosed() bool {
	_, ok := l.at.(closed)
	return ok
}

// claim reports whether the caller is to connect the session.
func (l *Link) claim() bool {
	at, ok := l.at.(detached)
	if !ok || at.claimed {
		return false
	}
	at.claimed = true
	l.at = at
	return true
}

// load notes that the agent is to replay the conversation. It reports false if the session is not being started.
func (l *Link) load() bool {
	at, ok := l.at.(starting)
	if ok {
		at.loads = true
		l.at = at
	}
	return ok
}

// configure notes that the agent takes options. It reports false if it takes none.
func (l *Link) configure() bool {
	at, ok := l.at.(starting)
	if ok {
		at.configured = true
		l.at = at
	}
	return l.takesOptions()
}

// takesOptions reports whether the agent can be asked for options.
func (l *Link) takesOptions() bool {
	switch at := l.at.(type) {
	case starting:
		return at.configured
	case ready:
		return true
	}
	return false
}

// takesPrompts reports whether the agent can be sent a prompt.
func (l *Link) takesPrompts() bool {
	at, ok := l.at.(ready)
	return ok && !at.login
}

// can is what the agent can do with the session, nothing before it is ready.
func (l *Link) can() Capabilities {
	at, _ := l.at.(ready)
	return at.can
}

// needLogin notes whether prompts wait for a login.
func (l *Link) needLogin(on bool) {
	switch at := l.at.(type) {
	case ready:
		at.login = on
		l.at = at
	case detached:
		if on {
			at.shown = Login
			l.at = at
		}
	}
}
