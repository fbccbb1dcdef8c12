// Package moves follows files that the user renames: their review, notes, turns and errors go with them.
package moves

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Moves follows files that the user renames, in Neovim or outside of it: what is known of them goes with them. Nothing is watched for
// that: before something is done with what is known, and whenever the user may have renamed a file, those that are not there any more
// are looked for. It is safe for concurrent use.
type Moves struct {
	host    feature.Host
	files   *files.Workspace
	history *history.History
	ledger  *review.Desk
	hooks   Hooks
	writing feature.Warner

	turn chan struct{} // has one value while somebody looks

	mu      sync.Mutex        // guards all below
	renamed map[string]string // by the old path of a buffer, or of a file in an explorer, the new one
	places  map[string]string // by the old path of a file that was moved, the new one
	gone    map[string]bool   // paths that were looked for in vain: true until there is a file again, else until a turn has ended
	seen    map[string]fileID // by path, the files that were there
	opened  map[string]bool   // paths that a buffer has read since it was seen which file is there

	saved map[string]map[string]fileID // by session, what was written of seen

	untold []rename // in order; the first is being told
}

// fileID tells a file from others, also under another name. Its time and size are a part of that: the number of a file that is gone is
// given to the next one.
type fileID struct {
	Dev, Ino uint64
	Time     int64
	Size     int64
}

func idOf(info fs.FileInfo) (id fileID, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return fileID{}, false
	}
	dev := uint64(st.Dev) //nolint:unconvert // of another type on other systems
	return fileID{dev, st.Ino, info.ModTime().UnixNano(), info.Size()}, true
}

// Hooks are what others do about renames. None may be nil.
type Hooks struct {
	Moved func(from, to string) // a file was found under another path
	Drawn func(paths ...string) // what is shown of some files may differ
}

// New returns moves that know of none.
func New(h feature.Host, w *files.Workspace, k *history.History, ledger *review.Desk, hooks Hooks) *Moves {
	return &Moves{
		host: h, files: w, history: k, ledger: ledger, hooks: hooks, turn: make(chan struct{}, 1),
		renamed: map[string]string{}, places: map[string]string{}, gone: map[string]bool{}, seen: map[string]fileID{},
		opened: map[string]bool{}, saved: map[string]map[string]fileID{},
	}
}

// Bounds of a look for files.
const (
	maxLook    = 20 * time.Second
	lookTime   = 3 * time.Second // for a look that somebody waits for; it goes on then
	followTime = 5 * time.Second // of an edit that may be of a file that is there no more
	awayStep   = 20 * time.Millisecond
	awayTime   = 100 * time.Millisecond // a file that is away for so long is not being replaced
	maxWalked  = 50_000                 // files of a session's folders that are looked at
)

const luaMoved = `require("nvim-acp.host").moved(...)`

// Verbs are what Neovim can say, by their names.
func (m *Moves) Verbs() map[string]any { return map[string]any{"renamed": m.say} }

// Where returns where a file is by now that was at a path.
func (m *Moves) Where(path string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return last(m.places, path, func(string) bool { return true })
}

// known returns by path the files whose changes can be reviewed or taken back, with what the last turn that can be taken back has made of
// them. It waits for the disk.
func (m *Moves) known() map[string]checkpoint.Version {
	files := map[string]checkpoint.Version{}
	for _, path := range m.ledger.Existing() {
		files[path] = checkpoint.Version{}
	}

	for _, s := range m.host.Sessions() {
		maps.Copy(files, m.history.Journals.Files(s.LocalID()))
	}
	for path := range m.names() {
		if _, ok := files[path]; !ok && m.ledger.Known(path) { // it seems to be deleted
			files[path] = checkpoint.Version{}
		}
	}
	return files
}

// Saw notes which file there is at a path, unless that is another than the known one, which a buffer may still have. It waits for the disk.
func (m *Moves) Saw(path string) {
	if !m.isOther(path) {
		m.saw(path)
	}
}

