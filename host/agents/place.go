package agents

import (
	"context"
	"fmt"
	"os"

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

// lost returns why the connection to the agent has ended.
func (a *Agent) lost() error {
	if why := a.place.Lost(); why != nil {
		return fmt.Errorf("the connection to %s is lost: %w", a.place.Title(), why)
	}
	return a.Proc.Err()
}
