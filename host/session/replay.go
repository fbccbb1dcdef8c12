package session

import (
	"errors"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Replay is the conversation as an agent repeats it, and what of it is shown and recorded.
type Replay struct {
	screen  *Screen
	link    *Link
	turns   *turns
	make    func() *transcript.Transcript
	log     *transcript.Transcript // of a session that is being loaded, or of a late replay; nil: none goes on
	before  *transcript.Transcript // what was shown before that was shown
	late    bool                   // the agent has opened a session that it may repeat, and has not: a replay may come at any time
	once    bool                   // nobody has asked for it: it is over with the next turn
	lateLog *transcript.Transcript // what has come of it
	ending  bool                   // it is under way: log is lateLog
	doubt   *doubt                 // what the running turn has may be of it; nil: it is not
	sure    bool                   // nor may be what follows
	taken   bool                   // something of the running turn was taken back, which others are to know
	asked   []*acp.ContentChunk    // the user's, that have come last in the running turn: its own prompt, or one that is replayed
	held    []acp.SessionUpdate    // what a session that is being loaded is said to have beside its conversation: no more if that fails
	timer   LateReplay             // an effect

	replaced bool // what is shown takes the place of what is recorded
	recorded bool // what is shown began with the record
}

// doubt is what the agent says in a turn behind a replay of all that the record has: the turn's own words, as far as anybody can know, or
// the rest of what was replayed, if its next prompt follows.
type doubt struct {
	since transcript.Point
	list  []acp.SessionUpdate
}

// LateQuiet is after how long a silence a replay that comes late is shown, as far as it has come.
const LateQuiet = time.Second

// LateReplay says what is to be done about the timer that ends a late replay.
type LateReplay struct{ Restart, Stop bool }

func (r *Replay) check() error {
	switch {
	case r.log != nil && !r.link.isStarting() && !r.ending:
		return errors.New("a replay goes on in a session that is not being started")
	case r.ending && r.lateLog == nil:
		return errors.New("a late replay goes on without a transcript")
	case r.before != nil && r.log == nil:
		return errors.New("what was shown before a replay is kept without one")
	}
	return nil
}

// Active is the transcript that updates go to.
func (r *Replay) Active() *transcript.Transcript {
	if r.log != nil {
		return r.log
	}
	return r.screen.log
}

// isShown reports whether a replay is shown that may still fail. Nothing of it is recorded yet.
func (r *Replay) isShown() bool { return r.log != nil && r.screen.log == r.log }

// loads reports whether a session is being loaded: what comes is of a replay that may still fail.
func (r *Replay) loads() bool { return r.log != nil && !r.ending }

// Load begins the replay of a session, if it is still being started.
func (r *Replay) Load() {
	if !r.link.load() {
		return
	}
	r.log, r.late, r.once, r.lateLog = r.make(), false, false, nil
	r.log.BeginLoad()
	r.screen.Refresh()
}

// Unasked notes that a session is resumed or copied, which is asked for without a replay. Some agents send one all the same.
func (r *Replay) Unasked() { r.late, r.once = true, true }

// Silent says that the agent has not answered for a while, if the session still waits for that.
func (r *Replay) Silent(c Connection, text string) {
	at, starts := r.link.at.(starting)
	if starts && at.agent == c && (!at.loads || r.log != nil && r.log.Blocks().Empty()) {
		r.screen.log.Mark(text, "AcpWarning")
		r.screen.Refresh()
	}
}

// show shows the replay of a session that is loaded as it comes, where there is nothing else to show.
func (r *Replay) show() {
	if r.log != nil && !r.ending && !r.isShown() && !r.log.Blocks().Empty() && !r.screen.log.Blocks().HasPrompts() {
		r.before = r.screen.log
		r.screen.replace(r.log)
	}
}

// forget notes that the agent is gone, or has not opened the session. What was shown before a replay that goes on is shown again.
func (r *Replay) forget() {
	if r.isShown() {
		r.screen.replace(r.before)
	}
	r.log, r.before = nil, nil
	r.late, r.once, r.lateLog, r.ending, r.doubt, r.asked, r.held = false, false, nil, false, nil, nil, nil
}

// end notes that the agent goes on with the session. What was replayed is shown, or adds to what was shown.
func (r *Replay) end() {
	log := r.screen.log
	switch {
	case r.log == nil || r.ending: // resumed: a replay goes on, or does not come
		r.late = r.ending
	case r.isShown():
		r.replaced, r.recorded = true, false
		log.EndLoad()
	case !r.log.Blocks().Empty() && !log.Blocks().HasPrompts():
		r.replace(r.log)
		r.log.EndLoad()
	case r.log.Blocks().HasPrompts():
		r.screen.reset = log.Add(r.log, false) || r.screen.reset
	default: // nothing was replayed, or not yet: what is shown stays
		r.late = true
	}

	if r.recorded {
		r.screen.log.Mark("restored from local history", "AcpDone")
	}
	if !r.ending {
		r.log = nil
	}
	r.before, r.recorded = nil, false
}

// replace shows another transcript in place of the one that is shown and recorded.
func (r *Replay) replace(log *transcript.Transcript) {
	r.screen.replace(log)
	r.replaced, r.recorded = true, false
}

// recognize recognizes by an update a replay that comes after the answer to session/load, however late, or that nobody has asked for. One
// that was asked for is shown as it comes where nothing else is; else its additions are shown when it pauses, or when the agent does what
// it has not replayed. It reports whether the update waits for what follows it.
func (r *Replay) recognize(u acp.SessionUpdate) (waits bool) {
	if !r.late || !isTalk(u) {
		return false
	}

	user, isUser := u.(*acp.UserMessageChunk)
	if r.turns.now != nil && isUser {
		if c := (*acp.ContentChunk)(user); !transcript.OnlyTold(c) { // which nobody shows
			r.asked = append(r.asked, c)
			if len(r.asked) == maxAsked {
				r.settle()
			}
		}
		return true
	}

	switch r.settle(); {
	case r.turns.now != nil:
		r.agentInTurn(u)
	case !isUser && r.lateLog == nil: // no replay begins so
		r.late = false
	case r.log == nil && !r.once && !r.screen.log.Blocks().HasPrompts():
		r.late = false
		r.replace(r.make())
	default:
		r.beginLate()
	}

	if r.log != nil {
		r.timer.Restart = true
	}
	return false
}

// maxAsked is how many pieces of prompts wait for what follows them.
const maxAsked = 1000

// settle recognizes the prompts that have come in a turn: its own, behind which no replay is, or those that are replayed. What was
// doubtful before them was replayed, too.
func (r *Replay) settle() {
	asked := r.asked
	if r.asked = nil; len(asked) == 0 {
		return
	}

	r.takeBack()
	n := r.screen.log.Echo(r.lateLog, asked)
	if n > 0 {
		r.beginLate()
		r.sure = false
	}
	for _, c := range asked[:n] {
		r.log.Apply((*acp.UserMessageChunk)(c))
	}
	if n < len(asked) { // the turn's own, which is shown
		r.pause()
		r.sure = true
	}
}

// agentInTurn recognizes what the agent says in a turn.
func (r *Replay) agentInTurn(u acp.SessionUpdate) {
	log := r.screen.log
	switch d := r.doubt; {
	case r.lateLog == nil || r.sure:
	case d != nil && log.HadCall(u, d.since):
	case d != nil && (log.Ends(r.lateLog, u) || log.Resumes(r.lateLog, u)):
		r.takeBack()
	case d != nil:
		d.list = append(d.list, u)
	case !r.turns.now.sent: // there is nothing else to answer
		r.beginLate()
	case r.log == nil && log.Resumes(r.lateLog, u):
		r.beginLate()
	case r.log == nil && log.WasReplayed(r.lateLog): // and then there was silence
		r.sure = true
	case r.log == nil || !log.Replays(r.log, u):
		words := r.endLate()
		r.doubt = &doubt{log.Point(), words}
		for _, w := range words {
			log.Apply(w)
		}
		if !log.HadCall(u, r.doubt.since) {
			r.doubt.list = append(r.doubt.list, u)
		}
	}
}

// takeBack has what is doubtful replayed.
func (r *Replay) takeBack() {
	d := r.doubt
	r.doubt = nil
	if d == nil || len(d.list) == 0 {
		return
	}

	r.screen.log.TakeBack(d.since)
	r.screen.reset, r.taken = true, true
	r.beginLate()
	for _, u := range d.list {
		r.log.Apply(u)
	}
}

// isTalk reports whether an update is of a kind that replays have.
func isTalk(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.UserMessageChunk, *acp.AgentMessageChunk, *acp.AgentThoughtChunk, *acp.ToolCall, *acp.ToolCallUpdate, *acp.Plan:
		return true
	}
	return false
}

