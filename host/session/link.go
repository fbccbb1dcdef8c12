package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
)

// Connection is the agent process that serves a session. States compare connections, and do nothing else with them.
type Connection = *agents.Agent

// Agent is what a session says of its agent.
type Agent struct {
	Name               string
	Title              string
	Where              string // where it runs, "": here
	EditsThroughEditor bool   // it writes through the editor, so that what it writes can be changed before
}

// Phase is how far a session is. Waiting is not among them: it follows from what is pending.
type Phase string

// The phases, as the user is shown them.
const (
	Starting     Phase = "starting"
	Loading      Phase = "loading"
	Login        Phase = "login"
	Idle         Phase = "idle"
	Busy         Phase = "busy"
	Waiting      Phase = "waiting" // shown while something is pending, never kept
	Cancelling   Phase = "cancelling"
	Disconnected Phase = "disconnected"
)

// Link is what joins a session to its agent.
type Link struct {
	at   linkState
	left Connection // an effect: the one that was let go of

	remote     string // the agent's id of the session, "" if there is none yet; it outlives connections
	mustResume bool   // the user wants the session of that id, and no new one in its place
	fork       string // the agent's id of the session that this one begins as a copy of
	forked     bool   // it began as a copy
	cut        *Cut   // of a copy that ends earlier; nil if it has all
	fault      string // the last error, for the user
	cuts       bool   // the agent that was last ready copies conversations up to a message
	used       time.Time
	login      login
}

// Cut says where the copy of a conversation ends.
type Cut struct {
	Fork   string // the agent's id of the session that is copied, "" if it has none
	Prompt string // the first line of the prompt that follows
	Behind string // see [transcript.Moment]
	First  bool   // nothing is left
}

// login is what is known of the agent's logins.
type login struct {
	methods []string // ids, once they are known
	asks    int      // how often the agent has asked for one
	tried   bool     // the configured one was tried since the agent was last ready
}

// LoginNeeded is what is said where an agent wants a login.
type LoginNeeded struct {
	Methods   []string // ids
	How       string   // for the user
	Automatic bool     // the configured method needs nothing of the user
}

// fault is the agent's error, with what is left to the user if there is no method.
func (n LoginNeeded) fault(err error) string {
	if len(n.Methods) == 0 {
		return err.Error() + ": " + n.How
	}
	return err.Error()
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

	Cuts bool // it copies a conversation up to a message
}

func (l *Link) check() error {
	switch at := l.at.(type) {
	case detached:
		if at.shown != Starting && at.shown != Login && at.shown != Disconnected {
			return fmt.Errorf("a session without an agent is shown as %s", at.shown)
		}
	case starting:
		if at.agent == nil {
			return errors.New("a session is started without an agent")
		}
	case ready:
		if at.agent == nil {
			return errors.New("a session is ready without an agent")
		}
	case closed:
	default:
		return fmt.Errorf("a link is %T", at)
	}

	return nil
}

// Agent is the process that serves the session, nil if none does.
func (l *Link) Agent() Connection {
	switch at := l.at.(type) {
	case starting:
		return at.agent
	case ready:
		return at.agent
	}
	return nil
}

// Remote is the agent's id of the session, "" if there is none yet.
func (l *Link) Remote() string { return l.remote }

// Cuts reports whether the agent copies the conversation up to a message; of one that does not run, whether it did.
func (l *Link) Cuts() bool { return l.remote != "" && l.cuts }

// MustResume reports whether no new session may take the place of the one with the agent's id.
func (l *Link) MustResume() bool { return l.mustResume }

// LoginAsks returns how often the agent has asked for a login.
func (l *Link) LoginAsks() int { return l.login.asks }

// Serves reports whether the session is open and that connection's.
func (l *Link) Serves(c Connection) bool { return c != nil && l.Agent() == c }

// idlePhase is how far the session is when no turn runs.
func (l *Link) idlePhase() Phase {
	switch at := l.at.(type) {
	case detached:
		if at.claimed {
			return Starting
		}
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

// Closed reports whether the session was closed.
func (l *Link) Closed() bool {
	_, ok := l.at.(closed)
	return ok
}

// Claim reports whether the caller is to connect the session: nobody else does then, until it is connected or has failed. A
// verb claims at once, and not in the goroutine that connects: that may run when all is over.
func (l *Link) Claim() bool {
	at, ok := l.at.(detached)
	if !ok || at.claimed {
		return false
	}
	at.claimed = true
	l.at = at
	return true
}

// Starts reports whether the session waits for its agent, or for somebody to start it.
func (l *Link) Starts() bool { return l.idlePhase() == Starting || l.idlePhase() == Loading }

// isStarting reports whether the session is being started.
func (l *Link) isStarting() bool {
	_, ok := l.at.(starting)
	return ok
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

// shownCan is what the agent can do, as Lua has it.
func (l *Link) shownCan() map[string]bool {
	at, ok := l.at.(ready)
	if !ok || l.remote == "" {
		return map[string]bool{}
	}
	can := at.can
	return map[string]bool{
		"ready": true, "image": can.Image, "audio": can.Audio, "load": can.Load, "steer": can.Steer, "fork": can.Fork, "delete": can.Delete,
	}
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

// wantLogin notes that the agent wants a login. It reports whether the configured method is to be tried: once, since an agent that
// asks again is not answered by itself.
func (l *Link) wantLogin(err error, need LoginNeeded) (try bool) {
	l.needLogin(true)
	l.fault, l.login.methods = need.fault(err), need.Methods
	l.login.asks++
	try = need.Automatic && !l.login.tried
	l.login.tried = l.login.tried || try
	return try
}
