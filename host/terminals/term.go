package terminals

import (
	"strconv"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/guard"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/poke"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// Term is one terminal. It stays after its release, so that the user can read it, until its session is closed.
type Term struct {
	*terminal.Terminal
	set     *Set
	owner   Owner
	id      string // ours, unique in the set
	name    string // the agent's; for commands the same
	number  int    // in the order of the set's terminals
	mark    string // of the command's processes, wherever they go
	display bool
	began   time.Time
	poke    poke.Chan // something else than the output has changed

	call     string // the agent's id of the call that has opened a display terminal
	endThere func() // ends what runs on the other side; nil: there is none

	mu       sync.Mutex // guards all below
	line     string
	within   Story // of a display terminal: what shows it, see Display
	ended    time.Time
	released bool
	waiting  bool // it seems to wait for the user
	buffer   int  // number of the buffer that shows it, 0: none
	shown    bool // a window shows that buffer
	feeding  bool // a goroutine feeds it
	gone     bool // its session is closed
}

func newTerm(s *Set, owner Owner, t *terminal.Terminal, id string) *Term {
	return &Term{Terminal: t, set: s, owner: owner, id: id, began: time.Now(), poke: poke.New()}
}

// show tells Lua what the terminal is. It waits for Neovim.
func (t *Term) show(started bool) {
	t.mu.Lock()
	now := shown{
		ID: t.id, Number: t.number, Session: t.owner.LocalID(), Command: t.line, Input: !t.display,
		Started: started, Waiting: t.waiting, Gone: t.gone,
	}
	t.mu.Unlock()
	_, exit := t.State()
	now.Running, now.Exit = exit == nil, exitText(exit)
	t.set.describe(now)
}

func exitText(exit *terminal.ExitStatus) string {
	switch {
	case exit == nil:
		return ""
	case exit.Signal != "":
		return plain.Brief(exit.Signal)
	case exit.Code != nil && *exit.Code != 0:
		return "exit " + strconv.Itoa(*exit.Code)
	}
	return ""
}

// command returns what the transcript shows of the terminal: its last lines, at most tail.
func (t *Term) command(tail int) transcript.Command {
	truncated, exit := t.State()
	t.mu.Lock()
	defer t.mu.Unlock()
	took := time.Since(t.began)
	if !t.ended.IsZero() {
		took = t.ended.Sub(t.began)
	}
	return transcript.Command{
		ID: t.id, Line: t.line, Tail: t.Tail(tail), Running: exit == nil, Exit: exitText(exit), Truncated: truncated,
		Took: took, Waiting: t.waiting, Display: t.display,
	}
}

func (t *Term) isReleased() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.released
}

// Kill ends a command and keeps its terminal. It does not wait.
func (t *Term) Kill() {
	t.Terminal.Kill()
	if t.endThere != nil {
		t.endThere()
	}
}

// release ends a command and forgets its id. Its output stays readable.
func (t *Term) release() {
	t.mu.Lock()
	again := t.released
	t.released = true
	t.mu.Unlock()

	if again {
		return
	}

	t.Release()
	if t.endThere != nil {
		t.endThere()
	}
	if !t.display {
		caught.Go(func() { // ends when processes that have left the command's group are gone, after 1.2 s at most
			<-t.Done()
			guard.End(t.mark)
		})
	}
}

// forget removes the terminal.
func (t *Term) forget() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	t.set.remove(t)
	t.poke.Poke()
	caught.Go(func() { t.show(false) }) // ends when Neovim answers or goes away
}
