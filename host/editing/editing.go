// Package editing shows the lines of a buffer that an agent is asked to change, in place, and what becomes of them.
//
// What the agent is told, and how its answer differs, is in host/edit; a session's part of it is in its state.
package editing

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/policy"
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

// edit asks the agent about lines of a buffer.
func (p *Places) edit(s feature.Session, a editArgs) {
	r, secret := p.told(s, a.Request)
	if secret {
		p.host.Say("info", "only these lines are sent, and none around them: the file may hold secrets")
	}
	s.Prompt(session.Prompt{Text: r.Instruction, Edit: &r})
}

// told returns what the agent is told. Of a file that may hold secrets that is only the lines.
func (p *Places) told(s feature.Session, r edit.Request) (told edit.Request, secret bool) {
	if r.Path != "" && p.policy.Secret(s, r.Path) {
		r.Before, r.After, r.All = nil, nil, false
		return r, true
	}
	return r, false
}

const luaEditNow = `return require("nvim-acp.host").edit_now(...)`

// Content returns the prompt of a turn at lines as they are now: they may have moved, or be others, since the user has asked. It reports
// false if they are gone. It waits for Neovim until ctx ends, and then returns the prompt as it was.
func (p *Places) Content(ctx context.Context, s feature.Session, t *session.Turn) (acp.ContentBlock, bool) {
	r := *t.Prompt.Edit
	now, err := feature.Call[*edit.Request](ctx, p.host, luaEditNow, s.LocalID(), r.Instruction, r.Again)
	switch {
	case err == nil && now == nil:
		return nil, false
	case err == nil:
		r, _ = p.told(s, *now)
		s.Do(func(st *session.State) {
			if st.Turn() == t {
				st.Place().Renew(r)
			}
		})
	}

	if r.Path != "" {
		r.Path = s.There(r.Path)
	}
	if r.Again { // an agent that was lost has not heard of what
		r.Again = !feature.Ask(s, func(st *session.State) bool { return st.Briefing().HistoryUnknown() })
	}
	return acp.Text(r.Prompt()), true
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

// take merges the version that is shown with the lines as they are. It answers from memory; nil if nothing is to be taken.
func (p *Places) take(a editArgs) (*takenEdit, error) {
	s := p.host.Session(a.Session)
	if s == nil {
		return nil, nil
	}

	snap := feature.Ask(s, func(st *session.State) edit.Snapshot { return st.Place().Lines() })
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

const luaEditShow = `return require("nvim-acp.host").edit_show(...)`

// Places shows the lines that are edited, all of them on one goroutine, with one call to Neovim at a time. It is safe for concurrent use.
type Places struct {
	host   feature.Host
	policy *policy.Policy
	dirty  *poke.Set[feature.Session]
	soon   poke.Chan // there is one that is to be shown at once

	mu    sync.Mutex // guards shown
	shown map[string]*shownPlace
}

// New returns places that show nothing.
func New(h feature.Host, p *policy.Policy) *Places {
	return &Places{host: h, policy: p, dirty: poke.NewSet[feature.Session](), soon: poke.New(), shown: map[string]*shownPlace{}}
}

// Verbs are what the user does at lines, by their names.
func (p *Places) Verbs() map[string]any {
	return map[string]any{
		"edit":           feature.OnSession(p.host, p.edit),
		"edit_take":      p.take, // a request, answered from memory
		"edit_continued": feature.OnSession(p.host, step(func(st *session.State, a editArgs) { st.Place().Continue() })),
		"edit_typed":     feature.OnSession(p.host, step(func(st *session.State, a editArgs) { st.Place().Typed(a.Lines, a.Seen) })),
		"edit_step":      feature.OnSession(p.host, step(func(st *session.State, a editArgs) { st.Place().Step(a.By) })),
		"edit_left":      feature.OnSession(p.host, step(func(st *session.State, a editArgs) { st.Place().Leave(a.Result) })),
	}
}

func step(do func(*session.State, editArgs)) func(feature.Session, editArgs) {
	return func(s feature.Session, a editArgs) { s.Do(func(st *session.State) { do(st, a) }) }
}

// Changed has the lines of a session shown with the next frame.
func (p *Places) Changed(s feature.Session) { p.dirty.Poke(s) }

// Hurry has them shown without waiting for that: all of an answer is there.
func (p *Places) Hurry(s feature.Session) {
	p.dirty.Poke(s)
	p.soon.Poke()
}

// Closed forgets a session.
func (p *Places) Closed(s feature.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.shown, s.LocalID())
}

// of returns what Neovim shows of the lines of a session.
func (p *Places) of(s feature.Session) *shownPlace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown[s.LocalID()] == nil {
		p.shown[s.LocalID()] = new(shownPlace)
	}
	return p.shown[s.LocalID()]
}

