package elsewhere

import (
	"bufio"
	"context"
	_ "embed" // the script of the other side
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// lineScript runs on the other side.
//
//go:embed line.sh
var lineScript string

const (
	greeting = "nvim-acp-line "
	// beat is the time between two signs of life; lineSilence is how long the other side waits for one before it ends all.
	beat        = 15 * time.Second
	lineSilence = 60 // seconds
	// lineEnd is how long the other side may take to end all.
	lineEnd = 4 * time.Second
	// maxLine bounds what the other side may say on a line.
	maxLine = 64 << 10
)

// line is a shell on the other side that writes files for us, ends processes, and, when its connection ends, ends all that has
// the mark of the place. All methods are safe for concurrent use.
type line struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	watch Watcher
	dir   string        // a private folder there
	ended chan struct{} // closed when the process has ended; then err is set
	err   error

	mu      sync.Mutex      // guards all below, and writes
	waiting []chan<- string // for the answers to orders, in their order
	closed  bool
}

// openLine starts a line with a command, and waits until it is ready or ctx ends.
func openLine(ctx context.Context, argv []string, s Spec, mark string, watch Watcher) (*line, error) {
	if s.Joined {
		argv = append(argv, fmt.Sprintf("exec /bin/sh -c '%s' nvim-acp '%s' %d", lineText(), mark, lineSilence))
	} else {
		argv = append(argv, "/bin/sh", "-c", lineText(), "nvim-acp", mark, fmt.Sprint(lineSilence))
	}

	l := &line{cmd: exec.Command(programs.Word(argv[0]), argv[1:]...), watch: watch, ended: make(chan struct{})}
	l.cmd.Env = withoutMark(os.Environ())
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stderr := &tail{}
	l.cmd.Stderr = stderr
	var err error
	if l.stdin, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}

	stdout, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) && s.Install != "" {
			return nil, fmt.Errorf("%w; to install it: %s", err, s.Install)
		}
		return nil, err
	}

	watch.Add(l.cmd.Process.Pid)

	ready := make(chan string, 1)
	caught.Go(func() { l.read(stdout, stderr, ready) }) // until the process has ended, which close sees to
	select {
	case l.dir = <-ready:
	case <-l.ended:
		return nil, l.err
	case <-ctx.Done():
		l.close()
		return nil, fmt.Errorf("no answer: %w", ctx.Err())
	}

	caught.Go(func() { l.beat(beat) }) // until the process has ended
	return l, nil
}

// lineText is the script without its comments, which need no way over a connection.
var lineText = sync.OnceValue(func() string {
	var b strings.Builder
	for text := range strings.Lines(lineScript) {
		if !strings.HasPrefix(strings.TrimSpace(text), "#") && strings.TrimSpace(text) != "" {
			b.WriteString(text)
		}
	}
	return b.String()
})

// read hands out answers until the process has ended.
func (l *line) read(stdout io.Reader, stderr *tail, ready chan<- string) {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxLine)
	for greeted := false; lines.Scan(); {
		text := lines.Text()
		if dir, ok := strings.CutPrefix(text, greeting); ok && !greeted { // what comes before is a banner
			greeted = true
			ready <- dir
			continue
		}
		if !greeted {
			continue
		}

		l.mu.Lock()
		if len(l.waiting) > 0 {
			l.waiting[0] <- text
			l.waiting = l.waiting[1:]
		}

		l.mu.Unlock()
	}

	err := l.cmd.Wait() // after its output has ended
	l.watch.Remove(l.cmd.Process.Pid)
	l.mu.Lock()
	l.err = errors.New("the connection has ended")
	if err != nil {
		l.err = fmt.Errorf("%w", err)
	}
	if said := stderr.text(); said != "" {
		l.err = errors.New(said)
	}
	for _, w := range l.waiting {
		close(w)
	}

	l.waiting, l.closed = nil, true
	l.mu.Unlock()

	close(l.ended)
}

// order sends an order, whose answer goes to the channel, which is closed if there is none.
func (l *line) order(words ...string) <-chan string {
	answer := make(chan string, 1)
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.closed {
		close(answer)
		return answer
	}

	l.waiting = append(l.waiting, answer)
	if _, err := io.WriteString(l.stdin, strings.Join(words, " ")+"\n"); err != nil {
		l.waiting = l.waiting[:len(l.waiting)-1]
		close(answer)
	}

	return answer
}

// put makes a file on the other side and returns its path there. It waits for it.
func (l *line) put(ctx context.Context, name, text string) (string, error) {
	select {
	case said, ok := <-l.order("put", name, escape(text)):
		if !ok {
			<-l.ended
			return "", l.err
		}
		if said != "ok" {
			return "", fmt.Errorf("no file can be written in %s there", l.dir)
		}
		return l.dir + "/" + name, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// end ends the processes with a mark.
func (l *line) end(mark string) { l.order("end", mark) }

// beat shows the other side that we are there, again and again.
func (l *line) beat(every time.Duration) {
	clock := time.NewTicker(every)
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
			l.order("beat")
		case <-l.ended:
			return
		}
	}
}

// close has the other side end all, and waits for that.
func (l *line) close() {
	_ = l.stdin.Close() // the other side has it from here
	select {
	case <-l.ended:
		return
	case <-time.After(lineEnd):
	}
	_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL) // a connection that is dead; what is there ends itself
	<-l.ended
}

// leave has the other side end all.
func (l *line) leave() { _ = l.stdin.Close() } // it does the rest

// escape writes a text in the form that printf's %b reads, as one word.
func escape(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.IndexByte("_./=+,:@%-'\"$(){}[]<>|&;*?!#~^`", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\0%03o`, c)
		}
	}
	return b.String()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex // guards kept
	kept []byte
}

const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "�"))
}

// Watcher is told of the process groups that run.
type Watcher interface {
	Add(pgid int)
	Remove(pgid int)
}

// withoutMark is an environment of programs that lead to the other side: what ends processes by their mark leaves them alone.
func withoutMark(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, guard.RunVar+"=") })
}
