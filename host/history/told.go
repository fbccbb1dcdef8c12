package history

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
)

// What agents are told of files.
const (
	toldUndone = "Note from the editor: the user has changed these files back to an earlier state. Read them again before you edit " +
		"them, and do not repeat what was undone unless the user asks for it."
	toldUnknown = "Note from the editor: the user has undone or restored changes of files, and it is not known which. Read files again " +
		"before you edit them."
	toldForgotten = "Note from the editor: the user has gone back to this point of the conversation. These files have changes that were " +
		"made after it. Read them again before you edit them."
	toldRestored = "Note from the editor: the user has restored what was undone in these files. Read them again before you edit them."
)

// Notes returns what the agent of a session is told of rewinds that it does not know: of those whose files are not as before them by now,
// however that has come. It waits for the disk, and for Neovim until ctx ends.
func Notes(ctx context.Context, k *History, s feature.Session, list []record.Rewind) (notes []string) {
	store := k.Checkpoints()
	if len(list) == 0 || store == nil {
		return nil
	}

	all := part{lost: map[string]bool{}}
	steps, undone := map[string]rewind.Step{}, map[string]bool{} // by path: from before the first rewind until after the last
	var forgotten []part
	var back, restored, changed []string
	unknown := false
	for _, r := range list {
		p, err := toTell(k, store, r)
		if err != nil {
			k.host.Say("warn", "the agent is not told which files were undone: "+plain.Reason(err))
			unknown = true
			continue
		}
		if r.Until != 0 {
			forgotten = append(forgotten, p.without(list))
			continue
		}

		for i, t := range p.taken {
			if !slices.ContainsFunc(t.Back, func(entry int) bool { return !waits(list, r.Session, entry) }) {
				continue // it has taken back what the agent does not know
			}
			step, known := steps[t.Path]
			if !known {
				step = p.steps[i]
			}
			steps[t.Path] = step.Then(p.steps[i])
			undone[t.Path] = undone[t.Path] || !r.Restored
			all.lost[t.Path] = all.lost[t.Path] || p.lost[t.Path]
		}

		for _, dir := range r.Folders {
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				back = append(back, s.There(dir))
			}
		}
	}

	slices.SortStableFunc(forgotten, func(a, b part) int { return cmp.Compare(b.until, a.until) }) // the newest first
	all.steps = slices.Collect(maps.Values(steps))
	for _, a := range k.plan(ctx, []part{all}) {
		if undone[a.Path] {
			back = append(back, s.There(a.Path))
		} else {
			restored = append(restored, s.There(a.Path))
		}
	}
	for _, a := range k.plan(ctx, forgotten) {
		changed = append(changed, s.There(a.Path))
	}

	for text, paths := range map[string][]string{toldUndone: back, toldRestored: restored, toldForgotten: changed} {
		if len(paths) > 0 {
			slices.Sort(paths)
			notes = append(notes, text+"\n"+strings.Join(slices.Compact(paths), "\n"))
		}
	}
	if unknown {
		notes = append(notes, toldUnknown)
	}
	slices.Sort(notes)
	return notes
}

// toTell returns what an agent does not know of a session's history: a rewind, or all since a turn to before which the conversation has
// gone back.
func toTell(k *History, store *checkpoint.Store, r record.Rewind) (part, error) {
	var had func(rewind.Entry) bool
	if r.Until != 0 {
		had = ancestor{Past: record.Past{Session: r.Session, Until: r.Until}}.had
	}
	p, err := k.part(store, r.Session, func(e rewind.Entry) bool { return e.ID == r.Entry }, r.Until == 0, had)
	p.until = r.Until
	if err == nil && p.entry.ID != r.Entry {
		err = errors.New("the turns are no longer known")
	}
	return p, err
}

// waits reports whether an agent is still to be told of an entry of a session's history.
func waits(list []record.Rewind, owner string, entry int) bool {
	return slices.ContainsFunc(list, func(r record.Rewind) bool {
		return r.Session == owner && (r.Entry == entry || r.Until != 0 && entry >= r.Entry)
	})
}

// without returns a part without the rewinds that are in a list themselves.
func (p part) without(list []record.Rewind) part {
	taken, steps := p.taken, p.steps
	p.taken, p.steps = nil, nil
	for i, t := range taken {
		if !slices.ContainsFunc(list, func(r record.Rewind) bool {
			return r.Until == 0 && r.Session == p.owner && r.Entry == t.Entry
		}) {
			p.taken, p.steps = append(p.taken, t), append(p.steps, steps[i])
		}
	}
	return p
}
