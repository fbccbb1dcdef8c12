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
	late    bool                   // the answer to session/load came without a replay: that may come at any time
	lateLog *transcript.Transcript // what has come of it
	ending  bool                   // it is under way: log is lateLog
	timer   LateReplay             // an effect

	replaced bool // what is shown takes the place of what is recorded
	recorded bool // what is shown began with the record
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

// Load begins the replay of a session, if it is still being started.
func (r *Replay) Load() {
	if !r.link.load() {
		return
	}
	r.log, r.late, r.lateLog = r.make(), false, nil
	r.log.BeginLoad()
	r.screen.Refresh()
}

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

// drop ends a replay that has failed: what was shown before is shown again.
func (r *Replay) drop() {
	if r.isShown() {
		r.screen.replace(r.before)
	}
	r.log, r.before = nil, nil
}

// forget notes that the agent is gone: a late replay is over, too.
func (r *Replay) forget() {
	r.drop()
	r.late, r.lateLog = false, nil
}

// end notes that the agent goes on with the session. What was replayed is shown, or adds to what was shown.
func (r *Replay) end() {
	log := r.screen.log
	switch {
	case r.log == nil:
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
	r.log, r.before, r.recorded = nil, nil, false
}

// replace shows another transcript in place of the one that is shown and recorded.
func (r *Replay) replace(log *transcript.Transcript) {
	r.screen.replace(log)
	r.replaced, r.recorded = true, false
}

// recognize recognizes a replay that comes after the answer to session/load, however late, by an update. Where nothing is shown of the
// session it is shown as it comes; else its additions are shown when it pauses, or when the agent does what it has not replayed.
func (r *Replay) recognize(u acp.SessionUpdate) {
	if !r.late || !isTalk(u) {
		return
	}

	log, inTurn := r.screen.log, r.turns.now != nil
	user, isUser := u.(*acp.UserMessageChunk)
	switch {
	case !inTurn && !isUser && r.lateLog == nil: // no replay begins so
		r.late = false
		return
	case !inTurn && r.log == nil && !log.Blocks().HasPrompts():
		r.late = false
		r.replace(r.make())
		return
	case isUser && inTurn && log.Echoes((*acp.ContentChunk)(user)):
		r.EndLate()
		return
	case r.log == nil && (isUser || !inTurn):
		r.beginLate()
	case r.log != nil && inTurn && !isUser && !log.Replays(r.log, u):
		r.EndLate()
		return
	}

	if r.log != nil {
		r.timer.Restart = true
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

// EndLate ends a replay that came late, if there is one. It may go on later.
func (r *Replay) EndLate() { r.endLate(false) }

// endLate is EndLate; over says that the turn that runs ends.
func (r *Replay) endLate(over bool) {
	if !r.ending {
		return
	}

	log := r.screen.log
	r.timer = LateReplay{Stop: true}
	if r.log != nil && r.turns.now != nil {
		switch kind, text := log.Reclaim(r.log); {
		case text == "":
		case kind == transcript.Thought:
			log.Apply(&acp.AgentThoughtChunk{Content: acp.Text(text)})
		default:
			log.Apply(&acp.AgentMessageChunk{Content: acp.Text(text)})
		}
	}
	if r.log != nil && log.Add(r.log, over && !log.HasAnswer()) {
		r.screen.reset = true
	}

	r.log, r.ending = nil, false
	r.screen.Refresh()
}