func (m *Moves) saw(path string) {
	info, err := os.Lstat(path)
	if err != nil {
		return
	}
	if id, ok := idOf(info); ok {
		m.mu.Lock()
		m.seen[path] = id
		delete(m.opened, path)
		m.mu.Unlock()
	}
}

// Looked reports whether a file that is not there was looked for in vain: it was removed. Otherwise it is looked for. It does not wait.
func (m *Moves) Looked(path string) bool {
	m.mu.Lock()
	_, gone := m.gone[path]
	m.mu.Unlock()
	if !gone {
		caught.Go(func() { m.lookNow(nil) }) // ends after maxLook
	}
	return gone
}

// Follow looks for a file that is not there, and reports whether it was renamed. It waits for the disk.
func (m *Moves) Follow(ctx context.Context, path string) bool {
	m.lookFor(ctx, followTime, path)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.places[path] != ""
}

// Find returns where a file is that is not there any more; the path itself if that is not known. It waits for the disk.
func (m *Moves) Find(path string) string {
	if _, ok := m.known()[path]; ok { // of another one nothing is known: it is said at once that it is not there
		m.Look(context.Background())
	}
	if now := m.Where(path); now != path && regular.Exists(now) {
		return now
	}

	for _, s := range m.host.Sessions() { // it was renamed before a restart
		var now string
		_ = m.history.Journals.Of(s.LocalID(), func(j *rewind.Journal) error {
			now = j.Where(path)
			return nil
		})
		if now != path && regular.Exists(now) {
			return now
		}
	}
	return path
}

// Left notes that an agent has moved a file: it is not looked for until there is one again.
func (m *Moves) Left(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.places[path] == "" {
		m.gone[path] = true
	}
}

// TurnEnded says that a turn has ended: what was away while it ran may be found in what it has done, or now.
func (m *Moves) TurnEnded() {
	m.mu.Lock()
	known := len(m.gone)
	maps.DeleteFunc(m.gone, func(_ string, forGood bool) bool { return !forGood })
	again := len(m.gone) < known
	m.mu.Unlock()
	if again {
		caught.Go(func() { m.lookNow(nil) }) // ends after maxLook
	}
}

// Look looks for files that are not where they were, more of them if given, and moves what is known of those that are found. It waits
// for the disk and for a look that is under way, until ctx ends, but not longer than lookTime; the look goes on then. It must not be
// called by whoever holds a journal.
func (m *Moves) Look(ctx context.Context, more ...string) { m.lookFor(ctx, lookTime, more...) }

// lookFor is Look with another patience.
func (m *Moves) lookFor(ctx context.Context, patience time.Duration, more ...string) {
	done := make(chan struct{})
	caught.Go(func() { // ends after maxLook at the latest, or with the host
		defer close(done)
		m.lookNow(more)
	})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lookNow is Look that waits until that is done.
func (m *Moves) lookNow(more []string) {
	ctx, stop := context.WithTimeout(m.history.Context(), maxLook)
	defer stop()
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return
	}

	lost, replaced, there := m.lost(more)
	if len(lost)+len(replaced) == 0 {
		return
	}

	names := m.ask(ctx)
	places := map[string]string{} // of those that were found
	m.settle(byName(lost, names), nil, places)
	left := func(paths []string) []string {
		return slices.DeleteFunc(paths, func(path string) bool { return regular.Exists(path) || m.Where(path) != path })
	}
	unnamed := func(paths []string) []string {
		return slices.DeleteFunc(paths, func(path string) bool { return m.awaited(ctx, names, path) })
	}
	lost = away(ctx, unnamed(left(lost)))
	replaced = m.others(replaced)
	names = m.ask(ctx) // Neovim may have another name for it since
	m.settle(byName(lost, names), nil, places)
	lost = unnamed(left(lost))
	known := m.known() // a decision may have removed some
	lost = slices.DeleteFunc(lost, func(path string) bool {
		_, ok := known[path]
		removed := m.files.Removed(path)
		if removed {
			m.mu.Lock()
			m.gone[path] = true
			m.mu.Unlock()
		}
		return removed || !ok && !slices.Contains(more, path)
	})
	quiet := slices.DeleteFunc(slices.Clone(lost), m.history.RunsIn) // else a command of an agent's may have done it
	m.settle(m.byCheckpoints(ctx, known, slices.Concat(lost, replaced), replaced), replaced, places)
	still := slices.DeleteFunc(slices.Clone(replaced), func(path string) bool { return places[path] != "" })
	m.settle(m.byWalk(ctx, append(left(slices.Clone(quiet)), still...)), still, places)
	m.rewritten(replaced)
	m.renew(ctx, there, places)
	lost = left(lost)
	m.mu.Lock()
	for _, path := range lost {
		m.gone[path] = slices.Contains(quiet, path) && ctx.Err() == nil // else it is looked for again after a turn
	}
	m.mu.Unlock()
	m.hooks.Drawn(append(lost, replaced...)...)
}

