package acptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// ScriptOpts are the optional parts of Script.
type ScriptOpts struct {
	Stderr io.Writer // what the script's stderr lines are written to; nil drops them
	Log    io.Writer // gets every line of both directions, marked "< " and "> "; nil drops them
}

// An ExitError says that the script ended the agent.
type ExitError struct{ Status int }

func (e *ExitError) Error() string { return fmt.Sprintf("the script ends with status %d", e.Status) }

// A MismatchError says what the client did other than the script expects.
type MismatchError struct {
	Line     int // of the script
	Expected string
	Got      string
	Reason   string
}

func (e *MismatchError) Error() string {
	text := fmt.Sprintf("script:%d: expected %s\n  got %s", e.Line, shorten(e.Expected), shorten(e.Got))
	if e.Reason != "" {
		text += "\n  because " + shorten(e.Reason)
	}
	return text
}

// shorten keeps an error message readable.
func shorten(text string) string {
	const most = 2000
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// ExitStatus is the status for a process whose Script or Replay returned err: that of its exit line, 3 for a mismatch.
func ExitStatus(err error) int {
	var exit *ExitError
	var mismatch *MismatchError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Status
	case errors.As(err, &mismatch):
		return 3
	}
	return 1
}

// Script plays a script as the agent of one client. It returns nil when the client closes its end, whether or not the
// script was through, a *MismatchError, an *ExitError, or an error of the script itself. It blocks in reads of in, which
// ctx does not end; ctx ends waits.
func Script(ctx context.Context, script, in io.Reader, out io.Writer, opts ScriptOpts) error {
	steps, err := parseScript(script)
	if err != nil {
		return err
	}
	if opts.Stderr == nil {
		opts.Stderr = io.Discard
	}

	p := &player{
		in: bufio.NewReader(in), opts: opts, vars: variables{},
		allowed: map[string]json.RawMessage{}, asked: map[string]bool{},
	}
	var wire io.Writer = out
	if opts.Log != nil {
		wire = io.MultiWriter(out, &marker{to: opts.Log})
	}

	p.out = bufio.NewWriterSize(wire, 64<<10)
	err = p.play(ctx, steps)
	if err == nil {
		err = p.drain()
	}

	return errors.Join(ignoreEOF(err), p.out.Flush())
}

// ignoreEOF makes the client's leaving a proper end.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// A player is the state of one script while it is played, by one goroutine.
type player struct {
	in   *bufio.Reader
	out  *bufio.Writer
	opts ScriptOpts
	vars variables

	open    []message                  // the client's requests without an answer, oldest first
	allowed map[string]json.RawMessage // methods that may come at any time, with their result
	asked   map[string]bool            // ids of our requests without an answer
	lastID  int
}

// play runs steps until the first error.
func (p *player) play(ctx context.Context, steps []step) error {
	for _, s := range steps {
		if s.word == "repeat" {
			if err := p.repeat(ctx, s); err != nil {
				return err
			}
			continue
		}
		if err := words[s.word](p, ctx, s); err != nil {
			return p.located(s, err)
		}
	}
	return nil
}

// located adds the line to an error of the script; errors that a caller looks for stay as they are.
func (p *player) located(s step, err error) error {
	var exit *ExitError
	var mismatch *MismatchError
	if errors.As(err, &exit) || errors.As(err, &mismatch) || ignoreEOF(err) == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("script:%d: %s: %w", s.line, s.word, err)
}

// repeat plays the lines of a repeat.
func (p *player) repeat(ctx context.Context, s step) error {
	times, err := strconv.Atoi(p.vars.expand(s.text, false))
	if err != nil {
		return p.located(s, err)
	}
	for i := range times {
		p.vars["i"] = strconv.Itoa(i + 1)
		if err := p.play(ctx, s.steps); err != nil {
			return err
		}
	}
	delete(p.vars, "i")
	return nil
}

// next reads what the client sends next, after all that was to be sent is sent.
func (p *player) next() (message, error) {
	if err := p.out.Flush(); err != nil {
		return message{}, err
	}

	m, err := read(p.in)
	if err != nil {
		return m, err
	}
	if p.opts.Log != nil {
		fmt.Fprintf(p.opts.Log, "< %s\n", m.raw)
	}
	if m.wantsAnswer() {
		p.open = append(p.open, m)
		p.vars["id"] = string(m.ID)
	}
	switch m.Method {
	case "session/new", "session/load", "session/resume":
		p.vars["CWD"] = m.field("cwd")
	}

	return m, nil
}

// allow takes a message that the script expects at no particular time.
func (p *player) allow(m message) (bool, error) {
	result, ok := p.allowed[m.Method]
	if !ok || m.Method == "" {
		return false, nil
	}
	if !m.wantsAnswer() {
		return true, nil
	}
	return true, p.answer(len(p.open)-1, "result", result)
}

// answer answers the open request i and forgets it.
func (p *player) answer(i int, name string, value json.RawMessage) error {
	id := p.open[i].ID
	p.open = append(p.open[:i:i], p.open[i+1:]...)
	delete(p.vars, "id")
	if n := len(p.open); n > 0 {
		p.vars["id"] = string(p.open[n-1].ID)
	}
	return writeMessage(p.out, id, "", name, value)
}

// drain reads on after the last line, until the client leaves.
func (p *player) drain() error {
	for {
		m, err := p.next()
		if err != nil {
			return err
		}
		taken, err := p.allow(m)
		if err != nil {
			return err
		}
		if !taken && m.wantsAnswer() {
			return &MismatchError{Expected: "no request after the last line", Got: string(m.raw)}
		}
	}
}

// A marker copies what is sent to the log, one write for each flush, with a mark before each line.
type marker struct {
	to   io.Writer
	rest []byte
}

func (m *marker) Write(p []byte) (int, error) {
	m.rest = append(m.rest, p...)
	for {
		i := indexEnd(m.rest)
		if i == 0 {
			return len(p), nil
		}
		fmt.Fprintf(m.to, "> %s", m.rest[:i])
		m.rest = m.rest[i:]
	}
}

// indexEnd returns the length of the first whole line, or 0.
func indexEnd(text []byte) int {
	for i, c := range text {
		if c == '\n' {
			return i + 1
		}
	}
	return 0
}
