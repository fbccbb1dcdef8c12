package host

import (
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// refine has highlighted fully what is drawn and will not change any more, in a goroutine: it takes a hundred times as long
// as to draw it.
func (s *Session) refine() {
	if j := s.refineNext(nil); j != nil {
		s.spawn(func() { s.refineAll(j) }) // ends when nothing is left to highlight
	}
}

func (s *Session) refineAll(j *transcript.Job) {
	for ; j != nil; j = s.refineNext(j) {
		safely(j.Do)
	}
}

// safely runs what parses an agent's text with the code of others: text without colours is better than no host.
func safely(do func()) {
	defer func() { _ = recover() }()
	do()
}

// refineNext notes that a job is done and returns the next one; nil if there is none.
func (s *Session) refineNext(done *transcript.Job) *transcript.Job {
	return ask(s, func(st *session.State) *transcript.Job { return st.Job(done) })
}

// setWidth notes how wide the rows of a transcript are.
func (s *Session) setWidth(a widthArgs) {
	s.width.Store(int32(a.Width)) // of a transcript that is loaded later
	s.do(func(st *session.State) { st.SetWidth(a.Width) })
	s.refine()
}

// look notes which rows of the transcript a window shows that is not at its end.
func (s *Session) look(a shownArgs) {
	s.do(func(st *session.State) { st.Look(a.From, a.To) })
	s.refine()
}
