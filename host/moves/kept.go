package moves

import (
	"encoding/json"
	"maps"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// idsFile is where the identities of the files with a session's changes are, "" if nothing is recorded: another that has come to a name
// while Neovim was closed is told from the known one.
func (m *Moves) idsFile(session string) string {
	return feature.SessionFile(m.host, session, "last-files")
}

// Save writes which files have a session's changes, if that differs from what it has written last. It waits for the disk.
func (m *Moves) Save(session string) {
	path := m.idsFile(session)
	if path == "" {
		return
	}

	ids := map[string]fileID{}
	known := m.ledger.All(session)
	m.mu.Lock()
	for _, path := range known {
		if id, ok := m.seen[path]; ok {
			ids[path] = id
		}
	}
	same := maps.Equal(ids, m.saved[session])
	m.mu.Unlock()
	if same {
		return
	}

	err := regular.ReplaceJSON(path, ids)
	m.writing.Warn(m.host, path, "renames while Neovim is closed are not found", err)
	if err == nil {
		m.mu.Lock()
		m.saved[session] = ids
		m.mu.Unlock()
	}
}

// Restore reads which files had a session's changes when they were seen last. What a buffer has by now it has read since. It waits for the
// disk.
func (m *Moves) Restore(session string) {
	path := m.idsFile(session)
	if path == "" {
		return
	}
	data, err := regular.ReadFile(path)
	if err != nil {
		return // then what is at a name is the known file
	}
	ids := map[string]fileID{}
	_ = json.Unmarshal(data, &ids) // what cannot be read has none

	m.mu.Lock()
	defer m.mu.Unlock()
	m.saved[session] = ids
	for path, id := range ids {
		if _, ok := m.seen[path]; !ok {
			m.seen[path], m.opened[path] = id, true
		}
	}
}

// Forget notes that a session is closed.
func (m *Moves) Forget(session string) {
	m.mu.Lock()
	delete(m.saved, session)
	m.mu.Unlock()
}
