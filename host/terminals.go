package host

import (
	"context"
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/terminals"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// terminalEditor is what terminals need of Neovim.
type terminalEditor struct{ ed feature.Editor }

func (e terminalEditor) ShowTerminal(t terminals.Shown) {
	_ = e.ed.ExecLua(luaTerminals, nil, []terminals.Shown{t}) // Neovim gone: nobody to show it to
}

func (e terminalEditor) Feed(id string, buffer int, data string) bool {
	taken := false
	err := e.ed.ExecLua(luaFeed, &taken, id, buffer, data)
	return err == nil && taken
}

// LocalID is the session's id in this Neovim.
func (s *Session) LocalID() string { return s.id }

// TerminalChanged has the calls drawn again that show a terminal.
func (s *Session) TerminalChanged(name string) {
	s.do(func(st *session.State) { st.TerminalChanged(name) })
}

// createTerminal starts a command on a pty. It takes its id here, in wire order.
func (s *Session) createTerminal(r *acp.CreateTerminalRequest) acp.Answer[*acp.CreateTerminalResponse] {
	h := s.host
	set := h.settings().Terminal
	a, _ := s.connection()

	start := terminals.Start{
		Dir: s.cwd, Env: set.Env, OSC52: set.OSC52, Run: h.run,
		Watch:  func() terminals.Watcher { return h.watch() },
		Wanted: func() bool { return s.Serves(a) },
	}
	if place := a.Place(); place != nil {
		start.Place = terminalPlace{place}
	}
	if len(set.Size) == 2 {
		start.Cols, start.Rows = set.Size[0], set.Size[1]
	}
	return h.terms.Create(s, r, start)
}

// terminalPlace is the place of an agent, as terminals need it.
type terminalPlace struct{ *elsewhere.Place }

func (p terminalPlace) Wrap(ctx context.Context, s terminal.Spec, id string) (terminal.Spec, error) {
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
	got, err := p.Place.Wrap(ctx, c)
	if err != nil {
		return s, err
	}
	s.Command, s.Args, s.HasArgs, s.Env, s.Dir = got.Argv[0], got.Argv[1:], true, got.Env, got.Dir
	return s, nil
}

// command is what the transcript shows of a terminal that the agent names.
func (s *Session) command(name string) (transcript.Command, bool) {
	t := s.host.terms.Named(s, name)
	if t == nil {
		return transcript.Command{}, false
	}
	return t.Command(s.host.settings().Terminal.Tail), true
}

// output is all that is kept of what a terminal has printed.
func (s *Session) output(name string) string {
	t := s.host.terms.Named(s, name)
	if t == nil {
		return ""
	}
	text, _, _ := t.Output()
	return text
}
