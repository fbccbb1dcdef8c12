package session

import "slices"

// maxAttached is of how many prompts it is known what was attached to them, the latest of them.
const maxAttached = 100

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
	if len(q.attached) > maxAttached {
		q.attached = slices.Delete(q.attached, 0, 1)
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
