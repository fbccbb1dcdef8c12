package demo

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"
)

// A session is one conversation. It is safe for concurrent use.
type session struct {
	id   string
	cwd  string
	peer *peer

	mu      sync.Mutex // guards the rest
	cancel  context.CancelFunc
	kept    kept
	always  bool // changes were allowed for the rest of the session
	boolean bool // the client shows boolean options
}

// kept is what of a session outlives the process.
type kept struct {
	ID      string    `json:"id"`
	CWD     string    `json:"cwd"`
	Title   string    `json:"title"`
	Updated time.Time `json:"updated"`
	Mode    string    `json:"mode"`
	Model   string    `json:"model"`
	Check   bool      `json:"check"`
	Used    int       `json:"used"`    // bytes of text that went either way
	Updates []object  `json:"updates"` // what load replays
}

// newID makes an id for a session or a message.
func newID() string { return strings.ToLower(rand.Text()[:16]) }

// fresh is a conversation that has not begun.
func fresh(cwd string) kept {
	return kept{ID: newID(), CWD: cwd, Mode: modeAsk, Model: modelBrief, Check: true, Updated: time.Now().UTC()}
}

// update tells the client of a change, and keeps it for a later load. Pieces of one message are kept as one.
func (s *session) update(update object) {
	s.keep(update)
	s.tell(update)
}

// tell is update for what is not kept.
func (s *session) tell(update object) {
	s.peer.notify("session/update", object{"sessionId": s.id, "update": update})
}

// keep is update for what the client knows already.
func (s *session) keep(update object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Updated = time.Now().UTC()
	if n := len(s.kept.Updates); n > 0 && update["messageId"] != nil && s.kept.Updates[n-1]["messageId"] == update["messageId"] {
		before, again := textOf(s.kept.Updates[n-1]), textOf(update)
		if before != "" && again != "" {
			joined := object{"sessionUpdate": update["sessionUpdate"], "messageId": update["messageId"]}
			joined["content"] = object{"type": "text", "text": before + again}
			s.kept.Updates[n-1] = joined
			return
		}
	}
	s.kept.Updates = append(s.kept.Updates, update)
}

// textOf returns the text of a message chunk.
func textOf(update object) string {
	content, _ := update["content"].(object)
	text, _ := content["text"].(string)
	return text
}

// state returns a copy of what is kept.
func (s *session) state() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.kept
	state.Updates = append([]object(nil), s.kept.Updates...)
	return state
}

// change changes what is kept.
func (s *session) change(f func(*kept)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.kept)
}

// allowAlways notes that changes need no further permission; allowed tells.
func (s *session) allowAlways() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = true
}

func (s *session) allowed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.always
}

// beginTurn makes the context of a turn, or nil if one runs.
func (s *session) beginTurn(parent context.Context) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(parent)
	s.cancel = cancel
	return ctx
}

// endTurn makes room for the next turn.
func (s *session) endTurn() {
	s.cancelTurn()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = nil
}

// cancelTurn ends the running turn, if there is one.
func (s *session) cancelTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
}
