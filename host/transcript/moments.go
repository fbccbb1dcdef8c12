package transcript

import (
	"slices"
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

// key is the id of a block in the record.
func (b *Block) key() string {
	if b.origin != "" {
		return b.origin
	}
	return b.ID
}

// Moments returns the points to go back to, the oldest first.
func (t *Transcript) Moments() []Moment {
	var list []Moment
	behind := ""
	for _, b := range t.blocks {
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

// KeyOf returns the key of a prompt by the id of its block.
func (t *Transcript) KeyOf(id string) string {
	if b := t.byID[id]; b != nil && b.Kind == User && !b.steer {
		return b.key()
	}
	return ""
}

// BlockOf returns the id of the block of a prompt by its key.
func (t *Transcript) BlockOf(key string) string {
	i := slices.IndexFunc(t.blocks, func(b *Block) bool { return b.Kind == User && b.key() == key })
	if i < 0 {
		return ""
	}
	return t.blocks[i].ID
}

// Until returns the entries of a record before a prompt; false if it has no such prompt.
func Until(entries []record.Entry, key string) ([]record.Entry, bool) {
	i := slices.IndexFunc(entries, func(e record.Entry) bool { return e.Role == record.User && e.ID == key })
	if i < 0 {
		return nil, false
	}
	return entries[:i], true
}
