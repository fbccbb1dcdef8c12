package session

import "slices"

// The bounds of what is known of prompts' attachments: the latest of them.
const (
	maxAttached      = 100
	maxAttachedBytes = 4 << 20 // of their texts
)

// attached is what was attached to a prompt that has begun a turn, where its words alone do not say it.
type attached struct {
	key     string // of the prompt in the record
	context []Attachment
}

// began notes a prompt that has begun a turn.
func (q *Queue) began(key string, p Prompt) {
	context := slices.DeleteFunc(slices.Clone(p.Context), func(a Attachment) bool { return a.Mentioned && a.As == "" })
	if len(context) == 0 {
		return
	}

	q.attached = append(q.attached, attached{key, context})
	size := 0
	for i, a := range slices.Backward(q.attached) {
		for _, c := range a.context {
			size += len(c.Text)
		}
		if size > maxAttachedBytes || len(q.attached)-i > maxAttached {
			q.attached = slices.Delete(q.attached, 0, i+1)
			return
		}
	}
}

// Attached returns what was attached to a prompt that has begun a turn, by its key in the record, where its words alone do not say it.
func (q *Queue) Attached(key string) []Attachment {
	for _, a := range q.attached {
		if a.key == key {
			return slices.Clone(a.context)
		}
	}
	return []Attachment{}
}
