package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
)

// goElsewhere has the agent start where its spec says. It waits for the disk and for the other side.
func (a *Agent) goElsewhere(ctx context.Context, cmd *acp.Command, opts *acp.Options) error {
	spec := a.Spec
	program, folder := "", ""
	if spec.Elsewhere.Sandbox {
		program, folder = a.pool.host.Tools()
		if !exists(spec.Command) {
			return a.notStarted(fmt.Errorf("%q: %w", spec.Command, os.ErrNotExist))
		}
	}

	place, err := elsewhere.Open(ctx, *spec.Elsewhere, elsewhere.Needs{
		Run: a.pool.config.Run, Cwd: cmd.Dir, Dirs: spec.Dirs, Program: append([]string{spec.Command}, spec.Args...), Env: spec.Env,
		Tools: program, Socket: folder, Watch: a.pool.host.Watch(),
		Say: func(text string) { a.pool.host.Say("warn", spec.Title+": "+text) },
	})
	if err != nil {
		return err
	}

	a.place = place
	s, err := place.Wrap(ctx, elsewhere.Command{
		Argv: append([]string{spec.Command}, spec.Args...), Dir: cmd.Dir, Env: spec.Env,
	})
	if err != nil {
		return err
	}

	*cmd = acp.Command{Path: s.Argv[0], Args: s.Argv[1:], Env: s.Env, Dir: s.Dir, NewSession: true}
	opts.Outgoing, opts.Incoming = place.Outgoing, place.Incoming
	return nil
}

// Place is where the agent runs, nil if that is here or it has not been started.
func (a *Agent) Place() *elsewhere.Place {
	if a == nil {
		return nil
	}
	select {
	case <-a.Ready:
		return a.place
	default:
		return nil
	}
}

// lost returns what is said of a connection to the agent's place that is lost, nil if it is not. It waits a moment.
func (a *Agent) lost() error {
	why := a.place.Lost()
	if why == nil {
		return nil
	}
	text := fmt.Sprintf("the connection to %s is lost: %s", a.place.Title(), strings.TrimRight(why.Error(), ".\n "))
	if a.Spec.Elsewhere.Reconnect {
		text += "; the session goes on when it is back"
	}
	return errors.New(text)
}

// awaitReturn has sessions go on when the agent's place can be reached again.
func (a *Agent) awaitReturn(sessions []Session) {
	if !a.place.AwaitReturn(a.pool.done) {
		return
	}
	for _, s := range sessions {
		s.Return("the connection to " + a.place.Title() + " is back")
	}
}

// PlaceLogins has the commands among login methods run where the agent runs, whatever they are. It waits for the other side.
func (a *Agent) PlaceLogins(methods []Method, cwd string) error {
	if a.place == nil {
		return nil
	}

	ctx, stop := context.WithTimeout(context.Background(), loginTime)
	defer stop()
	for i, m := range methods {
		if m.Kind != ByTerminal {
			continue
		}
		argv, err := a.place.Login(ctx, elsewhere.Command{Argv: m.Argv, Dir: cwd, Env: m.Env, Name: "login", TTY: true})
		if err != nil {
			return err
		}
		methods[i].Argv, methods[i].Env = argv, map[string]string{}
		methods[i].Shown = a.place.Title() + ": " + m.Shown
	}

	return nil
}

// loginTime is how long the other side may take to get ready for a login.
const loginTime = 15 * time.Second
