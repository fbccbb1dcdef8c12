package host

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/session"
)

const (
	checkDelay = time.Second      // after a turn, until what it has written is merged
	checkTime  = 40 * time.Second // for all files
	checkWait  = 10 * time.Second // for the servers to settle, for each
	maxChecked = 20               // files

	maxNoteWait = 300 * time.Millisecond // for the errors of before
)

// checking reports what is done about new errors after a turn: "offer", "send" or "" for nothing.
func (s *Settings) checking() string {
	how, _ := s.FS.Diagnostics.AfterTurn.(string)
	return how
}

// noteErrors asks which errors there are when a turn begins. It waits for Neovim, but not for long: without an answer nothing is
// said of errors after the turn.
func (s *Session) noteErrors(t *session.Turn) {
	if s.host.settings().checking() == "" {
		return
	}
	ctx, stop := context.WithTimeout(t.Making, maxNoteWait)
	defer stop()
	var now struct {
		Items []problems.Item `json:"items"`
		Seen  []string        `json:"seen"`
	}
	if (desk{s}).Know(ctx, "errors", map[string]any{}, &now) != nil {
		return
	}
	if ask(s, func(st *session.State) bool { return st.ErrorsBefore(t, now.Items, now.Seen) }) {
		s.host.since.begin(s)
	}
}

// check looks for errors that a turn has brought into the files that its agent has changed, and offers or sends them to it. It
// waits for language servers.
func (s *Session) check(t *session.Turn, reason acp.StopReason) {
	how := s.host.settings().checking()
	if how == "" || reason != acp.StopEndTurn {
		return
	}
	select {
	case <-time.After(checkDelay):
	case <-s.host.done:
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), checkTime)
	defer stop()

	var found []problems.Item
	for _, path := range s.changedFiles(t) {
		var answer struct {
			Items []struct {
				problems.Item
				Severity string `json:"severity"`
			} `json:"items"`
		}
		args := map[string]any{"path": path, "wait": checkWait.Milliseconds(), "gentle": true}
		if (desk{s}).Know(ctx, "diagnostics", args, &answer) != nil {
			continue // it is gone, or nothing knows it
		}
		for _, i := range answer.Items {
			if i.Severity == "error" {
				found = append(found, i.Item)
			}
		}
	}
	found = s.brought(ctx, t, found)
	fresh := ask(s, func(st *session.State) []problems.Item { return st.NewErrors(t, found) })
	fresh = s.withoutSecrets(ctx, fresh)
	if len(fresh) == 0 {
		return
	}
	prompt := problems.Prompt(fresh, s.short)
	if how == "send" && ask(s, func(st *session.State) bool { return st.MayFix(t) }) {
		s.promptFix(prompt)
		return
	}
	s.do(func(st *session.State) {
		st.OfferErrors(t, problems.Offer(fresh, s.host.settings().Keys.SendErrors, s.short), prompt)
	})
}

// changedFiles returns the files that the agent may read and has changed in its last turn, by their real paths; none once another
// turn has begun.
func (s *Session) changedFiles(t *session.Turn) []string {
	var list, named []string
	s.do(func(st *session.State) { list, named = st.ChangedFiles(t) })
	list = append(list, s.realPaths(named)...)
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(real string) bool {
		return !buffers.Inside(s.roots, real) || s.secret(real)
	})
	return list[:min(len(list), maxChecked)]
}

// realPaths returns the real paths of files that the agent names.
func (s *Session) realPaths(names []string) []string {
	var list []string
	for _, path := range names {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.cwd, path)
		}
		if real, err := buffers.Real(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// promptFix sends a prompt about errors.
func (s *Session) promptFix(text string) {
	if ask(s, func(st *session.State) bool { return st.Prompt(session.Prompt{Text: text, Fix: true}) }) {
		s.connect()
	}
}

// sendErrors sends the errors that were offered, as the user's prompt.
func (s *Session) sendErrors() {
	text := ask(s, (*session.State).TakeOffer)
	if text == "" {
		s.host.say("info", "the language servers report no new errors since the last turn")
		return
	}
	s.prompt(promptArgs{Text: text})
}
