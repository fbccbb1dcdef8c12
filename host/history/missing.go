package history

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// said is what each session was told of folders. The zero value is ready for use. It is safe for concurrent use.
type said struct {
	mu       sync.Mutex
	sessions map[string]map[string]bool
}

// missing says once which folders have no checkpoints.
func (d *said) missing(ctx context.Context, s feature.Session, c checkpoint.Checkpoint) {
	d.once(ctx, s, c.Missing, "no checkpoints of %s (%s): :AcpUndo knows only changes made through the editor")
}

// once says once of which folders something is so, and why; nothing if ctx has ended.
func (d *said) once(ctx context.Context, s feature.Session, list []checkpoint.Missing, what string) {
	d.mu.Lock()
	if d.sessions == nil {
		d.sessions = map[string]map[string]bool{}
	}

	known := d.sessions[s.LocalID()]
	if known == nil {
		known = map[string]bool{}
		d.sessions[s.LocalID()] = known
	}

	fresh := slices.DeleteFunc(slices.Clone(list), func(m checkpoint.Missing) bool { return known[what+m.Root] })
	for _, m := range fresh {
		known[what+m.Root] = true
	}

	d.mu.Unlock()

	if ctx.Err() != nil {
		return
	}

	for _, text := range missingTexts(fresh, what, s.Short) {
		s.Do(func(st *session.State) { st.Screen().Say(text, "AcpDone") })
	}
}

// forget forgets a session that is closed.
func (d *said) forget(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, id)
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
func (d *said) secure(ctx context.Context, store *checkpoint.Store, s feature.Session, c checkpoint.Checkpoint, ready func()) {
	timer := caught.After(maxHolding, ready)
	var missing []checkpoint.Missing
	if store != nil {
		missing = store.Hold(ctx, c)
	}
	if timer.Stop() {
		ready()
	}
	if len(missing) > 0 {
		d.once(ctx, s, missing, "if a turn removes the repository of %s, :AcpUndo may not bring back all files (%s)")
	}
}
