// Package terminal runs commands on ptys. It keeps the end of their output as plain text for the agent, and passes the filtered
// stream to views for the user.
//
// Package host calls it. Each running command has three goroutines, and a fourth while it is killed. They end with the
// command or, where a process that it left behind holds the pty, with Release. The package knows neither Neovim nor the
// protocol.
package terminal

import (
	"context"
	"errors"
	"image/color"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/poke"
)

const (
	// defaultLimit is how many bytes of text are kept if the agent does not say, maxLimit how many at most.
	defaultLimit = 1 << 20
	maxLimit     = 16 << 20
	// defaultCols and defaultRows are the size of a terminal that nothing shows yet (behaviour 236).
	defaultCols, defaultRows = 120, 40
)

// Spec is a command to run.
type Spec struct {
	Command string   // a program, or a line for the shell if there are no arguments
	Args    []string // the arguments, without the program
	HasArgs bool     // the request had arguments; an empty list counts as none
	Env     []string // all of the environment, in the form of os.Environ; see [Env]
	Dir     string   // the working directory
	Limit   *uint64  // how many bytes of text to keep; nil is 1 MiB, and 16 MiB is the most
	Cols    uint16   // the size of the pty; 0 is 120 and 40
	Rows    uint16
	Shell   string // the user's shell, used if it is bash or zsh
}

// Options configure a terminal; the zero value is usable.
type Options struct {
	// Started is called with the process group before Start returns, Ended once nothing of it holds the pty any more,
	// from a goroutine of the terminal.
	Started, Ended func(pgid int)
	// Grace is how long a killed command has to end by itself; 0 is 1.5 s.
	Grace time.Duration
	// OSC52 lets a command set the clipboard.
	OSC52 bool
	// Foreground and Background are the answers to queries of the colours; nil is light grey on black.
	Foreground, Background color.Color
}

// ExitStatus is the exit code of a command, or the signal that ended it, such as "SIGTERM".
type ExitStatus struct {
	Code   *int
	Signal string
}

// ErrNoInput is the error of Write to a terminal without a reader, ErrInputFull the one if a command has not read for so long
// that input is dropped.
var (
	ErrNoInput   = errors.New("terminal takes no input")
	ErrInputFull = errors.New("command does not read its input")
)

// Terminal is a command on a pty, or what an agent reports of one that it runs itself (see [NewDisplay]). It is safe for
// concurrent use, and no method but Wait blocks.
type Terminal struct {
	opts    Options
	process *process // nil for a display terminal

	mu      sync.Mutex // guards the fields below
	scanner *scanner
	screen  *screen
	log     log
	fed     time.Time // when the last output came
	lastCR  bool      // the last byte fed to a display terminal was a carriage return
	exit    *ExitStatus
	exited  chan struct{} // closed when exit is set
}

// NewDisplay returns a terminal without a process: Feed adds its output and Exit ends it. It takes no input.
func NewDisplay(opts Options) *Terminal {
	return newTerminal(Spec{}, opts, nil)
}

func newTerminal(spec Spec, opts Options, p *process) *Terminal {
	t := &Terminal{opts: opts, process: p, exited: make(chan struct{}), fed: time.Now()}
	limit := uint64(defaultLimit)
	if spec.Limit != nil {
		limit = min(*spec.Limit, maxLimit)
	}

	cols, rows := spec.size()
	t.screen = newScreen(int(cols), int(rows), int(limit))
	f := &filter{emit: t.log.add, osc52: opts.OSC52}
	f.cursor = t.screen.position
	f.size = func() (int, int) { return t.screen.height, t.screen.cols }
	f.colors = [2]color.Color{opts.Foreground, opts.Background}
	for i, c := range []color.Color{color.Gray{0xd0}, color.Black} {
		if f.colors[i] == nil {
			f.colors[i] = c
		}
	}

	if p != nil {
		f.answer = func(reply string) { _ = p.input.add([]byte(reply)) } // if it is full, nobody reads answers either
	}

	t.scanner = newScanner(t.screen, f)
	return t
}

// size returns the size of the pty.
func (s Spec) size() (cols, rows uint16) {
	cols, rows = s.Cols, s.Rows
	if cols == 0 {
		cols = defaultCols
	}
	if rows == 0 {
		rows = defaultRows
	}
	return cols, rows
}

// feed adds output.
func (t *Terminal) feed(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.feedLocked(p)
}

