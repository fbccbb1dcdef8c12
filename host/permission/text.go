package permission

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// maxShown is how many lines of a diff a float holds: Neovim lays all of them out at once.
const maxShown = 2000

// showDiffs shows one of the files that would be edited.
func (v *view) showDiffs(diffs []*acp.Diff) (does string) {
	p := &v.p
	maps.DeleteFunc(v.views, func(d *acp.Diff, _ *transcript.DiffView) bool { return !slices.Contains(diffs, d) })
	added, deleted, known := 0, 0, true
	for _, d := range diffs {
		x, y, ok := v.diff(d).Count()
		added, deleted, known = added+x, deleted+y, known && ok
		if !ok {
			p.Large += len(d.NewText) // nobody has compared all of it
		}
	}

	if known {
		p.Label = strings.TrimSpace(p.Label + " " + v.viewer.Icons.Counts(added, deleted))
	}
	if added+deleted == 0 {
		p.addDim(margin + "no line is changed; an empty file stays, or becomes, empty")
	}

	n := len(diffs)
	i := fileShown(v.file, n)
	does = "edit " + plain.Title(v.short(diffs[i].Path))
	if n > 1 {
		does = fmt.Sprintf("edit %d files", n)
		p.Files = n
		v.listFiles(diffs, i)
	}
	if n == 1 && does == "edit "+v.short(diffs[i].Path) {
		v.nameFile(diffs[i].Path)
	}

	v.colour(diffs[i])
	p.addDiff(v.diff(diffs[i]))
	return does
}

// maxListed is how many files of a call are listed a line each; of more those of a folder are in one line.
const maxListed = 20

// listFiles names all files that a call changes, of which one is shown.
func (v *view) listFiles(diffs []*acp.Diff, shown int) {
	of := fmt.Sprintf(", %d of %d", shown+1, len(diffs))
	if len(diffs) > maxListed {
		v.listFolders(diffs)
		v.p.Must, v.p.Whole = len(v.p.Lines), true // each file that is stepped to has the same list
		v.p.add("")
		v.p.add(margin + v.short(diffs[shown].Path) + of)
		return
	}
	for i, d := range diffs {
		if i == shown {
			v.p.add(margin + v.short(d.Path) + of)
		} else {
			v.p.addDim(margin + v.short(d.Path))
		}
		v.nameFile(d.Path)
	}

	v.p.Must, v.p.Whole = len(v.p.Lines), true
}

// listFolders names the files by their folders.
func (v *view) listFolders(diffs []*acp.Diff) {
	var folders []string
	names := map[string][]string{}
	for _, d := range diffs {
		folder, name := path.Split(v.short(d.Path))
		if names[folder] == nil {
			folders = append(folders, folder)
		}
		if !slices.Contains(names[folder], name) {
			names[folder] = append(names[folder], name)
		}
		v.nameFile(d.Path)
	}

	for _, folder := range folders {
		v.p.add(margin + cmp.Or(folder, "./"))
		v.p.addDim(margin + hang + strings.Join(names[folder], "  "))
	}
}

// addDiff adds the lines of a diff.
func (p *Shown) addDiff(v *transcript.DiffView) {
	lines, list, numbers := v.Rows(maxShown, maxDiff)
	if slices.ContainsFunc(numbers, func(n int) bool { return n > 0 }) {
		p.Numbers = append(make([]int, len(p.Lines)), numbers...)
	}

	p.Hang = true
	p.addMarked(lines, list)
	if left := v.Left(); left != "" {
		p.addDim("… " + left)
		return
	}
	if left := v.Len() - len(lines); left > 0 {
		p.addDim(fmt.Sprintf("… %d more lines: <CR> on the call in the chat shows them", left))
		p.Must, p.Whole = len(p.Lines), true
	}
}

// diff works a diff out, once.
func (v *view) diff(d *acp.Diff) *transcript.DiffView {
	if got := v.views[d]; got != nil {
		return got
	}
	got := transcript.ViewDiff(d, 3)
	v.views[d] = got
	return got
}

// colour has a diff highlighted, once.
func (v *view) colour(d *acp.Diff) {
	got := v.diff(d)
	if got.Asked {
		return
	}

	got.Asked = true
	viewer := v.viewer
	views := v.views
	caught.Go(func() { // ends when the diff is found in its file and highlighted
		done := got.Unworked()
		func() {
			defer func() { _ = recover() }() // text without colours is better than no host
			done = got.Work(viewer.Text)
		}()
		viewer.mu.Lock()
		if views[d] == got {
			views[d] = done
		}
		viewer.mu.Unlock()
		viewer.Changed()
	})
}

// fileShown is the index of the file that is shown of n, after so many steps forward or back.
func fileShown(step, n int) int { return ((step % n) + n) % n }
