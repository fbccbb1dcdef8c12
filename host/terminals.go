package host

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// term is a command of an agent's, or output that an agent shows as a terminal's.
type term struct {
	*terminal.Terminal
	host    *Host
	session *Session
	id      string // ours, unique in the host
	name    string // the agent's; for commands the same
	line    string
	display bool
	view    chan bool // size 1: whether a window shows it from now on

	mu       sync.Mutex // guards released
	released bool
}

// shownTerm is a terminal as Lua is told of it.
type shownTerm struct {
	ID      string `msgpack:"id"`
	Session string `msgpack:"session"`
	Command string `msgpack:"command"`
	Running bool   `msgpack:"running"`
	Exit    string `msgpack:"exit"`
	Input   bool   `msgpack:"input"`
	Started bool   `msgpack:"started"`
}

// createTerminal starts a command on a pty. It takes its id here, in wire order.
func (s *Session) createTerminal(r *acp.CreateTerminalRequest) acp.Answer[*acp.CreateTerminalResponse] {
	h := s.host
	h.mu.Lock()
	h.termN++
	id := "term-" + strconv.Itoa(h.termN)
	set := h.settings.Terminal
	h.mu.Unlock()
	return func(context.Context) (*acp.CreateTerminalResponse, error) {
		dir := r.Cwd
		if dir == "" {
			dir = s.cwd
		}
		request := make(map[string]string, len(r.Env))
		for _, v := range r.Env {
			request[v.Name] = v.Value
		}
		g := h.watch()
		spec := terminal.Spec{
			Command: r.Command, Args: r.Args, HasArgs: len(r.Args) > 0, Dir: dir, Limit: r.OutputByteLimit,
			Env:   append(terminal.Env(os.Environ(), set.Env, request), guard.RunVar+"="+h.run),
			Shell: os.Getenv("SHELL"),
		}
		if len(set.Size) == 2 {
			spec.Cols, spec.Rows = uint16(set.Size[0]), uint16(set.Size[1])
		}
		t, err := terminal.Start(spec, terminal.Options{Started: g.Add, Ended: g.Remove, OSC52: set.OSC52})
		if err != nil {
			return nil, acp.Errorf(acp.CodeInvalidParams, "start %s: %v", r.Command, err)
		}
		s.addTerm(&term{Terminal: t, id: id, name: id, line: commandLine(r)})
		return &acp.CreateTerminalResponse{TerminalID: id}, nil
	}
}

func commandLine(r *acp.CreateTerminalRequest) string {
	return transcript.OneLine(strings.Join(append([]string{r.Command}, r.Args...), " "))
}

// addTerm makes a terminal known and starts what follows it.
func (s *Session) addTerm(t *term) {
	t.host, t.session, t.view = s.host, s, make(chan bool, 1)
	s.host.mu.Lock()
	s.host.terms[t.id] = t
	s.host.mu.Unlock()
	go func() { // until the command has ended
		t.tell(true)
		t.follow()
	}()
	go t.feed() // until the host ends
}

// tell tells Lua what the terminal is.
func (t *term) tell(started bool) {
	shown := shownTerm{ID: t.id, Session: t.session.id, Command: t.line, Input: !t.display, Started: started}
	_, _, exit := t.Output()
	shown.Running, shown.Exit = exit == nil, exitText(exit)
	_ = t.host.ed.ExecLua(luaTerminals, nil, []shownTerm{shown}) // Neovim gone: nobody to tell
}

func exitText(exit *terminal.ExitStatus) string {
	switch {
	case exit == nil:
		return ""
	case exit.Signal != "":
		return exit.Signal
	case exit.Code != nil && *exit.Code != 0:
		return "exit " + strconv.Itoa(*exit.Code)
	}
	return ""
}

// follow redraws the calls that show the terminal whenever it changes.
func (t *term) follow() {
	v := t.View()
	defer v.Close()
	for over := false; !over; {
		select {
		case <-v.Poke():
		case <-t.Done():
			over = true
		}
		t.session.change(func() { t.session.log.TerminalChanged(t.name) })
	}
	t.tell(false)
}

// watched notes whether a window shows the terminal.
func (t *term) watched(on bool) {
	select {
	case <-t.view:
	default:
	}
	t.view <- on
}

