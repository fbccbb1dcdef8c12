package transcript

import (
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/record"
)

// Moment is a point of the conversation to which the user can go back: before a prompt that has begun a turn.
type Moment struct {
	Key    string    // of the prompt: its id in the record
	Text   string    // of the prompt
	Time   time.Time // zero if that is not known
	Behind string    // id of the agent's message with which the turn before has ended; "" if that is not known
	First  bool      // nothing was said before
}

// Moments returns the points to go back to, the oldest first.
func (l *Blocks) Moments() []Moment {
	var list []Moment
	behind := ""
	for _, b := range l.list {
		switch {
		case b.Kind == User && !b.steer:
			list = append(list, Moment{b.key(), b.text.String(), b.began, behind, len(list) == 0})
			behind = ""
		case b.Kind == Agent:
			behind = b.message
		case b.Kind == ToolUse || b.Kind == User:
			behind = "" // the turn goes on behind the message
		}
	}

	return list
}

// Since returns the time from which on what is behind a moment was done here: its own, else that of the next one that has one, else now.
// What has come with a replay has none, and nothing was done here for it.
func Since(list []Moment, i int) time.Time {
	for _, m := range list[i:] {
		if !m.Time.IsZero() {
			return m.Time
		}
	}
	return time.Now()
}

// KeyOf returns the key of a prompt by the id of its block.
func (l *Blocks) KeyOf(id string) string {
	if b := l.byID[id]; b != nil && b.Kind == User && !b.steer {
		return b.key()
	}
	return ""
}

// BlockOf returns the id of the block of a prompt by its key.
func (l *Blocks) BlockOf(key string) string {
	i := slices.IndexFunc(l.list, func(b *Block) bool { return b.Kind == User && b.key() == key })
	if i < 0 {
		return ""
	}
	return l.list[i].ID
}

// Until returns the entries of a record before a prompt; false if it has no such prompt.
func Until(entries []record.Entry, key string) ([]record.Entry, bool) {
	i := slices.IndexFunc(entries, func(e record.Entry) bool { return e.Role == record.User && e.ID == key })
	if i < 0 {
		return nil, false
	}
	return entries[:i], true
}

// Words returns the user's own text of a prompt.
func (l *Blocks) Words(id string) (text string, ok bool) {
	b := l.byID[id]
	if b == nil || b.Kind != User {
		return "", false
	}
	return strings.TrimRight(b.own(), "\n"), true
}
