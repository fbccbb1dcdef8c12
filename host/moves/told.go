package moves

import "github.com/nvim-acp/nvim-acp/internal/caught"

// rename is one that Neovim is to be told of, whose marks follow it.
type rename struct{ from, to string }

// tell has the marks in Neovim follow a rename, behind those of before: of files that change places each makes room for another. It does
// not wait.
func (m *Moves) tell(r rename) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.untold = append(m.untold, r)
	if len(m.untold) == 1 {
		caught.Go(m.tellAll) // ends when all is told: Neovim answers, or goes away
	}
}

func (m *Moves) tellAll() {
	for {
		m.mu.Lock()
		r := m.untold[0]
		m.mu.Unlock()

		_ = m.host.ExecLua(luaMoved, nil, r.from, r.to) // Neovim goes

		m.mu.Lock()
		m.untold = m.untold[1:]
		all := len(m.untold) == 0
		m.mu.Unlock()
		if all {
			return
		}
	}
}
