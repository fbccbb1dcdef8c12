package session

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Screen is what the user is shown of a session: its transcript, and what has changed since the last frame. What is said here is drawn.
type Screen struct {
	log        *transcript.Transcript
	soon       Draw
	kept       bool // what the user has decided is to be recorded at once
	seen       int  // last verb of the user's
	status     bool // it has changed
	running    int  // calls that run on after their turn, as Lua was told
	reset      bool // the editor's copy of the transcript is to be thrown away
	highlights bool // a goroutine highlights what is over
	events     []Event
	updates    map[string]bool // kinds of updates since the last frame
}

// Event is a `User` autocommand.
type Event struct {
	Name string         `msgpack:"name"`
	Data map[string]any `msgpack:"data"`
}

// Draw is how soon a session is to be drawn.
type Draw int

// From never to at once.
const (
	NoDraw Draw = iota
	Soon        // with the next regular frame
	Now         // the user waits for it
)

func (c *Screen) check() error {
	if c.log == nil {
		return errors.New("nothing is shown of the session")
	}
	return nil
}

func (c *Screen) draw(d Draw) { c.soon = max(c.soon, d) }

// restate has the status drawn with the next regular frame.
func (c *Screen) restate() {
	c.status = true
	c.draw(Soon)
}

// Refresh has the status drawn at once. Others know a part of it.
func (c *Screen) Refresh() {
	c.status = true
	c.draw(Now)
}

// decided has what the user has decided recorded at once.
func (c *Screen) decided() {
	c.kept = true
	c.draw(Soon)
}

// emit has an event raised after the next frame.
func (c *Screen) emit(name string, data map[string]any) {
	if data == nil {
		data = map[string]any{}
	}
	c.events = append(c.events, Event{name, data})
}

// updated has an event raised for an update, with others of its kind.
func (c *Screen) updated(u acp.SessionUpdate) {
	kind := acp.UpdateKind(u)
	if _, unknown := u.(*acp.UnknownUpdate); unknown {
		kind = plain.OneLine(kind)
	}
	c.updates[kind] = true
}

// Emit has an event raised after the next frame, which is drawn at once.
func (c *Screen) Emit(name string, data map[string]any) {
	c.emit(name, data)
	c.Refresh()
}

// Saw notes that a verb of the user's was done.
func (c *Screen) Saw(n int) {
	c.seen = max(c.seen, n)
	c.restate()
}

// note adds a line of ours to the transcript.
func (c *Screen) note(text, group string) {
	c.log.Say(text, group)
	c.draw(Soon)
}

// Say adds a line of ours to the transcript, and has it drawn at once.
func (c *Screen) Say(text, group string) {
	c.log.Say(text, group)
	c.Refresh()
}

// SayOnce says something, and reports whether that was not said since the latest prompt.
func (c *Screen) SayOnce(text string) bool {
	if c.log.Blocks().Says(text) {
		return false
	}
	c.Say(text, "AcpWarning")
	return true
}

// Fault adds an error to the transcript.
func (c *Screen) Fault(text string) {
	c.log.Fault(text)
	c.Refresh()
}

// needLogin shows that the agent wants a login, what it says beyond that, and how.
func (c *Screen) needLogin(err error, how string) {
	text := "login needed"
	if e := (*acp.Error)(nil); errors.As(err, &e) {
		err = &acp.Error{Code: acp.CodeInternal, Message: e.Message, Data: e.Data} // its code says nothing more
	}
	if why := err.Error(); !strings.EqualFold(why, "authentication required") {
		text += ": " + why
	}
	c.log.Fault(text)
	c.note(how, "AcpNotice")
}

// Notes shows notes about what is sent with a prompt.
func (c *Screen) Notes(notes []string) {
	for _, n := range notes {
		c.log.Say(n, "AcpNotice")
	}
	c.Refresh()
}

// Toggle folds or unfolds a block, or a part of one.
func (c *Screen) Toggle(block, part string) {
	c.log.Drawing().Toggle(block, part)
	c.Refresh()
}

// SetWidth sets the cells of a row of the transcript.
func (c *Screen) SetWidth(width int) {
	c.log.Drawing().SetWidth(width)
	if c.log.Drawing().Dirty() {
		c.draw(Soon)
	}
}

// Tick draws running times anew, if any are shown.
func (c *Screen) Tick() {
	if c.log.Calls().Running() {
		c.log.Calls().Tick()
		c.draw(Soon)
	}
}

// TerminalChanged has the calls drawn again that show a terminal.
func (c *Screen) TerminalChanged(name string) {
	c.log.Calls().TerminalChanged(name)
	c.draw(Soon)
}

// Job notes that a piece of highlighting is done, and returns the next one. It returns nil if there is none, if there is something else to
// draw, which comes first, or with nothing done, if somebody is at it.
func (c *Screen) Job(done *transcript.Job) *transcript.Job {
	if done == nil && c.highlights {
		return nil
	}
	if done != nil {
		c.log.Drawing().Done(done)
		c.draw(Soon)
	}
	var j *transcript.Job
	if !c.log.Drawing().Behind() {
		j = c.log.Drawing().Job()
	}
	c.highlights = j != nil
	return j
}

// Prepare applies work for the next frame, and returns what is needed then. That work is done without the state.
func (c *Screen) Prepare(done []*transcript.Preparation) []*transcript.Preparation {
	c.log.Drawing().Prepared(done)
	return c.log.Drawing().Prepare()
}

// Ahead works out a part of the next frame while the one before is on its way, and returns what that takes of a budget.
func (c *Screen) Ahead(budget int) int { return c.log.Drawing().Ahead(budget) }

// Target is what a row of the transcript is about.
type Target struct {
	Content acp.ContentBlock // that is not text …
	Place   *transcript.Place
	Whole   string // … or all that is shown in part
	Known   bool   // Whole is one
}

// Target returns what a row of a block is about; before it there are others with its text in the part.
func (c *Screen) Target(block, part string, row int, text string, before int) Target {
	t := Target{Content: c.log.Blocks().Content(block, part, text, before)}
	if place, ok := c.log.Blocks().Place(block, row); ok {
		t.Place = &place
	}
	t.Whole, t.Known = c.log.Blocks().Whole(block, part)
	return t
}

// replace shows another transcript.
func (c *Screen) replace(log *transcript.Transcript) { c.log, c.reset = log, true }

// restore shows what a record has. It returns the first prompt of it.
func (c *Screen) restore(entries []record.Entry) (first string) {
	c.restate()
	if len(entries) == 0 {
		return ""
	}

	c.log.Restore(entries)
	c.reset = true
	if i := slices.IndexFunc(entries, func(e record.Entry) bool { return e.Role == record.User }); i >= 0 {
		first = entries[i].Text
	}
	return first
}

// Redraw has the whole transcript sent again: the editor has lost its buffer.
func (c *Screen) Redraw() {
	c.reset = true
	c.log.Drawing().Redraw()
	c.Refresh()
}

// takeEvents takes the events to be raised, with one for each kind of update.
func (c *Screen) takeEvents() []Event {
	for _, kind := range slices.Sorted(maps.Keys(c.updates)) {
		c.emit("AcpUpdate", map[string]any{"kind": kind})
	}
	events := c.events
	c.DropEvents()
	return events
}

// DropEvents drops the events that would be raised with the next frame.
func (c *Screen) DropEvents() {
	c.events = nil
	clear(c.updates)
}
