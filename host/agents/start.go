package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// start starts the process and has it introduce itself. What goes wrong is said with what the agent wrote to stderr.
func (a *Agent) start(cwd string, l Logging) error {
	what := "start " + cmp.Or(a.Spec.Title, a.Spec.Name)
	wrap := func(err error) error {
		var missing *missingError
		if errors.As(err, &missing) {
			return missing
		}
		return fmt.Errorf("%s: %w", what, err)
	}

	g := a.pool.host.Watch()
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() { // else the program is blamed
		return fmt.Errorf("%s: the folder %s that it is to run in is not there", what, cwd)
	}

	patience := a.Spec.Patience()
	ctx, stop := context.WithTimeout(a.starting, patience)
	defer stop()
	cmd := acp.Command{Path: a.Spec.Command, Args: a.Spec.Args, Env: a.env(), Dir: cwd}
	opts := acp.Options{
		Log: a.Log,
		Request: func(method string, params acp.Raw) acp.Answer[any] {
			return a.pool.host.Extension(a, method, params)
		},
		Notification: func(method string, params acp.Raw) { a.pool.host.Notice(a, method, params) },
		Garbled:      a.garbled(),
	}
	if a.Spec.Elsewhere != nil {
		if err := a.goElsewhere(ctx, &cmd, &opts); err != nil {
			return wrap(err)
		}
	}

	proc, err := acp.Start(cmd, a.pool.host.Client(a), acp.StartOptions{Started: g.Add, Ended: g.Remove, Options: opts})
	if err != nil {
		return wrap(a.notStarted(err))
	}

	a.Proc = proc
	caught.Go(func() { // ends with the process, and soon after it
		if <-proc.Exited(); leaves(proc.ExitStatus()) {
			guard.End(a.mark())
		}
	})
	caught.Go(func() { a.writeTraffic(l) }) // until the process has ended
	info, err := proc.Initialize(ctx, &acp.InitializeRequest{
		ProtocolVersion:    1,
		ClientCapabilities: capabilities(a.place.Shared(), a.Spec.Subagents()),
		ClientInfo:         &acp.Implementation{Name: "nvim-acp", Title: "nvim-acp", Version: a.pool.config.Version},
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: no answer to initialize within %v%s", what, patience, a.Tail())
	case err != nil && proc.Err() == nil:
		return fmt.Errorf("%s: initialize failed: %w%s", what, err, a.Tail())
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case info.ProtocolVersion != 1:
		return fmt.Errorf("%s: it speaks version %d of the protocol, and this is version 1", what, info.ProtocolVersion)
	}

	a.Info = info
	return nil
}

// notStarted says what is wrong with a program that could not be started.
func (a *Agent) notStarted(err error) error {
	command := a.Spec.Command
	switch {
	case command == "" || errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) && !exists(command):
		return &missingError{a.Spec, err}
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s cannot be run: the program that its first line names is not there\n%w", command, err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s cannot be run: it is not an executable file of yours\n%w", command, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s cannot be run: it is neither a program nor a script that names one\n%w", command, err)
	}
	return err
}

// missingError says what installs an agent whose program is not there, or where nothing is known of that, which setting names it. Its
// first line has nothing that a narrow window breaks in two; the program is named below it.
type missingError struct {
	spec Spec
	err  error
}

func (e *missingError) Error() string {
	title, command := cmp.Or(e.spec.Title, e.spec.Name), e.spec.Command
	if e.spec.Install == "" {
		setting := fmt.Sprintf("agents.%s.command", e.spec.Name)
		if command == "" {
			return fmt.Sprintf("%s is not installed; set %s", title, setting)
		}
		if strings.ContainsRune(command, filepath.Separator) {
			return fmt.Sprintf("%s is not installed: there is no program %s; correct %s", title, command, setting)
		}
		return fmt.Sprintf("%s is not installed: no program %s is on your PATH; install it, or correct %s", title, command, setting)
	}

	text := title + " is not installed; to install it: " + e.spec.Install
	if command == "" { // known from the registry alone
		return text
	}

	return fmt.Sprintf("%s\n%s: %v", text, command, e.err)
}