// feedLocked is feed with the mutex held.
func (t *Terminal) feedLocked(p []byte) {
	t.fed = time.Now()
	t.scanner.feed(p)
	t.log.poke()
}

// Feed adds output to a display terminal. A line feed without carriage return begins a line, as it would behind a pty.
func (t *Terminal) Feed(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]byte, 0, len(p)+len(p)/16)
	for _, b := range p {
		if b == '\n' && !t.lastCR {
			out = append(out, '\r')
		}
		out = append(out, b)
		t.lastCR = b == '\r'
	}
	t.feedLocked(out)
}

// Exit sets the exit status of a display terminal. Only the first call counts.
func (t *Terminal) Exit(status ExitStatus) {
	t.finish()
	t.end(status)
}

// finish tells the scanner that no more output comes.
func (t *Terminal) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scanner.flush()
	t.log.poke()
}

// end sets the exit status.
func (t *Terminal) end(status ExitStatus) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.exit == nil {
		t.exit = &status
		close(t.exited)
		t.log.poke()
	}
}

// Output returns the text so far, as much of its end as the limit allows, whether it is truncated, and the exit status, nil
// while the command runs. It works after Release too.
func (t *Terminal) Output() (text string, truncated bool, exit *ExitStatus) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, truncated = t.screen.output()
	return text, truncated, t.exit
}

// State returns the results of Output other than the text, without its cost.
func (t *Terminal) State() (truncated bool, exit *ExitStatus) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.truncated(), t.exit
}

// Shrink keeps only the last n bytes of the text and of what a new view begins with.
func (t *Terminal) Shrink(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.done.shrink(n)
	t.log.shrink(n)
}

// Tail returns the last n lines of the text.
func (t *Terminal) Tail(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.tail(n)
}

// Wait blocks until the command has ended. It does not wait for processes that the command left behind.
func (t *Terminal) Wait(ctx context.Context) (ExitStatus, error) {
	select {
	case <-t.exited:
	case <-ctx.Done():
		return ExitStatus{}, context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return *t.exit, nil
}

// View returns a new reader of the filtered stream. The caller closes it.
func (t *Terminal) View() *View {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &View{mu: &t.mu, log: &t.log, at: t.log.start, born: t.log.end(), poke: poke.New()}
	v.poke.Poke()
	t.log.views = append(t.log.views, v)
	return v
}

// Kill ends the command and its process group: SIGTERM first, and SIGKILL after the grace. It returns at once; Wait returns
// when the command has ended. Output and views stay.
func (t *Terminal) Kill() {
	if t.process != nil {
		t.process.kill(t.opts.Grace, false)
	}
}

// Release ends the command as Kill does and then lets go of the pty, whoever holds its other side. Output and views stay.
func (t *Terminal) Release() {
	if t.process != nil {
		t.process.kill(t.opts.Grace, true)
	}
}

// Done is closed when the command has ended, nothing reads its pty any more and all goroutines of it are gone; for a
// display terminal, when it has ended.
func (t *Terminal) Done() <-chan struct{} {
	if t.process != nil {
		return t.process.gone
	}
	return t.exited
}

// Write sends input. It never blocks, and keeps its order.
func (t *Terminal) Write(p []byte) (int, error) {
	if t.process == nil {
		return 0, ErrNoInput
	}
	if err := t.process.input.add(slices.Clone(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Resize sets the size of the pty.
func (t *Terminal) Resize(cols, rows uint16) error {
	if cols == 0 || rows == 0 {
		return os.ErrInvalid
	}
	t.mu.Lock()
	t.screen.resize(int(cols), int(rows))
	t.mu.Unlock()
	if t.process == nil {
		return nil
	}
	return t.process.resize(cols, rows)
}

// quiet is how long a command must have printed nothing to count as waiting.
const quiet = 10 * time.Second

// Waiting reports whether the command seems to wait for the user: it runs, has printed nothing for 10 s, and, where that
// can be seen, a process in its foreground is reading from its terminal. It reads /proc, so it is not for every frame.
func (t *Terminal) Waiting() bool { return t.waiting(time.Now().Add(-quiet)) }

// waiting is Waiting with the time since which nothing may have been printed.
func (t *Terminal) waiting(since time.Time) bool {
	t.mu.Lock()
	silent := t.process != nil && t.exit == nil && !t.fed.After(since)
	t.mu.Unlock()
	return silent && t.process.reading()
}