// beginLate begins a late replay, or goes on with it after a pause.
func (r *Replay) beginLate() {
	if r.lateLog == nil {
		r.lateLog = r.make()
		r.lateLog.BeginLoad()
	}
	r.log, r.ending = r.lateLog, true
}

// begin notes that a turn begins, behind what was replayed so far.
func (r *Replay) begin() {
	if r.ending {
		r.add(true)
	}
	if r.once && r.lateLog == nil && !r.screen.log.Blocks().HasPrompts() {
		r.late = false // nothing would tell its end from the turn's own words
	}
	r.doubt, r.sure = nil, false
}

// EndLate ends a replay that came late, if there is one. It may go on later, but the running turn has what it is shown to have.
func (r *Replay) EndLate() {
	r.settle()
	for _, u := range r.endLate() {
		r.screen.log.Apply(u)
	}
	r.doubt, r.sure = nil, true
}

// endTurn notes that a turn ends.
func (r *Replay) endTurn() {
	r.EndLate()
	if r.once {
		r.late = false
	}
}

// endLate shows what a late replay adds. It returns what the running turn says that was taken for a part of it.
func (r *Replay) endLate() (words []acp.SessionUpdate) {
	if r.ending && r.turns.now != nil {
		words = r.screen.log.Reclaim(r.log)
	}
	r.pause()
	return words
}

// pause shows what a late replay adds, and has the updates that follow shown.
func (r *Replay) pause() {
	if r.ending {
		r.add(false)
		r.log, r.ending, r.timer = nil, false, LateReplay{Stop: true}
	}
}

// add shows what a late replay adds so far.
func (r *Replay) add(goesOn bool) {
	r.screen.reset = r.screen.log.Add(r.log, goesOn) || r.screen.reset
	r.screen.Refresh()
}
