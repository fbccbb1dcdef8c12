package host

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// sayMissing says once which folders have no checkpoints.
func (k *history) sayMissing(s *Session, c checkpoint.Checkpoint) {
	k.sayOnce(s, c.Missing, "no checkpoints of %s (%s): :AcpUndo knows only changes made through the editor")
}

// sayOnce says once of which folders something is so, and why.
func (k *history) sayOnce(s *Session, list []checkpoint.Missing, what string) {
	k.mu.Lock()
	known := k.said[s.id]
	if known == nil {
		known = map[string]bool{}
		k.said[s.id] = known
	}
	fresh := slices.DeleteFunc(slices.Clone(list), func(m checkpoint.Missing) bool { return known[what+m.Root] })
	for _, m := range fresh {
		known[what+m.Root] = true
	}
	k.mu.Unlock()
	if k.ctx.Err() != nil {
		return
	}
	for _, text := range missingTexts(fresh, what, s.short) {
		s.do(func(st *session.State) { st.Say(text, "AcpDone") })
	}
}

// missingTexts says of which folders something is so, those with the same reason together, by their names for the user.
func missingTexts(list []checkpoint.Missing, what string, name func(path string) string) []string {
	var reasons []string
	roots := map[string][]string{} // by reason
	for _, m := range list {
		if roots[m.Reason] == nil {
			reasons = append(reasons, m.Reason)
		}
		roots[m.Reason] = append(roots[m.Reason], m.Root)
	}
	var texts []string
	for _, reason := range reasons {
		of := name(roots[reason][0])
		if more := len(roots[reason]) - 1; more > 0 {
			of += fmt.Sprintf(" and %d more", more)
		}
		texts = append(texts, fmt.Sprintf(what, of, reason))
	}
	return texts
}

// maxHolding is how long a prompt waits for what its checkpoint borrows to be held, once that is made.
const maxHolding = 200 * time.Millisecond

// secure has the store hold what a checkpoint borrows, and says for which folders it does not. It calls ready when that is done, or takes
// long.
func (k *history) secure(store *checkpoint.Store, s *Session, c checkpoint.Checkpoint, ready func()) {
	timer := caught.After(maxHolding, ready)
	var missing []checkpoint.Missing
	if store != nil {
		missing = store.Hold(k.ctx, c)
	}
	if timer.Stop() {
		ready()
	}
	if len(missing) > 0 {
		k.sayOnce(s, missing, "if a turn removes the repository of %s, :AcpUndo may not bring back all files (%s)")
	}
}