// shownPlace is what Neovim shows of the lines of a session. Only the goroutine of Run uses it, but for what takes long.
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

	retryFrame = 250 * time.Millisecond // after Neovim could not take one
)

// Run shows lines until the host closes. A call to Neovim may hold it for as long as Neovim waits for a key.
func (p *Places) Run() {
	for {
		select {
		case <-p.dirty.Wake:
		case <-p.host.Done():
			return
		}

		began := time.Now()
		pause, soon := growFrame, p.soon
		for _, s := range p.dirty.Take() {
			painted := true
			s.Within("editing.(*Places).Run", func() { painted = p.paint(s) })
			if !painted {
				p.dirty.Poke(s)
				pause, soon = retryFrame, nil
			}
		}

		took := time.Since(began)
		select {
		case <-time.After(max(pause, growShare*took) - took):
		case <-soon:
		case <-p.host.Done():
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
func (p *Places) paint(s feature.Session) bool {
	snap := feature.Ask(s, func(st *session.State) edit.Snapshot { return st.Place().Lines() })
	if snap.Asked.Kind == "" {
		return true
	}

	shown := p.of(s)
	f := editFrame{
		Session: s.LocalID(), Seen: snap.Seen, Phase: snap.Phase, Fault: snap.Fault, Words: snap.Words, At: snap.At, Of: snap.Of,
		Cut: snap.Version.Cut,
	}
	page := p.page(s, snap)
	if page != nil {
		f.Page = &page.op
	}

	var diff edit.Diff
	if snap.Has {
		diff = shown.differ.Diff(snap, shown.colours.found.Load())
		f.Added, f.Removed, f.Conflicts = diff.Added, diff.Removed, diff.Conflicts
		p.colour(s, snap, diff.Lines)
	}

	if shown.unsure {
		shown.marks, shown.ours = nil, nil
	}

	parts := edit.Change(shown.marks, shown.ours, diff.Marks, snap.Ours).Parts(linesSeen, linesInCall)
	for i, part := range parts {
		f.Reset = shown.unsure && i == 0
		f.From, f.Drop, f.Marks, f.More = part.From, part.Drop, append([]edit.Mark{}, part.Marks...), i < len(parts)-1
		answer := ""
		err := p.host.ExecLua(luaEditShow, &answer, f)
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
		return answer == "stale" || answer == "failed" || answer == "gone" || feature.Over(p.host)
	}

	shown.marks, shown.ours, shown.unsure = diff.Marks, snap.Ours, false
	return true
}

// colour has the highlights of a diff found, if those that are known are for another one.
func (p *Places) colour(s feature.Session, snap edit.Snapshot, lines []string) {
	colours := &p.of(s).colours
	if colours.found.Load().For(snap.Ours, lines, snap.Phase != edit.Working) {
		return
	}
	colours.renew(p.host.Done(), func() *edit.Colours {
		now, before := feature.Ask(s, func(st *session.State) edit.Snapshot { return st.Place().Lines() }), colours.found.Load()
		if now.Phase != edit.Working {
			before = nil
		}
		return edit.Colour(now.Asked, now.Ours, (&edit.Differ{}).Diff(now, nil).Lines, before)
	}, func() { p.dirty.Poke(s) })
}

// pageWidth is the cells that tables of an answer may take.
const pageWidth = 60

// page returns the words of an answer as they are rendered by now; nil if Neovim has that.
func (p *Places) page(s feature.Session, snap edit.Snapshot) *editPage {
	text := cmp.Or(snap.Text, snap.Words)
	if text == "" {
		return nil
	}

	found := p.of(s).pages.found.Load()
	if found == nil || found.text != text {
		p.of(s).pages.renew(p.host.Done(), func() *editPage {
			now := feature.Ask(s, func(st *session.State) edit.Snapshot { return st.Place().Lines() })
			text := cmp.Or(now.Text, now.Words)
			shown := strings.TrimSpace(plain.Visible(text))
			return &editPage{text, transcript.Rendered(shown, p.host.Settings().Icons, pageWidth)}
		}, func() { p.dirty.Poke(s) })
	}

	if found == p.of(s).page {
		return nil
	}

	return found
}
