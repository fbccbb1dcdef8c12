package reviewing

import (
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// maxPart is how many lines of marks go to Neovim in one call.
const maxPart = 150

// mark is a hunk as Neovim shows it.
type mark struct {
	Session string   `msgpack:"session"`
	ID      int      `msgpack:"id"`
	Sum     string   `msgpack:"sum"`
	Row     int      `msgpack:"row"`
	Added   int      `msgpack:"added"`
	Removed []string `msgpack:"removed"`
	More    int      `msgpack:"more"`    // removed lines that are not among these
	Words   [][3]int `msgpack:"words"`   // changed words of the added lines: line, from, to in bytes
	Gone    [][3]int `msgpack:"gone"`    // of the removed lines
	Unknown bool     `msgpack:"unknown"` // another session may have made it
}

// maxCompared is how many lines a hunk may have whose changed words are marked.
const maxCompared = 300

// maxRemoved is how many removed lines of a hunk are shown.
const maxRemoved = 50

// marked returns a hunk as Neovim shows it.
func marked(h review.Owned) mark {
	m := mark{
		Session: h.Session, ID: h.ID, Sum: h.Sum, Row: h.Row, Added: len(h.Added), Removed: append([]string{}, h.Removed...),
		Words: [][3]int{}, Gone: [][3]int{}, Unknown: h.Unknown(),
	}

	if len(h.Added)+len(h.Removed) <= maxCompared {
		gone, words := highlight.Changes(h.Removed, h.Added, "", "")
		m.Gone, m.Words = places(gone[:min(len(gone), maxRemoved)]), places(words)
	}

	if more := len(m.Removed) - maxRemoved; more > 1 {
		m.Removed, m.More = m.Removed[:maxRemoved], more
	}

	return m
}

func places(lines [][]highlight.Span) [][3]int {
	out := [][3]int{}
	for i, spans := range lines {
		for _, s := range spans {
			out = append(out, [3]int{i, s.From, s.To})
		}
	}
	return out
}

// entry is a file of the list.
type entry struct {
	Session string        `msgpack:"session"`
	Path    string        `msgpack:"path"`
	From    string        `msgpack:"from"`
	Kind    string        `msgpack:"kind"`
	All     review.Counts `msgpack:"all"`
	Turn    review.Counts `msgpack:"turn"` // of the last one
	Unknown bool          `msgpack:"unknown"`
	Rows    []int         `msgpack:"rows"`
	Heads   []string      `msgpack:"heads"` // how much of each hunk was added and removed, and its first line
	IDs     []int         `msgpack:"ids"`   // of the hunks
	Sums    []string      `msgpack:"sums"`
	Recent  []bool        `msgpack:"recent"` // whether the last turn has made some of each hunk
}
