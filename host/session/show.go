package session

import (
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Say adds a line of ours to the transcript.
func (s *State) Say(text, group string) {
	s.log.Say(text, group)
	s.changed()
}

// Fault adds an error to the transcript.
func (s *State) Fault(text string) {
	s.log.Fault(text)
	s.changed()
}

// Toggle folds or unfolds a block, or a part of one.
func (s *State) Toggle(block, part string) {
	s.log.Toggle(block, part)
	s.changed()
}

// SetWidth sets the cells of a row of the transcript.
func (s *State) SetWidth(width int) {
	s.log.SetWidth(width)
	if s.log.Dirty() {
		s.draw(Soon)
	}
}

// Source returns the Markdown that a row of a block is rendered from.
func (s *State) Source(block string, row int) (transcript.Source, bool) {
	return s.log.Source(block, row)
}

// Tick draws running times anew, if any are shown.
func (s *State) Tick() {
	if s.log.Running() {
		s.log.Tick()
		s.draw(Soon)
	}
}

// TerminalChanged has the calls drawn again that show a terminal.
func (s *State) TerminalChanged(name string) {
	s.log.TerminalChanged(name)
	s.draw(Soon)
}

// Look notes which rows of the transcript a window shows.
func (s *State) Look(from, to transcript.RowPlace) { s.log.Look(from, to) }

// Job notes that a piece of highlighting is done, and returns the next one. It returns nil if there is none, or with nothing
// done, if somebody is at it.
func (s *State) Job(done *transcript.Job) *transcript.Job {
	if done == nil && s.frame.highlights {
		return nil
	}
	if done != nil {
		s.log.Done(done)
		s.draw(Soon)
	}
	j := s.log.Job()
	s.frame.highlights = j != nil
	return j
}

// Target is what a row of the transcript is about.
type Target struct {
	Content acp.ContentBlock // that is not text …
	Place   *transcript.Place
	Whole   string // … or all that is shown in part
	Known   bool   // Whole is one
}

// Target returns what a row of a block is about.
func (s *State) Target(block, part string, row int, text string) Target {
	t := Target{Content: s.log.Content(block, part, text)}
	if place, ok := s.log.Place(block, row); ok {
		t.Place = &place
	}
	t.Whole, t.Known = s.log.Whole(block, part)
	return t
}

// Words returns the user's words in a block, if it is a prompt.
func (s *State) Words(block string) (string, bool) { return s.log.Words(block) }

// Markdown returns the transcript of a session in a folder as Markdown.
func (s *State) Markdown(folder string) string {
	return s.log.Markdown(transcript.Head{
		Title: s.Title(), Agent: s.agent.Title, Folder: folder, Began: time.UnixMilli(s.titles.created),
	})
}
