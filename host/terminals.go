package host

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// createTerminal starts a command on a pty. It takes its id here, in wire order.
func (s *Session) createTerminal(r *acp.CreateTerminalRequest) acp.Answer[*acp.CreateTerminalResponse] {
	h := s.host
	h.mu.Lock()
	h.termN++
	id := "term-" + strconv.Itoa(h.termN)
	h.mu.Unlock()
	s.mu.Lock()
	a := s.agent
	s.mu.Unlock()
	return func(ctx context.Context) (*acp.CreateTerminalResponse, error) {
		mark := h.run + "/" + id
		started, err := s.startCommand(r, mark)
		if err != nil {
			return nil, acp.Errorf(acp.CodeInvalidParams, "%s: %v", transcript.OneLine(r.Command), err)
		}
		t := &term{Terminal: started, id: id, name: id, line: commandLine(r), mark: mark}
		s.addTerm(t)
		if ctx.Err() != nil || !s.serves(a) {
			t.release() // nobody would ever do it
		}
		return &acp.CreateTerminalResponse{TerminalID: id}, nil
	}
}

// startCommand runs what a request asks for, its processes marked, with the environment of Neovim, the configuration and the request.
func (s *Session) startCommand(r *acp.CreateTerminalRequest, mark string) (*terminal.Terminal, error) {
	h := s.host
	h.mu.Lock()
	set := h.settings.Terminal
	h.mu.Unlock()
	request := make(map[string]string, len(r.Env))
	for _, v := range r.Env {
		request[v.Name] = v.Value
	}
	spec := terminal.Spec{
		Command: r.Command, Args: r.Args, HasArgs: len(r.Args) > 0, Dir: r.Cwd, Limit: r.OutputByteLimit,
		Env:   append(terminal.Env(os.Environ(), set.Env, request), guard.RunVar+"="+mark),
		Shell: os.Getenv("SHELL"),
	}
	if spec.Dir == "" {
		spec.Dir = s.cwd
	}
	if len(set.Size) == 2 {
		spec.Cols, spec.Rows = uint16(set.Size[0]), uint16(set.Size[1])
	}
	g := h.watch()
	return terminal.Start(spec, terminal.Options{Started: g.Add, Ended: g.Remove, OSC52: set.OSC52})
}

// serves reports whether the session is open and still that agent's.
func (s *Session) serves(a *agent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.agent == a
}

func commandLine(r *acp.CreateTerminalRequest) string {
	return transcript.OneLine(strings.Join(append([]string{r.Command}, r.Args...), " "))
}

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
		t.release()
	}
	return acp.Reply(&acp.ReleaseTerminalResponse{}, err)
}
