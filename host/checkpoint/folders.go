package checkpoint

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Git knows no folders, only the files in them. Those that do not come back with their files are kept beside the trees. The walk that finds
// them finds the files that only their owner may read, too: Git does not say that a mode has changed where the text has not.

// maxFolders is how many folders are looked at. Of a tree with more none is kept.
const maxFolders = 3000

// Folder is a folder that does not come back as it was by its files: there are none below it, or it has another mode than a new one gets.
type Folder struct {
	Path string      `json:"path"` // absolute
	Mode fs.FileMode `json:"mode"` // its permissions
}

// walked is what a walk of a working tree has found.
type walked struct {
	folders []Folder
	owned   []string // relative names of the files that only their owner may read
}

// beginWalk walks a working tree while Git looks for the files. The function that it returns waits for that. It is given what is left out,
// as it is known then; where that is not what was left out before, it looks again.
func beginWalk(top, path string, before []string, usual fs.FileMode) func(others []string) walked {
	found := make(chan walked, 1)
	caught.Go(func() { // ends when the disk has answered
		defer close(found)
		found <- walk(top, path, before, usual)
	})

	return func(others []string) walked {
		got := <-found
		if !slices.Equal(others, before) {
			got = walk(top, path, others, usual)
		}
		return got
	}
}

// walk walks a working tree below a path, without others, which are ignored or have a repository of their own. usual is the mode that a new
// folder gets.
func walk(top, path string, others []string, usual fs.FileMode) walked {
	w := folderWalk{top: top, others: others, usual: usual}
	w.full(path)
	if w.seen > maxFolders {
		return walked{}
	}
	slices.SortFunc(w.folders, func(a, b Folder) int { return strings.Compare(a.Path, b.Path) })
	return w.walked
}

// folderWalk is a walk.
type folderWalk struct {
	walked
	top    string
	others []string
	usual  fs.FileMode
	seen   int
}

// full looks at what is in a folder, by its relative path, and reports whether there is a file.
func (w *folderWalk) full(dir string) (full bool) {
	entries, _ := os.ReadDir(filepath.Join(w.top, dir)) // what cannot be read does not come back
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			full = true
			if isOwned(e) {
				w.owned = append(w.owned, name)
			}
			continue
		}
		if strings.EqualFold(e.Name(), ".git") || slices.Contains(w.others, name) {
			continue
		}
		if w.seen++; w.seen > maxFolders {
			return true
		}

		within := w.full(name)
		full = full || within
		if info, err := e.Info(); err == nil && (!within || info.Mode().Perm() != w.usual) {
			w.folders = append(w.folders, Folder{filepath.Join(w.top, name), info.Mode().Perm()})
		}
	}
	return full
}

// newMode is the mode that a new folder in another gets.
func newMode(dir string) fs.FileMode {
	dir = filepath.Join(dir, "new")
	defer func() { _ = os.Remove(dir) }()
	_ = os.Mkdir(dir, 0o777)
	info, err := os.Lstat(dir)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}
