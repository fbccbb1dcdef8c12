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
	toured  int  // lines of the tour that were said; only its turn, of which one runs at a time, has it
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

// update tells the client of a change, and keeps it for a later load.
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
	s.kept.Updates = append(s.kept.Updates, update)
}

// joined makes the pieces of each message one.
func joined(updates []object) []object {
	var whole []object
	for i := 0; i < len(updates); {
		first, text := updates[i], strings.Builder{}
		from := i
		for i < len(updates) && first["messageId"] != nil && updates[i]["messageId"] == first["messageId"] {
			text.WriteString(textOf(updates[i]))
			i++
		}

		if i-from > 1 {
			first = object{
				"sessionUpdate": first["sessionUpdate"], "messageId": first["messageId"],
				"content": object{"type": "text", "text": text.String()},
			}
		}

		i = max(i, from+1)
		whole = append(whole, first)
	}

	return whole
}

// textOf returns the text of a message chunk.
func textOf(update object) string {
	content, _ := update["content"].(object)
	text, _ := content["text"].(string)
	return text
}

// view returns what is kept, but for the updates.
func (s *session) view() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	view := s.kept
	view.Updates = nil
	return view
}

// whole returns all that is kept.
func (s *session) whole() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Updates = joined(s.kept.Updates)
	whole := s.kept
	whole.Updates = append([]object(nil), whole.Updates...)
	return whole
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
