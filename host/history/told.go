package history

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

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
	toldRestored = "Note from the editor: the user has restored what was undone in these files. Read them again before you edit them."
)

// Notes returns what the agent of a session is told of rewinds that it does not know: of those whose files are not as before them by now,
// however that has come. It waits for the disk, and for Neovim until ctx ends.
func Notes(ctx context.Context, k *History, s feature.Session, list []record.Rewind) (notes []string) {
	store := k.Checkpoints()
	if len(list) == 0 || store == nil {
		return nil
	}

	waits := func(owner string, entry int) bool {
		return slices.ContainsFunc(list, func(r record.Rewind) bool { return r.Session == owner && r.Entry == entry })
	}
	all := part{lost: map[string]bool{}}
	steps, undone := map[string]rewind.Step{}, map[string]bool{} // by path: from before the first rewind until after the last
	var back, restored []string
	unknown := false
	for _, r := range list {
		p, err := k.part(store, r.Session, func(e rewind.Entry) bool { return e.ID == r.Entry }, true, nil)
		if err == nil && p.entry.ID != r.Entry {
			err = errors.New("the turns are no longer known")
		}
		if err != nil {
			k.host.Say("warn", "the agent is not told which files were undone: "+plain.Reason(err))
			unknown = true
			continue
		}

		for i, t := range p.taken {
			if !slices.ContainsFunc(t.Back, func(entry int) bool { return !waits(r.Session, entry) }) {
				continue // it has taken back what the agent does not know
			}
			step, known := steps[t.Path]
			if !known {
				step = p.steps[i]
			}
			step.After = p.steps[i].After
			steps[t.Path] = step
			undone[t.Path] = undone[t.Path] || !r.Restored
			all.lost[t.Path] = all.lost[t.Path] || p.lost[t.Path]
		}

		for _, dir := range r.Folders {
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				back = append(back, s.There(dir))
			}
		}
	}

	all.steps = slices.Collect(maps.Values(steps))
	for _, a := range k.plan(ctx, []part{all}) {
		if undone[a.Path] {
			back = append(back, s.There(a.Path))
		} else {
			restored = append(restored, s.There(a.Path))
		}
	}

	for text, paths := range map[string][]string{toldUndone: back, toldRestored: restored} {
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
