package demo

import (
	"bytes"
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A command is what execute runs: with args a program, without a line for the shell.
type command struct {
	name string
	args []string
}

// exit is how a command ended, in the protocol's words.
type exit struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

// execute runs a command in the open tool call, in a terminal of the client or, where it has none, by itself. It returns
// what the command printed, as it is fed back to the conversation.
func (t *turn) execute(c command) (string, exit, error) {
	if t.agent.client.Terminal {
		return t.runInTerminal(c)
	}
	return t.runHere(c)
}

// runInTerminal has the client run the command and shows the terminal in the tool call. A cancelled turn kills it.
func (t *turn) runInTerminal(c command) (string, exit, error) {
	const limit = 64 << 10
	params := object{"sessionId": t.session.id, "command": c.name, "cwd": t.session.cwd, "outputByteLimit": limit}
	if c.args != nil {
		params["args"] = c.args
	}

	var created struct {
		TerminalID string `json:"terminalId"`
	}
	if err := t.agent.peer.call(t.ctx, "terminal/create", params, &created); err != nil {
		return "", exit{}, err
	}

	terminal := object{"sessionId": t.session.id, "terminalId": created.TerminalID}
	// This also kills what runs in it. Nobody waits for the answer: a cancelled turn has to end at once.
	defer t.agent.peer.post("terminal/release", terminal)
	// Live only: whoever loads the session later has no such terminal, and gets the text.
	t.session.tell(object{
		"sessionUpdate": "tool_call_update", "toolCallId": t.open, "status": "in_progress",
		"content": []object{{"type": "terminal", "terminalId": created.TerminalID}},
	})
	var ended exit
	if err := t.agent.peer.call(t.ctx, "terminal/wait_for_exit", terminal, &ended); err != nil {
		return "", exit{}, err
	}

	var printed struct {
		Output string `json:"output"`
	}
	if err := t.agent.peer.call(t.ctx, "terminal/output", terminal, &printed); err != nil {
		return "", exit{}, err
	}

	t.session.keep(object{
		"sessionUpdate": "tool_call_update", "toolCallId": t.open, "content": []object{textContent(printed.Output)},
	})
	return printed.Output, ended, nil
}

// runHere runs the command as a child of the agent, in a process group of its own that a cancel kills.
func (t *turn) runHere(c command) (string, exit, error) {
	arguments := append([]string{c.name}, c.args...)
	if c.args == nil {
		arguments = []string{"sh", "-c", c.name}
	}

	process := exec.CommandContext(t.ctx, arguments[0], arguments[1:]...)
	process.Dir = t.session.cwd
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	process.Cancel = func() error { return syscall.Kill(-process.Process.Pid, syscall.SIGKILL) }
	process.WaitDelay = 50 * time.Millisecond // for a grandchild that holds the output open
	output := &shown{session: t.session, call: t.open}
	process.Stdout, process.Stderr = output, output
	t.progress(object{"status": "in_progress"})
	err := process.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, exec.ErrWaitDelay) {
		return "", exit{}, err
	}

	code := process.ProcessState.ExitCode()
	return output.text(), exit{ExitCode: &code}, t.ctx.Err()
}

// shown is the output of a command, shown in the tool call while it grows. It keeps the last 64 KiB.
type shown struct {
	session *session
	call    string // the id of the tool call

	mu   sync.Mutex // guards tail
	tail bytes.Buffer
}

func (s *shown) Write(p []byte) (int, error) {
	const limit = 64 << 10
	s.mu.Lock()
	s.tail.Write(p)
	s.tail.Next(max(0, s.tail.Len()-limit))
	s.mu.Unlock()
	s.session.tell(object{
		"sessionUpdate": "tool_call_update", "toolCallId": s.call, "content": []object{textContent(s.text())},
	})
	return len(p), nil
}

// text is the output so far.
func (s *shown) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.ToValidUTF8(s.tail.Bytes(), []byte("\uFFFD")))
}
