package host

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// featured is a session as features see it. Two of them are equal if they are the same session.
type featured struct{ *Session }

func (s featured) Cwd() string                  { return s.cwd }
func (s featured) Spec() agents.Spec            { return s.spec() }
func (s featured) Do(step func(*session.State)) { s.do(step) }
func (s featured) Start()                       { s.start() }
func (s featured) Spawn(do func())              { s.spawn(do) }

// Short is a path as it is shown: relative where it is below the session's folder.
func (s featured) Short(path string) string {
	return plain.OneLine(paths.Short(path, s.cwd))
}

func (s featured) Prompt(p session.Prompt) {
	if ask(s.Session, func(st *session.State) bool { return st.Prompt(p) }) {
		s.spawn(s.connect) // ends when the session is ready or has failed
	}
}

func (s featured) Within(place string, do func()) { s.within(place, do) }

func (s featured) Await(ctx context.Context, t *permission.Ticket) (permission.Outcome, error) {
	return s.await(ctx, t)
}

// port is the program as features see it.
type port struct{ *Host }

func (p port) Settings() *settings.Settings     { return p.settings() }
func (p port) Say(level, text string)           { p.say(level, text) }
func (p port) Show(name, text, filetype string) { p.show(name, text, filetype) }
func (p port) Done() <-chan struct{}            { return p.done }
func (p port) Saw(n int)                        { p.life.Saw(n) }

func (p port) Session(id string) feature.Session {
	if s := p.session(id); s != nil {
		return featured{s}
	}
	return nil
}

func (p port) Sessions() []feature.Session {
	return features(p.all())
}

// features are sessions as features see them.
func features(sessions []*Session) []feature.Session {
	var list []feature.Session
	for _, s := range sessions {
		list = append(list, featured{s})
	}
	return list
}

func (p port) ExecLua(code string, result any, args ...any) error {
	return p.ed.ExecLua(code, result, args...)
}

// How long a prompt waits for a Neovim that waits for a key, and for one that is only busy.
const (
	maxBlocked = 2 * time.Second
	maxBusy    = 20 * time.Second
)

func (p port) Answering(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithTimeout(ctx, maxBusy)
	caught.Go(func() { // until ctx ends
		for wait := maxBlocked; ; wait = maxBlocked / 20 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			if p.life.Blocked(ctx) {
				stop()
				return
			}
		}
	})
	return ctx, stop
}

func (p port) SessionDir(id string) string { return p.settings().SessionDir(id) }
