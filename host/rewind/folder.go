package rewind

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

// Missing returns those of some folders that are not there, each once, with what is above first. It waits for the disk.
func Missing(list []checkpoint.Folder) (missing []checkpoint.Folder) {
	for _, f := range list {
		known := slices.ContainsFunc(missing, func(other checkpoint.Folder) bool { return other.Path == f.Path })
		if info, err := os.Lstat(f.Path); (err != nil || !info.IsDir()) && !known {
			missing = append(missing, f)
		}
	}
	slices.SortFunc(missing, func(a, b checkpoint.Folder) int { return cmp.Compare(a.Path, b.Path) })
	return missing
}

// MakeFolder makes a folder for what is to come into it; done gives it its mode. Nothing is made behind a link. It waits for the disk.
func MakeFolder(f checkpoint.Folder) (done func() error, err error) {
	if err := Check(f.Path); err != nil {
		return nil, err
	}

	root, err := buffers.OpenFolder(f.Path)
	if err != nil {
		return nil, err
	}

	name := filepath.Base(f.Path)
	if err := root.Mkdir(name, 0o700); err != nil { // for nobody else until it has its mode
		_ = root.Close()
		return nil, err
	}

	return func() error {
		defer root.Close()
		info, err := root.Lstat(name)
		if err != nil || !info.IsDir() {
			return err
		}
		return root.Chmod(name, f.Mode)
	}, nil
}
