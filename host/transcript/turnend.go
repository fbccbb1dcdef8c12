package transcript

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/paths"
)

// longTurn is how long a turn takes whose time is told.
const longTurn = 10 * time.Second

// Lines are how many lines of a file a turn has added and deleted.
type Lines struct{ Added, Deleted int }

// sum is what there is to tell of the turn that ended last.
type sum struct {
	key   string           // of its prompt
	files map[string]Lines // that it has changed, by their paths, relative below the session's folder
	took  time.Duration    // 0 if that is not worth telling
	cost  string           // "" if that is not known
	line  *Block           // that tells it, nil if it was not worth one
	last  *Block           // the last one of the turn
}

// sumUp tells at the end of a turn what it has changed, how long it took and what it cost, where that is worth a line.
func (t *Transcript) sumUp(cost string) {
	s := &sum{files: t.changedFiles(), cost: cost}
	if t.prompt != nil && !t.prompt.began.IsZero() {
		s.key = t.prompt.key()
		if took := t.opts.Now().Sub(t.prompt.began); took >= longTurn {
			s.took = took
		}
	}
	if len(s.files) > 0 || s.took > 0 || cost != "" {
		s.line = t.addSum(t.sumText(s))
	}
	s.last = t.last()
	t.sum = s
}

// Changed tells what the turn that ended last has changed by its checkpoints, if those have files that none of its calls has named:
// by their paths, relative below the session's folder. The key is that of the turn's prompt. Of an earlier turn, and where something
// came after one that had no line, it tells nothing.
func (t *Transcript) Changed(key string, files map[string]Lines) {
	s := t.sum
	if s == nil || key == "" || s.key != key {
		return
	}
	t.sum = nil
	known := len(s.files)
	maps.Copy(s.files, files)
	switch {
	case len(s.files) == known:
	case s.line != nil:
		s.line.text = prose{}
		s.line.text.append(t.sumText(s))
		t.touch(s.line)
	case s.last == t.last():
		t.addSum(t.sumText(s))
	}
}

func (t *Transcript) addSum(text string) *Block {
	b := t.add(TurnEnd)
	b.text.append(text)
	b.closed, b.unrecorded, b.restored = true, false, true
	t.keep = t.keep[:len(t.keep)-1]
	return b
}

func (t *Transcript) sumText(s *sum) string {
	var added, deleted int
	for _, n := range s.files {
		added, deleted = added+n.Added, deleted+n.Deleted
	}
	var parts []string
	switch n := len(s.files); {
	case n == 1:
		parts = append(parts, strings.TrimSpace("1 file "+t.counts(added, deleted)))
	case n > 1:
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d files %s", n, t.counts(added, deleted))))
	}
	if s.took > 0 {
		parts = append(parts, seconds(s.took))
	}
	if s.cost != "" {
		parts = append(parts, s.cost)
	}
	return strings.Join(parts, t.opts.Icons.Between())
}

// changedFiles returns the files that the calls of the latest turn have changed.
func (t *Transcript) changedFiles() map[string]Lines {
	files := map[string]Lines{}
	for _, it := range t.calls {
		if it.turn != t.turns || it.call.Status != string(acp.ToolCallCompleted) {
			continue
		}
		for _, d := range it.call.Diffs() {
			if added, deleted := it.call.count(d); added+deleted > 0 {
				path := paths.Short(filepath.Clean(d.Path), t.opts.Cwd)
				n := files[path]
				files[path] = Lines{n.Added + added, n.Deleted + deleted}
			}
		}
	}
	return files
}

// turnEndRow draws it, all of it virtual: it is no part of what was said.
func (t *Transcript) turnEndRow(b *Block) row {
	var r row
	r.virt = []Virt{{At: "inline", Chunks: [][2]string{{t.opts.Icons.Done + " ", "AcpPlanDone"}, {b.text.String(), "AcpDone"}}}}
	return r
}
