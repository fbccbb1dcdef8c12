package session

import (
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/problems"
)

// maxFixes is how often errors are sent by themselves between two prompts of the user's.
const maxFixes = 2

// checks are what a session knows of the errors that its turns bring. The zero value is ready for use.
type checks struct {
	turn    *Turn           // the last one that began; errors are looked for when it is over, until the next begins
	before  []problems.Item // at the beginning of the turn …
	known   bool            // … if they are known
	seen    map[string]bool // files of which they were known, by real path
	changed map[string]bool // files that its agent has changed since, by real path
	named   []string        // paths of the calls of earlier turns that nothing was looked for after
	done    bool            // errors were looked for after it
	offer   string          // a prompt about new errors that the user may send, "" if there is none
	late    string          // which language servers have not settled, as the user was told
	fixes   int             // how often it was sent by itself since the user's last prompt
}

// beginCheck begins anew, with a turn. What the turns before it have brought is looked for after this one if there was no time.
func (s *State) beginCheck(t *Turn) {
	was := s.checks
	s.checks = checks{turn: t, late: was.late}
	if t.Prompt.Fix {
		s.checks.fixes = was.fixes
	}
	if was.known && !was.done {
		s.checks.before, s.checks.known, s.checks.seen, s.checks.changed = was.before, true, was.seen, was.changed
		s.checks.named = slices.Concat(was.named, s.log.EditedPaths())
	}
}

// Checkable reports whether a turn is over, and none has begun since.
func (s *State) Checkable(t *Turn) bool { return s.turn == nil && s.checks.turn == t }

// ErrorsBefore notes the errors at the beginning of a turn, and in which files they are known, also if there are none, by real path. It
// reports false if those of an earlier turn are still needed.
func (s *State) ErrorsBefore(t *Turn, list []problems.Item, seen []string) bool {
	if s.turn != t || s.checks.known {
		return false
	}
	s.checks.before, s.checks.known, s.checks.seen = list, true, map[string]bool{}
	for _, path := range seen {
		s.checks.seen[path] = true
	}
	return true
}

// WithoutBaseline returns those files of errors in which the errors before the turn were not known, each once.
func (s *State) WithoutBaseline(t *Turn, list []problems.Item) []string {
	var paths []string
	if !s.Checkable(t) {
		return nil
	}
	for _, i := range list {
		if !s.checks.seen[i.Path] && !slices.Contains(paths, i.Path) {
			paths = append(paths, i.Path)
		}
	}
	return paths
}

// FileChanged notes that the agent has changed a file.
func (s *State) FileChanged(real string) {
	if s.checks.changed == nil {
		s.checks.changed = map[string]bool{}
	}
	s.checks.changed[real] = true
	s.at.edit.FileChanged()
}

// ChangedFiles returns the files that the agent has changed since its last turn began, as far as they are known by their edits, and by
// the paths of its calls; nil once another turn has begun.
func (s *State) ChangedFiles(t *Turn) (real, named []string) {
	if !s.Checkable(t) {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(s.checks.changed)), slices.Concat(s.checks.named, s.log.EditedPaths())
}

// EditedPaths returns the paths that the calls of the last turn have edited, as the agent names them.
func (s *State) EditedPaths() []string { return s.log.EditedPaths() }

// NewErrors returns the errors of a list that the last turn has brought, and those before it whose errors were not looked for: each once,
// if it is asked again. All says that there will be no more. It is nil once another one has begun, and if those of before are not known.
func (s *State) NewErrors(t *Turn, list []problems.Item, all bool) []problems.Item {
	if !s.Checkable(t) || !s.checks.known {
		return nil
	}
	s.checks.done = all
	fresh := problems.New(s.checks.before, list)
	s.checks.before = slices.Concat(s.checks.before, fresh)
	return fresh
}

// OfferErrors shows errors of the last turn, and keeps the prompt about them for the user to send; whole is about all of the turn, for
// if they have not sent the last one.
func (s *State) OfferErrors(t *Turn, text, prompt, whole string) {
	if !s.Checkable(t) {
		return
	}
	if s.checks.offer != "" {
		prompt = whole
	}
	s.checks.offer = prompt
	s.log.Say(plain.Visible(text), "AcpWarning")
	s.changed()
}

// NoteChecks says something of how errors are looked for after the last turn.
func (s *State) NoteChecks(t *Turn, text string) {
	if s.Checkable(t) && s.checks.known {
		s.Say(plain.Visible(text), "AcpDone")
	}
}

// Late notes which language servers have not settled after the last turn, "" if all have. The user is told once, until they have. None
// says that there are no new errors so far, which they are told if they were told that some may follow.
func (s *State) Late(t *Turn, late string, none bool) {
	if !s.Checkable(t) || !s.checks.known {
		return
	}
	was := s.checks.late
	s.checks.late = late
	switch {
	case late != "" && was == "":
		s.Say(plain.Visible(late+"; errors may follow"), "AcpDone")
	case late == "" && was != "" && none:
		s.Say("no new errors", "AcpDone")
	}
}

// TakeOffer returns the prompt about errors, once.
func (s *State) TakeOffer() string {
	prompt := s.checks.offer
	s.checks.offer = ""
	return prompt
}

// MayFix reports whether errors of the last turn may be sent by themselves once more, and counts that.
func (s *State) MayFix(t *Turn) bool {
	if !s.Checkable(t) || len(s.queue.list) > 0 || s.checks.fixes >= maxFixes {
		return false
	}
	s.checks.fixes++
	return true
}