// maxFeed is the largest send to a terminal buffer: more at once holds Neovim's loop.
const maxFeed = 8 << 10

// feed sends what the command prints to its window, a send at a time, each awaited; while no window shows it, nothing.
func (t *term) feed() {
	for {
		select {
		case on := <-t.view:
			if on {
				t.show()
			}
		case <-t.host.render.done:
			return
		}
	}
}

// show feeds a window from what is kept of the stream on, until nobody looks any more.
func (t *term) show() {
	v := t.Terminal.View()
	defer v.Close()
	for {
		chunk, _ := v.Next(maxFeed)
		if len(chunk) == 0 {
			select {
			case <-v.Poke():
			case <-t.host.render.done:
				return
			}
			continue
		}
		on := false
		if err := t.host.ed.ExecLua(luaFeed, &on, t.id, string(chunk)); err != nil || !on {
			return
		}
	}
}

// command is what the transcript shows of a terminal that the agent names.
func (s *Session) command(name string) (transcript.Command, bool) {
	h := s.host
	h.mu.Lock()
	t := h.terms[name]
	if t == nil || t.session != s {
		t = h.terms[s.key(name)]
	}
	tail := h.settings.Terminal.Tail
	h.mu.Unlock()
	if t == nil {
		return transcript.Command{}, false
	}
	_, truncated, exit := t.Output()
	return transcript.Command{
		ID: t.id, Line: t.line, Tail: t.Tail(tail), Running: exit == nil, Exit: exitText(exit), Truncated: truncated,
	}, true
}

// key is the id under which the host knows a display terminal.
func (s *Session) key(name string) string { return s.id + "/" + name }

// term finds a command of an agent's that was not released.
func (a *agent) term(session, id string) (*term, error) {
	a.host.mu.Lock()
	t := a.host.terms[id]
	a.host.mu.Unlock()
	s := a.session(session)
	if t == nil || t.display || s == nil || t.session != s || t.forgotten() {
		return nil, acp.Errorf(acp.CodeResourceNotFound, "no terminal %q", id)
	}
	return t, nil
}

func (t *term) forgotten() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.released
}

func (a *agent) terminalOutput(r *acp.TerminalOutputRequest) acp.Answer[*acp.TerminalOutputResponse] {
	t, err := a.term(r.SessionID, r.TerminalID)
	return func(context.Context) (*acp.TerminalOutputResponse, error) {
		if err != nil {
			return nil, err
		}
		text, truncated, exit := t.Output()
		out := &acp.TerminalOutputResponse{Output: text, Truncated: truncated}
		if exit != nil {
			code, signal := exitOf(*exit)
			out.ExitStatus = &acp.TerminalExitStatus{ExitCode: code, Signal: signal}
		}
		return out, nil
	}
}

func exitOf(exit terminal.ExitStatus) (code *uint32, signal *string) {
	if exit.Code != nil {
		c := uint32(*exit.Code)
		code = &c
	}
	if exit.Signal != "" {
		signal = &exit.Signal
	}
	return code, signal
}

func (a *agent) waitForTerminalExit(r *acp.WaitForTerminalExitRequest) acp.Answer[*acp.WaitForTerminalExitResponse] {
	t, err := a.term(r.SessionID, r.TerminalID)
	return func(ctx context.Context) (*acp.WaitForTerminalExitResponse, error) {
		if err != nil {
			return nil, err
		}
		exit, err := t.Wait(ctx)
		if err != nil {
			return nil, err
		}
		code, signal := exitOf(exit)
		return &acp.WaitForTerminalExitResponse{ExitCode: code, Signal: signal}, nil
	}
}

func (a *agent) killTerminal(r *acp.KillTerminalRequest) acp.Answer[*acp.KillTerminalResponse] {
	t, err := a.term(r.SessionID, r.TerminalID)
	if err == nil {
		t.Kill()
	}
	return acp.Reply(&acp.KillTerminalResponse{}, err)
}

func (a *agent) releaseTerminal(r *acp.ReleaseTerminalRequest) acp.Answer[*acp.ReleaseTerminalResponse] {
	t, err := a.term(r.SessionID, r.TerminalID)
	if err == nil {
		t.mu.Lock()
		t.released = true
		t.mu.Unlock()
		t.Release()
	}
	return acp.Reply(&acp.ReleaseTerminalResponse{}, err)
}
