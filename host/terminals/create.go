package terminals

import (
	"context"
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// Start says how commands are started.
type Start struct {
	Dir    string            // where those run that name no folder
	Env    map[string]string // of the configuration; a request's own values win
	Cols   int               // size before a window shows it; 0: the default
	Rows   int
	OSC52  bool                  // they may set the clipboard
	Run    string                // marks all processes of this host
	Watch  func() Watcher        // told of each process group; called before a command is started
	Wanted func() (stopped bool) // the request's agent still serves the session; called after

	Place *elsewhere.Place // where commands run; nil: here
}

// Watcher is told of the process groups that run.
type Watcher interface {
	Add(pgid int)
	Remove(pgid int)
}

// Create starts a command on a pty. It takes its id at once, in wire order. It answers terminal/create.
func (s *Set) Create(owner Owner, r *acp.CreateTerminalRequest, how Start) acp.Answer[*acp.CreateTerminalResponse] {
	id := s.nextID()
	return func(ctx context.Context) (*acp.CreateTerminalResponse, error) {
		if !s.begin(owner) {
			return nil, acp.Errorf(acp.CodeInvalidParams,
				"%d commands of this session run: no further one is started before one of them ends", maxRunning)
		}

		mark := how.Run + "/" + id
		started, err := start(ctx, r, how, id, mark)
		if err != nil {
			s.mu.Lock()
			s.began(owner)
			s.mu.Unlock()
			return nil, acp.Errorf(acp.CodeInvalidParams, "%s: %v", plain.OneLine(r.Command), err)
		}

		t := newTerm(s, owner, started, id)
		t.name, t.mark = id, mark
		if how.Place != nil {
			t.endThere = func() { how.Place.End(id) }
		}

		t.line = plain.OneLine(strings.Join(append([]string{r.Command}, r.Args...), " "))
		s.add(t)
		if ctx.Err() != nil || !how.Wanted() {
			t.release() // nobody would ever do it
		}

		return &acp.CreateTerminalResponse{TerminalID: id}, nil
	}
}

// maxRunning is how many commands of an agent may run in a session at once.
const maxRunning = 100

// begin counts a command that is about to be started in a session. It reports false if none may be.
func (s *Set) begin(owner Owner) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	n := s.starting[owner]
	for _, t := range s.terms {
		if _, exit := t.State(); t.owner == owner && !t.display && exit == nil {
			n++
		}
	}

	if n >= maxRunning {
		return false
	}

	s.starting[owner]++
	return true
}

// began is called for each command that begin has counted: it is started and known, or has failed to start. s.mu is held.
func (s *Set) began(owner Owner) {
	if s.starting[owner]--; s.starting[owner] == 0 {
		delete(s.starting, owner)
	}
}

// start runs a request's command, its processes marked, with the environment of Neovim, the configuration and the request.
func start(ctx context.Context, r *acp.CreateTerminalRequest, how Start, id, mark string) (*terminal.Terminal, error) {
	request := make(map[string]string, len(r.Env))
	for _, v := range r.Env {
		request[v.Name] = v.Value
	}

	spec := terminal.Spec{
		Command: r.Command, Args: r.Args, HasArgs: len(r.Args) > 0, Dir: r.Cwd, Limit: r.OutputByteLimit,
		Cols: uint16(how.Cols), Rows: uint16(how.Rows),
		Env:   append(terminal.Env(os.Environ(), how.Env, request), guard.RunVar+"="+mark),
		Shell: os.Getenv("SHELL"),
	}
	if spec.Dir == "" {
		spec.Dir = how.Dir
	}
	if how.Place != nil {
		var err error
		spec.Env = terminal.Env(nil, how.Env, request)
		if spec, err = wrap(ctx, how.Place, spec, id); err != nil {
			return nil, err
		}
	}

	w := how.Watch()
	return terminal.Start(spec, terminal.Options{Started: w.Add, Ended: w.Remove, OSC52: how.OSC52})
}

// Output answers with what a command has printed. It answers terminal/output.
func (s *Set) Output(owner Owner, r *acp.TerminalOutputRequest) acp.Answer[*acp.TerminalOutputResponse] {
	t, err := s.command(owner, r.TerminalID)
	return func(context.Context) (*acp.TerminalOutputResponse, error) {
		if err != nil {
			return nil, err
		}
		text, truncated, exit := t.Terminal.Output()
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

// WaitForExit answers when a command has ended. It answers terminal/wait_for_exit.
func (s *Set) WaitForExit(owner Owner, r *acp.WaitForTerminalExitRequest) acp.Answer[*acp.WaitForTerminalExitResponse] {
	t, err := s.command(owner, r.TerminalID)
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

// Kill ends a command and keeps its terminal. It answers terminal/kill.
func (s *Set) Kill(owner Owner, r *acp.KillTerminalRequest) acp.Answer[*acp.KillTerminalResponse] {
	t, err := s.command(owner, r.TerminalID)
	if err == nil {
		t.Kill()
	}
	return acp.Reply(&acp.KillTerminalResponse{}, err)
}

// ReleaseOne ends a command and forgets its id. It answers terminal/release.
func (s *Set) ReleaseOne(owner Owner, r *acp.ReleaseTerminalRequest) acp.Answer[*acp.ReleaseTerminalResponse] {
	t, err := s.command(owner, r.TerminalID)
	if err == nil {
		t.release()
	}
	return acp.Reply(&acp.ReleaseTerminalResponse{}, err)
}
