package moves

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/renamed"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// byCheckpoints finds files by what differs below the sessions' folders since the last turn has ended. It waits for the disk.
// At the places of the replaced ones among them are others. Known is what the journals have of all.
func (m *Moves) byCheckpoints(ctx context.Context, known map[string]checkpoint.Version, lost, replaced []string) map[string]string {
	found := map[string]string{}
	store := m.history.Checkpoints()
	if store == nil {
		return found
	}

	for _, s := range m.host.Sessions() {
		own := slices.DeleteFunc(slices.Clone(lost), func(path string) bool {
			return found[path] != "" || !buffers.Inside(s.Roots(), path)
		})
		if len(own) == 0 {
			continue
		}

		base, now, ok := m.history.Between(ctx, store, s)
		if !ok {
			continue
		}

		changes, _, err := store.Diff(ctx, base, now)
		if err != nil {
			continue
		}
		for from, to := range m.trace(ctx, store, known, own, replaced, changes) {
			found[from] = to
		}
	}

	return found
}

// byWalk finds files by their identities in the sessions' folders, where there are no checkpoints or they do not have all: those that are
// ignored. It waits for the disk.
func (m *Moves) byWalk(ctx context.Context, lost []string) map[string]string {
	type number struct{ dev, ino uint64 }
	wanted, found := map[fileID]string{}, map[string]string{}
	written := map[number]string{} // files that were written since they were seen
	m.mu.Lock()
	for _, path := range lost {
		if id, ok := m.seen[path]; ok {
			wanted[id], written[number{id.Dev, id.Ino}] = path, path
		}
	}

	m.mu.Unlock()

	if len(wanted) == 0 {
		return found
	}

	roots := map[string]bool{}
	for _, s := range m.host.Sessions() {
		for _, root := range s.Roots() {
			roots[root] = true
		}
	}

	count := 0
	for root := range roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch count++; {
			case err != nil:
				return nil // others can be read
			case ctx.Err() != nil || count > maxWalked:
				return fs.SkipAll
			case e.IsDir() && e.Name() == ".git":
				return fs.SkipDir
			case !e.Type().IsRegular():
				return nil
			}

			info, err := e.Info()
			if err != nil {
				return nil
			}
			if id, ok := idOf(info); ok {
				if lost := wanted[id]; lost != "" {
					found[lost] = path
				} else if lost = written[number{id.Dev, id.Ino}]; lost != "" && m.hasText(path, lost) {
					found[lost] = path
				}
			}

			return nil
		})
	}

	return found
}

// hasText reports whether a file has the text that a lost one had last. It waits for the disk.
func (m *Moves) hasText(path, lost string) bool {
	content, ok := m.ledger.Content(lost)
	if !ok || content.Missing {
		return false
	}
	now, err := rewind.Read(path)
	return err == nil && bytes.Equal(now.Data, buffers.Bytes(buffers.Text{Lines: content.Lines, EOL: content.EOL}.String()))
}

// trace finds files among those that have changed, by their identities, else by their texts.
func (m *Moves) trace(
	ctx context.Context, store *checkpoint.Store, known map[string]checkpoint.Version, lost, replaced []string,
	changes []checkpoint.Change,
) map[string]string {
	read := func(v checkpoint.Version) []byte {
		data, err := store.Read(ctx, v)
		if err != nil {
			return nil
		}
		return data[0]
	}

	t := tracing{lost: lost, replaced: replaced, found: map[string]string{}}
	for _, path := range lost {
		if content, ok := m.ledger.Content(path); ok && !content.Missing {
			t.texts = append(t.texts, buffers.Bytes(buffers.Text{Lines: content.Lines, EOL: content.EOL}.String()))
		} else {
			t.texts = append(t.texts, read(known[path]))
		}
	}

	m.mu.Lock()
	for _, path := range lost {
		t.ids = append(t.ids, m.seen[path])
	}

	m.mu.Unlock()

	for _, c := range changes {
		if !c.Old.IsLink() && !c.New.IsLink() {
			t.changes = append(t.changes, c)
		}
	}

	t.byIdentity()
	t.bySum(read)
	t.byText(func(list []rewind.Change) []renamed.Pair {
		pairs, err := m.history.Pairs(store, list)
		if err != nil {
			return nil
		}
		return pairs
	})
	return t.found
}

// tracing is a search for files that are lost.
type tracing struct {
	lost     []string
	replaced []string // of these, those at whose places are others
	texts    [][]byte // that they had last; nil: not known
	ids      []fileID // the zero value: not known
	changes  []checkpoint.Change
	found    map[string]string // by old path
}

// take notes that a lost file was found.
func (t *tracing) take(from, to string) {
	t.found[from] = to
	t.changes = slices.DeleteFunc(t.changes, func(c checkpoint.Change) bool { return c.Path == to || c.Path == from })
}

// byIdentity finds files that the disk still has as the same.
func (t *tracing) byIdentity() {
	byID := map[fileID]string{}
	for _, c := range t.changes {
		if info, err := os.Lstat(c.Path); err == nil {
			if id, ok := idOf(info); ok {
				byID[id] = c.Path
			}
		}
	}

	for i, path := range t.lost {
		if to, ok := byID[t.ids[i]]; ok && to != path {
			t.take(path, to)
		}
	}
}

// bySum finds files that are as they were when the last turn had ended, also where they have replaced others.
func (t *tracing) bySum(read func(checkpoint.Version) []byte) {
	var s renamed.Same
	blank := map[int]bool{}
	for i, c := range t.changes {
		s.List = append(s.List, rewind.Change{Path: c.Path, Before: c.Old, After: c.New})
		gone := c.New == checkpoint.Version{}
		if gone || slices.Contains(t.replaced, c.Path) {
			s.Gone = append(s.Gone, i)
			blank[i] = t.misses(c.Path) && len(bytes.TrimSpace(read(c.Old))) == 0
		}
		if !gone {
			s.Come = append(s.Come, i)
		}
	}

	s.Before = func(i int) string { return s.List[i].Before.Blob }
	s.After = func(i int) string { return s.List[i].After.Blob }
	s.Blank = func(i int) bool { return blank[i] }
	for to, from := range s.Find() {
		if path := s.List[from].Path; t.misses(path) {
			t.take(path, s.List[to].Path)
		}
	}
}

// byText finds files that others have come for with much of their last text.
func (t *tracing) byText(read func([]rewind.Change) []renamed.Pair) {
	var list []rewind.Change
	var texts [][]byte
	for i, path := range t.lost {
		if t.found[path] != "" {
			continue
		}

		c := rewind.Change{Path: path}
		for _, other := range t.changes {
			if other.Path == path {
				c.Before = other.Old
			}
		}

		if c.Before == (checkpoint.Version{}) && t.texts[i] == nil {
			continue // nothing is known of it
		}

		list, texts = append(list, c), append(texts, t.texts[i])
	}

	if len(list) == 0 {
		return
	}
	for _, c := range t.changes {
		if (c.Old == checkpoint.Version{}) {
			list = append(list, rewind.Change{Path: c.Path, After: c.New, Program: true})
		}
	}

	if len(list) > renamed.MaxFiles {
		return
	}

	pairs := read(list)
	if pairs == nil {
		return
	}

	for i, text := range texts {
		if text != nil {
			pairs[i].Before = rewind.Content{Data: text}
		}
	}

	for to, from := range renamed.Find(list, pairs) {
		t.take(list[from].Path, list[to].Path)
	}
}

// misses reports whether a file is looked for and not found yet.
func (t *tracing) misses(path string) bool {
	return t.found[path] == "" && slices.Contains(t.lost, path)
}
