package demo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A turn answers one prompt, in a goroutine of its own. Every step ends early with the context's error once the user
// cancels; the turn itself then reports "cancelled".
type turn struct {
	agent   *agent
	session *session
	ctx     context.Context
	request request
	open    string // the tool call that is under way
}

// saveOpen keeps a session unless it was closed or deleted meanwhile.
func (a *agent) saveOpen(s *session) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[s.id] != s {
		return nil
	}
	return a.store.save(s.whole())
}

// run plays the turn and returns why it stopped.
func (t *turn) run() (string, error) {
	t.session.keep(object{
		"sessionUpdate": "user_message_chunk", "messageId": newID(),
		"content": object{"type": "text", "text": t.request.text},
	})
	t.entitle()
	err := t.answer()
	if err == nil {
		err = t.guide()
	}
	if t.ctx.Err() != nil {
		t.abandon()
		return "cancelled", nil
	}
	if err != nil {
		t.abandon()
		return "", err
	}

	t.usage()
	return "end_turn", nil
}

// entitle names the session by its first prompt.
func (t *turn) entitle() {
	title := firstLine(t.request.text)
	if title == "" || t.session.view().Title != "" {
		return
	}
	t.session.change(func(k *kept) { k.Title = title })
	t.session.tell(object{
		"sessionUpdate": "session_info_update", "title": title, "updatedAt": time.Now().UTC().Format(time.RFC3339),
	})
}

// usage tells how much text went by, as tokens of four bytes, and no cost.
func (t *turn) usage() {
	const size = 200_000
	used := min(t.session.view().Used/4, size)
	t.session.tell(object{"sessionUpdate": "usage_update", "used": used, "size": size})
}

// abandon closes the tool call that a cancelled turn left open.
func (t *turn) abandon() {
	if t.open != "" {
		t.session.update(object{"sessionUpdate": "tool_call_update", "toolCallId": t.open, "status": "failed"})
		t.open = ""
	}
}

// say streams a message to the user.
func (t *turn) say(format string, args ...any) error {
	return t.stream("agent_message_chunk", fmt.Sprintf(format, args...))
}

// think streams a thought.
func (t *turn) think(format string, args ...any) error {
	return t.stream("agent_thought_chunk", fmt.Sprintf(format, args...))
}

// stream sends a text in pieces of a few words, with a pause after each.
func (t *turn) stream(kind, text string) error {
	id := newID()
	for _, piece := range pieces(text) {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		t.chunk(kind, id, piece)
		if err := t.pause(t.agent.opts.Pace); err != nil {
			return err
		}
	}
	return nil
}

// chunk sends a piece of a message.
func (t *turn) chunk(kind, id, text string) {
	t.session.change(func(k *kept) { k.Used += len(text) })
	t.session.update(object{
		"sessionUpdate": kind, "messageId": id, "content": object{"type": "text", "text": text},
	})
}

// pieces cuts a text after every second word.
func pieces(text string) []string {
	var all []string
	words := strings.SplitAfter(text, " ")
	for len(words) > 0 {
		n := min(2, len(words))
		all = append(all, strings.Join(words[:n], ""))
		words = words[n:]
	}
	return all
}

// pause waits, or ends with the turn.
func (t *turn) pause(duration time.Duration) error {
	if duration <= 0 {
		return t.ctx.Err()
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-t.ctx.Done():
		return t.ctx.Err()
	case <-timer.C:
		return nil
	}
}

// plan shows the steps, of which the first done ones are done and the next is under way.
func (t *turn) plan(done int, steps ...string) {
	var entries []object
	for i, step := range steps {
		status := "pending"
		switch {
		case i < done:
			status = "completed"
		case i == done:
			status = "in_progress"
		}
		entries = append(entries, object{"content": step, "priority": "medium", "status": status})
	}
	t.session.update(object{"sessionUpdate": "plan", "entries": entries})
}

// tour is what the agent says at the end of its first turns when it shows a newcomer around, a line at a time, and what it suggests to be
// sent next: at the beginning, and after each of them.
var tour = []struct{ line, next string }{
	{"", "Please fix what is wrong in @cart.go while I type in it"},
	{
		"What you type in `cart.go` merges with my edits. There, `]h` goes to a change, `dp` keeps it, `do` reverts it, " +
			"and `u` takes back mine alone.",
		"Please fix what is wrong in @notes.md",
	},
	{"`:AcpUndo` takes back a whole turn, also what my commands have done.", "/show"},
	{"Lines change without a chat, too: `:edit report.lua`, then `:%AcpEdit fix it`.", "/help"},
	{"`:AcpDetach` lets me work on without Neovim, `:AcpAttach` comes back. That was the tour.", ""},
}

// guide says the next line of the tour.
func (t *turn) guide() error {
	if !t.agent.opts.Tour || t.session.toured+1 >= len(tour) {
		return nil
	}
	t.session.toured++
	stop := tour[t.session.toured]
	t.session.suggest(stop.next)
	return t.say("%s", stop.line)
}

// suggest has the client offer a prompt, "" for none.
func (s *session) suggest(prompt string) {
	list := []object{}
	if prompt != "" {
		list = append(list, object{"text": prompt})
	}
	s.tell(object{"sessionUpdate": "session_info_update", "_meta": object{"promptSuggestions": object{"suggestions": list}}})
}
