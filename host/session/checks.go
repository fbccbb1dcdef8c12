package session

import (
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// maxFixes is how often errors are sent by themselves between two prompts of the user's.
const maxFixes = 2

// checks are what a session knows of the errors that its turns bring. The zero value is ready for use.
type checks struct {
	before  []problems.Item // at the beginning of the turn …
	known   bool            // … if they are known
	changed map[string]bool // files that its agent has changed since, by real path
	offer   string          // a prompt about new errors that the user may send, "" if there is none
	fixes   int             // how often it was sent by itself since the user's last prompt
}

// beginCheck begins anew, with a turn.
func (s *State) beginCheck(fix bool) {
	s.checks.before, s.checks.known, s.checks.changed, s.checks.offer = nil, false, nil, ""
	if !fix {
		s.checks.fixes = 0
	}
}

// ErrorsBefore notes the errors at the beginning of a turn.
func (s *State) ErrorsBefore(t *Turn, list []problems.Item) {
	if s.turn == t {
		s.checks.before, s.checks.known = list, true
	}
}

// FileChanged notes that the agent has changed a file.
func (s *State) FileChanged(real string) {
	if s.checks.changed == nil {
		s.checks.changed = map[string]bool{}
	}
	s.checks.changed[real] = true
}

// ChangedFiles returns the files that the agent has changed since its last turn began, as far as they are known by their edits, and by
// the paths of its calls; nil while another turn runs.
func (s *State) ChangedFiles() (real, named []string) {
	if s.turn != nil {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(s.checks.changed)), s.log.EditedPaths()
}

// NewErrors returns the errors of a list that the last turn has brought; nil while another one runs, and if those of before are
// not known.
func (s *State) NewErrors(list []problems.Item) []problems.Item {
	if s.turn != nil || !s.checks.known {
		return nil
	}
	return problems.New(s.checks.before, list)
}

// OfferErrors shows errors, and keeps the prompt about them for the user to send.
func (s *State) OfferErrors(text, prompt string) {
	if s.turn != nil {
		return
	}
	s.checks.offer = prompt
	s.log.Say(transcript.Visible(text), "AcpWarning")
	s.changed()
}

// TakeOffer returns the prompt about errors, once.
func (s *State) TakeOffer() string {
	prompt := s.checks.offer
	s.checks.offer = ""
	return prompt
}

// MayFix reports whether errors may be sent by themselves once more, and counts that.
func (s *State) MayFix() bool {
	if s.turn != nil || len(s.queue) > 0 || s.checks.fixes >= maxFixes {
		return false
	}
	s.checks.fixes++
	return true
}
