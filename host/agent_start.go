package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// start starts the process and has it introduce itself. What goes wrong is said with what the agent wrote to stderr.
func (a *agent) start(cwd string) error {
	what := "start " + cmp.Or(a.spec.Title, a.spec.Name)
	g := a.host.watch()
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() { // else the program is blamed
		return fmt.Errorf("%s: the folder %s that it is to run in is not there", what, cwd)
	}
	proc, err := acp.Start(acp.Command{
		Path: a.spec.Command, Args: a.spec.Args, Env: a.env(), Dir: cwd,
	}, a, acp.StartOptions{Started: g.Add, Ended: g.Remove, Options: acp.Options{Log: a.log, Request: a.extension, Notification: a.told}})
	if err != nil {
		return fmt.Errorf("%s: %w", what, a.notStarted(err))
	}
	a.proc = proc
	go a.writeTraffic() // until the process has ended
	patience := a.spec.patience()
	ctx, stop := context.WithTimeout(a.starting, patience)
	defer stop()
	info, err := proc.Initialize(ctx, &acp.InitializeRequest{
		ProtocolVersion:    1,
		ClientCapabilities: a.host.capabilities(),
		ClientInfo:         &acp.Implementation{Name: "nvim-acp", Title: "nvim-acp", Version: a.host.version},
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: no answer to initialize within %v%s", what, patience, a.tail())
	case err != nil && proc.Err() == nil:
		return fmt.Errorf("%s: it refuses to begin: %w%s", what, err, a.tail())
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case info.ProtocolVersion != 1:
		return fmt.Errorf("%s: it speaks version %d of the protocol, and this is version 1", what, info.ProtocolVersion)
	}
	a.info = info
	return nil
}

// notStarted says what is wrong with a program that could not be started.
func (a *agent) notStarted(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist) && exists(a.spec.Command):
		return fmt.Errorf("%s cannot be run: the program that its first line names is not there\n%w", a.spec.Command, err)
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s is not installed%s\n%w", a.spec.Command, a.installHelp(), err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s cannot be run: it is not an executable file of yours\n%w", a.spec.Command, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s cannot be run: it is neither a program nor a script that names one\n%w", a.spec.Command, err)
	}
	return err
}

// exists reports whether there is a program of that name or path.
func exists(command string) bool {
	_, err := exec.LookPath(command)
	return err == nil
}

func (a *agent) installHelp() string {
	if a.spec.Install == "" {
		return ""
	}
	return "; to install it: " + a.spec.Install
}

// tail is what the agent wrote to stderr last, on lines of its own.
func (a *agent) tail() string {
	var said strings.Builder
	for _, e := range a.log.Snapshot() {
		if e.Dir == acp.DirStderr {
			said.WriteString(e.Text)
		}
	}
	if text := strings.TrimSpace(transcript.Tail(said.String(), mostTail)); text != "" {
		return "\n" + text
	}
	return ""
}

// mostTail is how much of stderr is told with an error.
const mostTail = 4 << 10

// initializeTimeout is how long an agent may take to answer initialize: some unpack themselves first.
const (
	initializeTimeout = 60 * time.Second
	longestPatience   = 24 * 60 * 60 // seconds
)

// patience is how long an agent may take to answer initialize.
func (s AgentSpec) patience() time.Duration {
	if n := number(s.Quirks["initialize_seconds"]); n > 0 {
		return time.Duration(min(n, longestPatience) * float64(time.Second))
	}
	return initializeTimeout
}

// number is a number as msgpack has it, else 0.
func number(value any) float64 {
	switch n := value.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	}
	return 0
}

// hintSilence tells the user when an agent has been silent for a sixth of that. The timer is stopped when the session is
// ready or closed.
func (s *Session) hintSilence(a *agent) *time.Timer {
	wait := a.spec.patience() / 6
	return time.AfterFunc(wait, func() {
		tail := a.tail()
		s.change(func() {
			if s.agent == a && (s.state == starting || s.state == loading && s.replay != nil && s.replay.Empty()) {
				text := fmt.Sprintf("no answer for %v: it may be installing or unpacking itself; :AcpLog shows what it says, :AcpRestart starts it again", wait)
				s.log.Mark(text+tail, "AcpWarning")
			}
		})
	})
}

// env is the complete environment of the process: ours without what is Neovim's, the configured values, our mark.
func (a *agent) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, configured := a.spec.Env[name]
		return configured || slices.Contains(hidden, name)
	})
	for _, k := range slices.Sorted(maps.Keys(a.spec.Env)) {
		env = append(env, k+"="+a.spec.Env[k])
	}
	return append(env, guard.RunVar+"="+a.host.run)
}