func (e *missingError) Unwrap() error { return e.err }

// exists reports whether there is a program of that name or path.
func exists(command string) bool {
	_, err := exec.LookPath(command)
	return err == nil
}

// Tail is what the agent wrote to stderr last, on lines of its own.
func (a *Agent) Tail() string {
	var said strings.Builder
	entries, _ := a.Log.Stderr(0)
	for _, e := range entries {
		said.WriteString(e.Text)
	}
	if text := strings.TrimSpace(plain.Tail(said.String(), maxTail)); text != "" {
		return "\n" + text
	}
	return ""
}

// Stray is the last line of the agent's output that is no message, "" if there is none.
func (a *Agent) Stray() string {
	entries, _ := a.Log.Ignored(0)
	if len(entries) == 0 {
		return ""
	}
	return plain.OneLine(plain.Short(entries[len(entries)-1].Text, maxStray))
}

const maxStray = 200 // bytes of such a line

// garbled returns what tells each session, once, that a message cannot be read: what somebody waits for may never come. One that begins
// says so by itself when it has waited for a while.
func (a *Agent) garbled() func(text []byte) {
	said := false
	return func(text []byte) {
		sessions := a.Sessions()
		if said || len(sessions) == 0 {
			return
		}
		said = true
		words := plain.OneLine(plain.Short(string(text[:min(len(text), 2*maxStray)]), maxStray))
		for _, s := range sessions {
			s.Misplaced("what the agent wrote is no message, and lost (:AcpLog shows it, and any more): " + words)
		}
	}
}

// maxTail is how much of stderr is told with an error.
const maxTail = 4 << 10

// env is the complete environment of the process: ours without what is Neovim's, the configured values, our mark.
func (a *Agent) env() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, configured := a.Spec.Env[name]
		return configured || slices.Contains(hidden, name)
	})
	for _, k := range slices.Sorted(maps.Keys(a.Spec.Env)) {
		env = append(env, k+"="+a.Spec.Env[k])
	}
	return append(env, guard.RunVar+"="+a.mark())
}

// mark is by which the processes that the agent starts are found: another one for each process of an agent.
func (a *Agent) mark() string {
	return fmt.Sprintf("%s/agent%d", a.pool.config.Run, a.Began.UnixNano())
}

// leaves reports whether an agent that has ended so leaves its commands behind, also those with a process group of their own: it was
// killed, or has failed. One that ends in good order may have started what is to stay.
func leaves(status string) bool {
	return !slices.Contains([]string{"exit status 0", "signal: terminated", "signal: interrupt", "signal: hangup",
		"exit status 143", "exit status 130", "exit status 129"}, status)
}

// subagentEvents asks one agent to say which call a subagent is, and of each piece of text, before it comes, who says it: the
// updates of the protocol have only the subagent's id, and texts have nothing.
const subagentEvents = `{"events": ["subagent.started", "assistant.message_delta", "assistant.reasoning_delta"]}`

// capabilities are what this client can do, and nothing that it cannot: where no files are shared it serves none.
func capabilities(shared, subagents bool) acp.ClientCapabilities {
	can := acp.ClientCapabilities{
		FS:       acp.FileSystemCapabilities{ReadTextFile: shared, WriteTextFile: shared},
		Terminal: true,
		Session: &acp.ClientSessionCapabilities{
			ConfigOptions: &acp.SessionConfigOptionsCapabilities{Boolean: &acp.Supported{}},
			Notices:       &acp.Supported{},
			Compaction:    &acp.Supported{},
		},
		Auth:        acp.AuthCapabilities{Terminal: true},
		Elicitation: &acp.ElicitationCapabilities{Form: &acp.Supported{}, URL: &acp.Supported{}},
		Meta: acp.Meta{
			"terminal_output": acp.Raw("true"), "terminal-auth": acp.Raw("true"), "github.com/copilot": acp.Raw(subagentEvents),
		},
	}
	if subagents {
		can.Subagents = &acp.Supported{}
	}

	return can
}
