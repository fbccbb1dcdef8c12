package checkpoint

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Unkept returns by path which files have changed between two checkpoints, of which either has no version: they are too large, or
// cannot be read.
func Unkept(old, new Checkpoint) []string {
	changed := map[string]bool{}
	for _, tree := range new.Trees {
		before, ok := old.tree(tree.Top, tree.Path)
		if !ok {
			continue // Missing has it, or it is new
		}
		for _, path := range append(slices.Clone(before.Skipped), tree.Skipped...) {
			was, had := before.Stamps[path]
			if is, has := tree.Stamps[path]; had != has || was != is {
				changed[path] = true
			}
		}
	}

	return slices.Sorted(maps.Keys(changed))
}

// Hidden returns the files and folders that are ignored only since the checkpoint before, and not kept.
func (c Checkpoint) Hidden() (list []string) {
	for _, tree := range c.Trees {
		list = append(list, tree.Hidden...)
	}
	return list
}

// RulesChanged reports whether files are ignored in the new checkpoint by other rules than in the old one, apart from those in the folders.
func RulesChanged(old, new Checkpoint) bool {
	return slices.ContainsFunc(new.Trees, func(tree Tree) bool {
		before, ok := old.tree(tree.Top, tree.Path)
		return ok && before.Ignore != tree.Ignore
	})
}

// Removed returns the folders of the checkpoint that are not there any more. It waits for the disk.
func (c Checkpoint) Removed() (list []Folder) {
	for _, tree := range c.Trees {
		for _, f := range tree.Folders {
			if info, err := os.Lstat(f.Path); err != nil || !info.IsDir() {
				list = append(list, f)
			}
		}
	}
	return list
}

// Lost returns the working trees whose repository, of the user's, is there in the old checkpoint and not in the new one.
func Lost(old, new Checkpoint) []string {
	var list []string
	for _, tree := range old.Trees {
		after, ok := new.tree(tree.Top, tree.Path)
		if tree.Git && (!ok && !new.missing(filepath.Join(tree.Top, tree.Path)) || ok && !after.Git) && !slices.Contains(list, tree.Top) {
			list = append(list, tree.Top)
		}
	}
	return list
}
