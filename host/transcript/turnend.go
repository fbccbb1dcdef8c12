package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// longTurn is how long a turn takes whose time is told.
const longTurn = 10 * time.Second

// sumUp tells at the end of a turn what it has changed, how long it took and what it cost, where that is worth a line.
func (t *Transcript) sumUp(spent []string) {
	spent = slices.DeleteFunc(slices.Clone(spent), func(s string) bool { return s == "" })
	files, added, deleted := t.changedFiles()
	var took time.Duration
	if t.running.prompt != nil && !t.running.prompt.began.IsZero() {
		took = t.opts.Now().Sub(t.running.prompt.began)
	}
	if files == 0 && took < longTurn && len(spent) == 0 {
		return
	}

	var parts []string
	switch {
	case files == 1:
		parts = append(parts, strings.TrimSpace("1 file "+t.opts.Icons.Counts(added, deleted)))
	case files > 1:
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d files %s", files, t.opts.Icons.Counts(added, deleted))))
	}

	if took >= longTurn {
		parts = append(parts, seconds(took))
	}

	parts = append(parts, spent...)
	b := t.add(TurnEnd)
	b.text.append(strings.Join(parts, t.opts.Icons.Between()))
	b.closed = true
}

// changedFiles returns how many files the calls of the latest turn have changed, and how many lines; 0 if that is not known.
func (t *Transcript) changedFiles() (files, added, deleted int) {
	paths, known := map[string]bool{}, true
	for _, it := range t.calls {
		if it.turn != t.running.turns || it.call.Status != string(acp.ToolCallCompleted) {
			continue
		}
		for _, d := range it.call.Diffs() {
			a, x, ok := it.call.count(d)
			if a+x > 0 {
				paths[d.Path] = true
			}
			added, deleted, known = added+a, deleted+x, known && ok
		}
	}

	if !known {
		return len(paths), 0, 0
	}

	return len(paths), added, deleted
}

// turnEndRow draws it, all of it virtual: it is no part of what was said.
func (t *Transcript) turnEndRow(b *Block) row {
	var r row
	r.virt = []Virt{{At: "inline", Chunks: [][2]string{{t.opts.Icons.Done + " ", "AcpPlanDone"}, {b.text.String(), "AcpDone"}}}}
	return r
}
