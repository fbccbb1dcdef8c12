package host

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// all returns the sessions.
func (h *Host) all() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.sessions))
}

// mergeRoots returns the roots of all sessions, and of those whose merge window is open, sorted.
func (h *Host) mergeRoots() (live, open []string) {
	live, open = []string{}, []string{}
	for _, s := range h.all() {
		live = append(live, s.roots...)
		if s.merging() {
			open = append(open, s.roots...)
		}
	}
	slices.Sort(live)
	slices.Sort(open)
	return slices.Compact(live), slices.Compact(open)
}

// merging reports whether the session's merge window is open: changes on the disk below its roots count as its agent's
// (behaviour 205).
func (s *Session) merging() bool {
	running := s.host.terms.Running(s)
	return ask(s, func(st *session.State) bool { return st.Merging(running) })
}

// openWindow makes sure that Neovim leaves changes on the disk to us from here on, unless it does not answer.
func (s *Session) openWindow() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	s.host.disk.tell(ctx)
	s.host.disk.poke()
}

// note keeps for the agent that there are conflicts in a file, to be told with the next prompt.
func (s *Session) note(real string) {
	text := fmt.Sprintf("Note from the editor: in %s you and the user changed the same lines. The file on disk has your version; the "+
		"user's buffer has both, between the lines %q, %q and %q, for the user to decide. Read the file before you edit it again.",
		real, "<<<<<<< yours", "=======", ">>>>>>> agent")
	s.do(func(st *session.State) { st.Tell(text) })
}

// root opens the session's root that a file is in; nil for a file outside. The caller closes it.
func (s *Session) root(real string) (*os.Root, error) {
	for _, dir := range s.roots {
		if buffers.Inside([]string{dir}, real) {
			return os.OpenRoot(dir)
		}
	}
	return nil, nil
}