// lost returns the files that are not where they were and were not looked for in vain yet, those at whose places are others, and those that
// are there, which it notes.
func (m *Moves) lost(more []string) (paths, replaced, there []string) {
	names := m.names()
	for _, path := range slices.AppendSeq(slices.Clone(more), maps.Keys(m.known())) {
		info, err := os.Lstat(path)
		named := err != nil && last(names, path, regular.Exists) != path
		other := err == nil && m.isOther(path)
		m.mu.Lock()
		if err == nil {
			there = append(there, path)
			delete(m.gone, path)
			delete(m.places, path)
			if id, ok := idOf(info); ok && !other {
				m.seen[path] = id
			}
			if other && (m.opened[path] || !slices.Contains(m.files.AllKnown(), path)) {
				replaced = append(replaced, path)
			}
		} else if _, gone := m.gone[path]; m.places[path] == "" && (!gone || named) {
			paths = append(paths, path)
		}
		m.mu.Unlock()
	}

	slices.Sort(paths)
	slices.Sort(replaced)
	return slices.Compact(paths), slices.Compact(replaced), there
}

// away waits a moment, and returns the files that are not there all the time: a program that saves a file may replace it.
func away(ctx context.Context, paths []string) []string {
	for end := time.Now().Add(awayTime); len(paths) > 0 && time.Now().Before(end); {
		select {
		case <-time.After(awayStep):
		case <-ctx.Done():
			return nil
		}
		paths = slices.DeleteFunc(paths, regular.Exists)
	}
	return paths
}

// renew has the sessions know where files are: those that were there as the look began, and those that it has found, by their old paths.
func (m *Moves) renew(ctx context.Context, there []string, found map[string]string) {
	for _, s := range m.host.Sessions() {
		inside := func(path string) bool { return buffers.Inside(s.Roots(), path) }
		if places := slices.Collect(maps.Values(found)); slices.ContainsFunc(places, inside) {
			m.history.Renew(ctx, s, slices.Concat(there, places))
		}
	}
}

// move has all that is known of a file follow it to a path. It is at a place, which is another while files change places.
func (m *Moves) move(from, to, place string) {
	m.saw(to)
	m.mu.Lock()
	if !regular.Exists(from) && to == place {
		m.places[from] = to
	}
	delete(m.places, to) // a file is there
	delete(m.renamed, from)
	m.mu.Unlock()
	now, err := rewind.Read(place)
	m.ledger.Moved(from, to)
	if err == nil && now.Text() && m.ledger.Gone(to) { // it has seemed to be deleted
		m.ledger.Observe(to, review.Content(history.TextOf(now)))
	}

	m.history.Moved(rewind.Move{From: from, To: to}, now)
	m.hooks.Moved(from, to)
	m.hooks.Drawn(from, to)
	m.tell(rename{from, to})
}
