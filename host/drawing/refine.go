package drawing

import (
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Refine has highlighted fully what is drawn of a session and will not change any more, in a goroutine: it takes a hundred times as long
// as to draw it.
func Refine(s feature.Session) {
	if j := refineNext(s, nil); j != nil {
		s.Spawn(func() { refineAll(s, j) }) // ends when nothing is left to highlight
	}
}

func refineAll(s feature.Session, j *transcript.Job) {
	for ; j != nil; j = refineNext(s, j) {
		safely(j.Do)
	}
}

// safely runs what parses an agent's text with the code of others: text without colours is better than no host.
func safely(do func()) {
	defer func() { _ = recover() }()
	do()
}

// refineNext notes that a job is done and returns the next one; nil if there is none.
func refineNext(s feature.Session, done *transcript.Job) *transcript.Job {
	return feature.Ask(s, func(st *session.State) *transcript.Job { return st.Screen().Job(done) })
}
