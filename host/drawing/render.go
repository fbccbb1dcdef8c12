// Package drawing sends what sessions have to show to Neovim, in frames that are spaced by how much there is.
//
// Package host says which sessions have something new. How they are drawn there is that of lua/nvim-acp/chat.
package drawing

import (
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// luaFrames is the function of lua/nvim-acp/host.lua that draws.
const luaFrames = `return require("nvim-acp.host").frames(...)`

const (
	fastFrame      = 16 * time.Millisecond  // from one frame to the next under load
	steadyFrame    = 33 * time.Millisecond  // when something comes all the time
	slowFrame      = 60 * time.Millisecond  // when it is little: the words of a model
	quickFrame     = 2 * time.Millisecond   // after a quiet moment
	burst          = 4                      // frames that may follow each other quickly
	retryFrame     = 250 * time.Millisecond // after Neovim could not take one
	slowFrameBytes = 1 << 10                // bytes of text in a frame: 17 KB a second
	flood          = 16                     // updates in a slow frame that end it: 270 a second
	flowUpdates    = 2                      // updates that may come while Neovim draws, and wait for the next regular frame
	hurriedShare   = 2                      // hurried frames take one part in so many of Neovim's time
	fullRest       = 6                      // one part in so many of the time that a full frame took is Neovim's own after it …
	shortRest      = time.Millisecond       // … if it is that long: no timer of the runtime's is shorter
	FrameBudget    = 64 << 10               // of a frame of all sessions, by [transcript.Op.Cost]; the last operation may go beyond it
	mostBudget     = 5 * FrameBudget        // of a full frame that comes after full ones that were drawn soon
	soonDrawn      = 3 * time.Millisecond   // then the next full frame may be larger: each has Neovim draw its whole window
	lateDrawn      = 7 * time.Millisecond   // then it is smaller: keys wait that long
)

// Renderer draws all sessions, one call to Neovim at a time: what happens meanwhile is in the next frame. Nothing between
// an agent and the screen is a queue; but while Neovim draws a full frame, text of the next one is worked out. It is safe for
// concurrent use.
type Renderer struct {
	dirty   *poke.Set[feature.Session]
	host    feature.Host
	hooks   Hooks
	hurried poke.Chan    // the user waits for it
	flooded poke.Chan    // too much has come for a slow frame
	updates atomic.Int32 // updates since the last frame
}

// Hooks are what others know of what is drawn.
type Hooks struct {
	Away      func() bool             // no Neovim is attached: nothing can be drawn …
	Missed    func([]feature.Session) // … and these have something new
	EditWaits func() string           // what an edit of a buffer waits for, see [session.Status]

	// What the user is shown of requests. It may wait for Neovim and the disk.
	Requests func(feature.Session, []permission.Snapshot) []permission.Shown
}

// Frame is what one session has to show.
type Frame struct {
	Session     string              `msgpack:"session"`
	Ops         transcript.Ops      `msgpack:"ops,omitempty"`
	Reset       bool                `msgpack:"reset,omitempty"`
	Status      *session.Status     `msgpack:"status,omitempty"`
	Permissions *[]permission.Shown `msgpack:"permissions,omitempty"`
	Later       int                 `msgpack:"later,omitempty"` // how many come when some of these are answered
	Events      []session.Event     `msgpack:"events,omitempty"`

	more bool // there was more than the frame could hold
}

// New returns what draws the sessions of a host. Run does it.
func New(h feature.Host, hooks Hooks) *Renderer {
	return &Renderer{dirty: poke.NewSet[feature.Session](), host: h, hooks: hooks, hurried: poke.New(), flooded: poke.New()}
}

// Poke has a session drawn with the next regular frame. It never waits.
func (r *Renderer) Poke(s feature.Session) {
	r.dirty.Poke(s)
	if r.updates.Add(1) == flood {
		r.flooded.Poke()
	}
}

// Hurry has a session drawn without waiting for the next regular frame. It never waits.
func (r *Renderer) Hurry(s feature.Session) {
	r.Poke(s)
	r.hurried.Poke()
}

// Run draws what there is, until the host closes. A call to Neovim may hold it for as long as Neovim waits for a key.
func (r *Renderer) Run() {
	clock := time.NewTimer(time.Hour)
	clock.Stop()
	var p pacer
	budget := FrameBudget
	for {
		select {
		case <-r.dirty.Wake:
		case <-clock.C:
			r.tick()
			continue
		case <-r.host.Done():
			return
		}

		began := time.Now()
		for _, c := range []poke.Chan{r.hurried, r.flooded} {
			select {
			case <-c: // that is this frame
			default:
			}
		}

		r.updates.Store(0)
		d := r.draw(budget)
		took := time.Since(began)
		budget = nextBudget(budget, d, took)
		if d.running {
			clock.Reset(time.Second)
		}

		pause, hurried, flooded := p.pause(began, d), r.hurried, r.flooded
		switch {
		case d.again:
			pause, hurried, flooded = retryFrame, nil, nil
		case d.full:
			pause, hurried = took+min((took/fullRest).Truncate(shortRest), fastFrame), nil
		}

		if !r.rest(began, took, pause, hurried, flooded) {
			return
		}
	}
}

// nextBudget is that of the frame after one that had a budget and took so long.
func nextBudget(budget int, d drawn, took time.Duration) int {
	switch {
	case !d.full:
		return FrameBudget
	case took < soonDrawn:
		return min(budget*3/2, mostBudget)
	case took > lateDrawn:
		return max(budget/2, FrameBudget)
	}
	return budget
}

// rest waits until the next frame is due: after the pause, or earlier if the user waits for something, which pokes hurried, or
// much has come, which pokes flooded. It reports false if the host closes.
func (r *Renderer) rest(began time.Time, took, pause time.Duration, hurried, flooded poke.Chan) bool {
	for {
		select {
		case <-time.After(pause - time.Since(began)):
			return true
		case <-flooded:
			pause, flooded = min(pause, fastFrame), nil
		case <-hurried: // but Neovim has as long for itself as the frame took, however much the user waits for
			pause, hurried, flooded = min(pause, max(quickFrame, hurriedShare*took)), nil, nil
		case <-r.host.Done():
			return false
		}
	}
}

// pacer spaces frames: evenly while there is more than fits a frame, slowly while little comes all the time, and hardly at
// all where something comes after a quiet moment: the first word of an answer, a permission.
type pacer struct {
	quickFrames float64 // frames that may come at once
	last        time.Time
}

// pause is the time from a frame that began at now to the next. [drawn] says what was in it.
func (p *pacer) pause(now time.Time, d drawn) time.Duration {
	if quiet := now.Sub(p.last) - slowFrame; quiet > 0 {
		p.quickFrames = min(burst, p.quickFrames+quiet.Seconds()/slowFrame.Seconds())
	}

	p.last = now
	switch {
	case p.quickFrames >= 1 && (!d.more || d.bytes <= slowFrameBytes): // also where much comes after a few words, or after a status alone
		p.quickFrames--
		return quickFrame
	case d.more:
		return fastFrame
	case d.bytes > slowFrameBytes:
		return steadyFrame
	}

	return slowFrame
}

// tick redraws the running times, once a second while a call runs.
func (r *Renderer) tick() {
	for _, s := range r.host.Sessions() {
		s.Do(func(st *session.State) { st.Screen().Tick() })
	}
}

// drawn is what became of a frame.
type drawn struct {
	bytes   int  // of text
	more    bool // there is more to draw
	full    bool // because the frame could not hold it
	running bool // a running time is shown
	again   bool // Neovim could not take it now
}

// batch is one frame of some sessions.
type batch struct {
	frames   []Frame
	sessions []feature.Session
	bytes    int  // of text
	full     bool // the budget is used up
	more     bool // there are sessions that had to wait
}

// draw sends one frame of every session that has something to show; all of them share the budget.
func (r *Renderer) draw(budget int) drawn {
	sessions := r.dirty.Take()
	if r.hooks.Away() {
		r.hooks.Missed(sessions)
		return drawn{}
	}
	b := r.take(sessions, budget)
	if len(b.frames) == 0 {
		return drawn{more: b.more}
	}

	var next caught.Group
	if b.full {
		next.Go(func() { b.ahead(budget) }) // ends when it has worked out as much as a frame holds
	}

	answers, before := map[string]string{}, r.updates.Load()
	err := r.host.ExecLua(luaFrames, &answers, b.frames)
	next.Wait()
	flows := r.updates.Load()-before > flowUpdates // while Neovim drew
	d := drawn{bytes: b.bytes, more: b.more}
	for i, s := range b.sessions {
		s.Within("drawing.(*Renderer).draw", func() { r.drew(s, answers[s.LocalID()], err, b.frames[i].more || flows, &d) })
	}

	d.full = b.full && d.more
	return d
}

// take takes what there is to show of sessions.
func (r *Renderer) take(sessions []feature.Session, budget int) batch {
	var b batch
	for _, s := range sessions {
		if budget <= 0 { // its text comes first in the next frame
			r.Poke(s)
			b.more = true
		}

		var f Frame
		ok := false
		s.Within("drawing.(*Renderer).take", func() { f, ok = r.Frame(s, budget) })
		if !ok {
			Refine(s)
			continue
		}
		budget -= f.Ops.Cost()
		for i := range f.Ops {
			b.bytes += f.Ops[i].Size()
		}

		b.frames, b.sessions = append(b.frames, f), append(b.sessions, s)
	}
	b.full = budget <= 0
	return b
}

// ahead works out what comes after frames that are on their way, about budget bytes of it.
func (b *batch) ahead(budget int) {
	for i, s := range b.sessions {
		if !b.frames[i].more || budget <= 0 {
			continue
		}
		s.Within("drawing.(*batch).ahead", func() {
			prepare(s)
			budget -= feature.Ask(s, func(st *session.State) int { return st.Screen().Ahead(budget) })
		})
	}
}

// drew takes what Neovim has answered about the frame of a session; more: there was more than that.
func (r *Renderer) drew(s feature.Session, answer string, err error, more bool, d *drawn) {
	switch answer {
	case "ok", "gone":
	case "redraw":
		more = true
		s.Do(func(st *session.State) { st.Screen().Redraw() })
	default: // Neovim could not take it: what was in the frame is drawn again, a little later
		more = true
		if err == nil || answer == "again" {
			d.again = true
		}
		s.Do(func(st *session.State) {
			st.Screen().Redraw()
			st.Requests().ShowAgain()
		})
	}

	left, ticking := leftOf(s)
	d.running = d.running || ticking
	if !left {
		Refine(s) // while there is more, or more comes, it would only take the time that drawing needs
		return
	}
	r.Poke(s)
	d.more = d.more || more
}

// leftOf reports whether a frame has left something of a session undrawn, and whether that shows a running time.
func leftOf(s feature.Session) (more, running bool) {
	s.Do(func(st *session.State) { more, running = st.Log().Drawing().Dirty(), st.Log().Calls().Running() })
	return more, running
}

// rounds bounds how often a frame is prepared: an agent that sends diffs all the time must not keep it from being drawn.
const rounds = 4

// prepare does work for the next frame of a session that takes too long to be done with the state.
func prepare(s feature.Session) {
	var work []*transcript.Preparation
	for range rounds {
		work = feature.Ask(s, func(st *session.State) []*transcript.Preparation { return st.Screen().Prepare(work) })
		if len(work) == 0 {
			return
		}
		for _, p := range work {
			p.Do()
		}
	}
	s.Do(func(st *session.State) { st.Screen().Prepare(work) })
}

// Frame takes what there is to show of a session, and reports whether there is anything. What the user is shown of requests is made
// outside of the state's guard.
func (r *Renderer) Frame(s feature.Session, budget int) (Frame, bool) {
	prepare(s)
	got := feature.Ask(s, func(st *session.State) session.Frame { return st.Frame(budget) })
	f := Frame{Session: s.LocalID(), Ops: got.Ops, Reset: got.Reset, Status: got.Status, Events: got.Events, more: got.More}
	if f.Status != nil {
		f.Status.EditWaits = r.hooks.EditWaits()
	}
	if got.Requests != nil {
		shown := r.hooks.Requests(s, got.Requests)
		f.Permissions, f.Later = &shown, got.Waiting-len(shown)
	}
	return f, !got.Empty()
}
