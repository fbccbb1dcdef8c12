package elsewhere

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what is looked at of hooks and commands, for the files that they name.
const (
	maxScript  = 256 << 10 // bytes of one that is read
	maxScripts = 50        // with those that they name
	maxWords   = 2000      // of a text
	maxPath    = 4096      // bytes of a word that names a file
	maxChoices = 64        // that a word in braces is for
	maxValues  = 50        // variables of a text that are replaced
	maxDepth   = 3         // folders through which a text goes, one from another
	maxPlaces  = 20        // folders to which it goes
	maxGlobs   = 1 << 10   // bytes of patterns
	maxGuessed = 500       // files that are guessed
	maxTree    = 20_000    // files that are looked at for that
)

// from returns a path that is relative to a folder, or to the home folder, as an absolute one.
func from(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// namedIn returns what a word, or what follows a slash in it, may be in some folders.
func namedIn(word string, folders []string) (list []string) {
	for rest := strings.TrimRight(word, "/"); rest != ""; _, rest, _ = strings.Cut(rest, "/") {
		for _, dir := range folders {
			list = append(list, from(dir, rest))
		}
	}
	return list
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isScript reports whether a file can be executed, or is one of a shell by its name.
func isScript(path string, d fs.DirEntry) bool {
	if slices.Contains([]string{".sh", ".bash", ".zsh", ".ksh"}, filepath.Ext(path)) {
		return true
	}
	info, err := d.Info()
	return err == nil && info.Mode()&0o111 != 0 && info.Mode().IsRegular()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
