package moves

import (
	"maps"
	"os"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/renamed"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Opened notes that a buffer has read a file, which may be another than the one that is known. It does not wait.
func (m *Moves) Opened(path string) {
	m.mu.Lock()
	m.opened[path] = true
	m.mu.Unlock()
}

// Replaced reports whether there is another file at a path than the one that is known, which is looked for then: what is there is not what
// has become of its text. Once that was in vain, it counts as rewritten. It waits for the disk.
func (m *Moves) Replaced(path string, loaded bool) bool {
	if !m.isOther(path) || loaded && !m.hasRead(path) {
		return false
	}
	caught.Go(func() { m.lookNow(nil) }) // ends after maxLook
	return true
}

// isOther reports whether a path has another file than the one that is known, with another text. Programs save files by replacing them,
// and keep the old one as a backup: so one with much of the same text is the same.
func (m *Moves) isOther(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}

	id, ok := idOf(info)
	m.mu.Lock()
	was, seen := m.seen[path]
	m.mu.Unlock()
	if !ok || !seen || was.Dev == id.Dev && was.Ino == id.Ino || m.history.RunsIn(path) {
		return false
	}

	content, ok := m.ledger.Content(path)
	if !ok || content.Missing {
		return false
	}
	now, err := rewind.Read(path)
	known := buffers.Bytes(buffers.Text{Lines: content.Lines, EOL: content.EOL}.String())
	return err == nil && !renamed.Alike(rewind.Content{Data: known}, now)
}

// hasRead reports whether a buffer has read a file since it was seen which one that is: what is in it else has come of the known one.
func (m *Moves) hasRead(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.opened[path]
}

// others waits a moment, and returns the paths that have other files than the known ones all the time.
func (m *Moves) others(paths []string) []string {
	if len(paths) == 0 {
		return nil
	}
	timer := time.NewTimer(awayTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.history.Context().Done():
		return nil
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !m.isOther(path) })
}

// rewritten notes that what is at some paths has come of the known files, which were not found elsewhere.
func (m *Moves) rewritten(paths []string) {
	for _, path := range paths {
		m.saw(path)
	}
}

// settle moves what is known of files that were found, unless they are at the old place again; at that of a replaced one is another. It
// adds them to places.
func (m *Moves) settle(found map[string]string, replaced []string, places map[string]string) {
	maps.DeleteFunc(found, func(from, to string) bool {
		return !regular.Exists(to) || regular.Exists(from) && !slices.Contains(replaced, from)
	})
	for _, s := range inOrder(found) {
		m.move(s.from, s.to, found[s.of])
		if s.to == found[s.of] {
			m.files.Moved(s.of, s.to, slices.Contains(replaced, s.of))
			places[s.of] = s.to
		}
	}
}

// step is a part of a rename.
type step struct {
	from, to string
	of       string // the path that is renamed
}

// aside is what a path has at its end while the files of a circle of names change places.
const aside = ".nvim-acp-moving"

// inOrder returns the steps of renames: of each name the file that had it goes before another comes.
func inOrder(found map[string]string) (steps []step) {
	next := map[string]step{}
	for from, to := range found {
		next[from] = step{from, to, from}
	}

	for len(next) > 0 {
		paths := slices.Sorted(maps.Keys(next))
		free := slices.IndexFunc(paths, func(path string) bool { _, waits := next[next[path].to]; return !waits })
		s := next[paths[max(free, 0)]]
		delete(next, s.from)
		if free < 0 { // a circle: one of them makes room
			away := s.from + aside
			next[away] = step{away, s.to, s.of}
			s.to = away
		}
		steps = append(steps, s)
	}

	return steps
}
