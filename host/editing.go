package host

import (
	"cmp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// editArgs are what the user does at the lines that a session is for.
type editArgs struct {
	feature.Target
	Request edit.Request `msgpack:"request"`
	Lines   []string     `msgpack:"lines"`   // as they are …
	Seen    int          `msgpack:"seen"`    // … and the number of that text
	Changed bool         `msgpack:"changed"` // the user has changed what is to be taken …
	Text    []string     `msgpack:"text"`    // … to this …
	Base    []string     `msgpack:"base"`    // … when the lines were these
	By      int          `msgpack:"by"`
	Result  string       `msgpack:"result"`
}

// edit asks the agent about lines of a buffer. Of a file that may hold secrets it is told only these.
func (s *Session) edit(a editArgs) {
	r := a.Request
	if r.Path != "" && s.secret(r.Path) {
		r.Before, r.After, r.All = nil, nil, false
		s.host.say("info", "only these lines are sent, and none around them: the file may hold secrets")
	}
	if ask(s, func(st *session.State) bool { return st.Prompt(session.Prompt{Text: r.Instruction, Edit: &r}) }) {
		s.spawn(s.connect) // ends when the session is ready or has failed
	}
}

// takenEdit is what becomes of the lines when the user takes what is shown.
type takenEdit struct {
	Hunks     []editHunk `msgpack:"hunks"`
	Conflicts int        `msgpack:"conflicts"`
}

// editHunk replaces lines, from 0 of those of the place.
type editHunk struct {
	First int      `msgpack:"first"`
	Last  int      `msgpack:"last"`
	Lines []string `msgpack:"lines"`
}

// takeEdit merges the version that is shown with the lines as they are. It answers from memory; nil if nothing is to be taken.
func (h *Host) takeEdit(a editArgs) (*takenEdit, error) {
	s := h.session(a.Session)
	if s == nil {
		return nil, nil
	}
	snap := ask(s, (*session.State).Place)
	if snap.Phase != edit.Ready || !snap.Has {
		return nil, nil
	}
	version := snap.Version
	if a.Changed {
		version = edit.Version{Lines: a.Text, Base: a.Base}
	}
	got := version.Accept(a.Lines)
	out := &takenEdit{Hunks: []editHunk{}, Conflicts: got.Conflicts}
	for _, e := range got.Edits {
		out.Hunks = append(out.Hunks, editHunk{e.Start, e.End, append([]string{}, e.Lines...)})
	}
	return out, nil
}

// painter shows the lines that are edited, all of them on one goroutine, with one call to Neovim at a time.
type painter struct {
	dirty
	soon poke.Chan // there is one that is to be shown at once
	host *Host
}

// hurry has the lines of a session shown without waiting for the next frame: all of an answer is there.
func (p *painter) hurry(s *Session) {
	p.poke(s)
	p.soon.Poke()
}

// shownPlace is what Neovim shows of the lines of a session. Only the painter's goroutine uses it, but for what takes long.
type shownPlace struct {
	differ  edit.Differ
	ours    []string    // the lines that marks are for
	marks   []edit.Mark // that Neovim has …
	unsure  bool        // … or others
	page    *editPage   // the same
	colours slow[edit.Colours]
	pages   slow[editPage]
}

// editPage is an answer in words, rendered.
type editPage struct {
	text string
	op   transcript.Op
}

// slow is what is found on a goroutine of its own, since that takes long, and for a part of the time only. It is safe for
// concurrent use.
type slow[T any] struct {
	found atomic.Pointer[T]
	busy  atomic.Bool
	next  atomic.Int64 // not before then is it found anew: unix, in nanoseconds
}

// slowShare is the part of the time that is spent on finding things anew.
const slowShare = 10

// renew has it found anew, and then done is called. It does nothing if that is under way.
func (w *slow[T]) renew(over <-chan struct{}, find func() *T, done func()) {
	if !w.busy.CompareAndSwap(false, true) {
		return
	}
	caught.Go(func() { // ends when it is found, or with the host
		select {
		case <-time.After(time.Until(time.Unix(0, w.next.Load()))):
		case <-over:
			return
		}
		began := time.Now()
		w.found.Store(find())
		w.next.Store(time.Now().Add((slowShare - 1) * time.Since(began)).UnixNano())
		w.busy.Store(false)
		done()
	})
}

// editFrame is what Neovim is to show of the lines of a session. Marks take the place of so many from From on.
type editFrame struct {
	Session   string      `msgpack:"session"`
	Seen      int         `msgpack:"seen"` // the text that the marks are for
	Phase     edit.Phase  `msgpack:"phase"`
	Fault     string      `msgpack:"fault"`
	Words     string      `msgpack:"words"`
	Added     int         `msgpack:"added"`
	Removed   int         `msgpack:"removed"`
	Conflicts int         `msgpack:"conflicts"`
	Cut       bool        `msgpack:"cut"`
	At        int         `msgpack:"at"`
	Of        int         `msgpack:"of"`
	From      int         `msgpack:"from"`
	Drop      int         `msgpack:"drop"`
	Marks     []edit.Mark `msgpack:"marks"`
	More      bool        `msgpack:"more"`  // the rest comes at once
	Reset     bool        `msgpack:"reset"` // there are to be no other marks

	Page *transcript.Op `msgpack:"page,omitempty"` // the answer in words; absent: as before
}

// A diff that grows is drawn so often, and for so much of the time: keys wait for Neovim to draw it.
const (
	growFrame = 50 * time.Millisecond
	growShare = 4
)

// loop is the painter's goroutine, until the host closes. A call to Neovim may hold it for as long as Neovim waits for a key.
func (p *painter) loop() {
	for {
		select {
		case <-p.wake:
		case <-p.host.done:
			return
		}
		began := time.Now()
		pause, soon := growFrame, p.soon
		for _, s := range p.take() {
			painted := true
			s.within("host.(*painter).loop", func() { painted = s.paint() })
			if !painted {
				p.poke(s)
				pause, soon = retryFrame, nil
			}
		}
		took := time.Since(began)
		select {
		case <-time.After(max(pause, growShare*took) - took):
		case <-soon:
		case <-p.host.done:
			return
		}
	}
}

// How many lines are drawn in a call to Neovim. It draws its screen after each, which takes it a quarter of a millisecond for a line
// that a window shows, and keys wait: the first lines of a change, which may be seen, come a few at a time.
const (
	linesSeen   = 100
	linesInCall = 16 // of these
)

// paint shows the lines as they are. It reports false if Neovim cannot show them now.
func (s *Session) paint() bool {
	snap := ask(s, (*session.State).Place)
	if snap.Asked.Kind == "" {
		return true
	}
	shown := &s.painted
	f := editFrame{
		Session: s.id, Seen: snap.Seen, Phase: snap.Phase, Fault: snap.Fault, Words: snap.Words, At: snap.At, Of: snap.Of,
		Cut: snap.Version.Cut,
	}
	page := s.page(snap)
	if page != nil {
		f.Page = &page.op
	}
	var diff edit.Diff
	if snap.Has {
		diff = shown.differ.Diff(snap, shown.colours.found.Load())
		f.Added, f.Removed, f.Conflicts = diff.Added, diff.Removed, diff.Conflicts
		s.colour(snap, diff.Lines)
	}

	if shown.unsure {
		shown.marks, shown.ours = nil, nil
	}
	parts := edit.Change(shown.marks, shown.ours, diff.Marks, snap.Ours).Parts(linesSeen, linesInCall)
	for i, part := range parts {
		f.Reset = shown.unsure && i == 0
		f.From, f.Drop, f.Marks, f.More = part.From, part.Drop, append([]edit.Mark{}, part.Marks...), i < len(parts)-1
		answer := ""
		err := s.host.ed.ExecLua(luaEditShow, &answer, f)
		if err == nil && answer == "ok" {
			if page != nil {
				shown.page, f.Page = page, nil
			}
			continue
		}
		sure := err == nil && answer != "again" && answer != "failed"
		if shown.unsure = !sure || shown.unsure && i == 0; !shown.unsure {
			shown.marks, shown.ours = edit.Made(shown.marks, shown.ours, snap.Ours, parts[:i]), snap.Ours
		}
		// The lines have changed, and Neovim says how; or they cannot be drawn, and the next frame is whole.
		return answer == "stale" || answer == "failed" || answer == "gone" || s.host.leaving()
	}
	shown.marks, shown.ours, shown.unsure = diff.Marks, snap.Ours, false
	return true
}

// colour has the highlights of a diff found, if those that are known are for another one.
func (s *Session) colour(snap edit.Snapshot, lines []string) {
	colours := &s.painted.colours
	if colours.found.Load().For(snap.Ours, lines, snap.Phase != edit.Working) {
		return
	}
	colours.renew(s.host.done, func() *edit.Colours {
		now, before := ask(s, (*session.State).Place), colours.found.Load()
		if now.Phase != edit.Working {
			before = nil
		}
		return edit.Colour(now.Asked, now.Ours, (&edit.Differ{}).Diff(now, nil).Lines, before)
	}, func() { s.host.painter.poke(s) })
}

// pageWidth is the cells that tables of an answer may take.
const pageWidth = 60

// page returns the words of an answer as they are rendered by now; nil if Neovim has that.
func (s *Session) page(snap edit.Snapshot) *editPage {
	text := cmp.Or(snap.Text, snap.Words)
	if text == "" {
		return nil
	}
	found := s.painted.pages.found.Load()
	if found == nil || found.text != text {
		s.painted.pages.renew(s.host.done, func() *editPage {
			now := ask(s, (*session.State).Place)
			text := cmp.Or(now.Text, now.Words)
			shown := strings.TrimSpace(plain.Visible(text))
			return &editPage{text, transcript.Rendered(shown, s.host.settings().Icons, pageWidth)}
		}, func() { s.host.painter.poke(s) })
	}
	if found == s.painted.page {
		return nil
	}
	return found
}
