package terminals

import (
	"context"
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// wrap returns how to start here what a spec says, so that it runs in a place. The environment of the spec is that of the configuration and
// the request, and id names the command. It waits for the other side.
func wrap(ctx context.Context, p *elsewhere.Place, s terminal.Spec, id string) (terminal.Spec, error) {
	c := elsewhere.Command{
		Argv: append([]string{s.Command}, s.Args...), Line: !s.HasArgs, Dir: s.Dir, Env: map[string]string{}, Name: id, TTY: true,
	}
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		c.Env[name] = value
	}

	if p.Direct() { // it is looked for as here
		here := s
		here.Env = terminal.Env(os.Environ(), c.Env, nil)
		argv, err := here.Resolve()
		if err != nil {
			return s, err
		}
		c.Argv, c.Line = argv, false
	}

	got, err := p.Wrap(ctx, c)
	if err != nil {
		return s, err
	}

	s.Command, s.Args, s.HasArgs, s.Env, s.Dir = got.Argv[0], got.Argv[1:], true, got.Env, got.Dir
	return s, nil
}
