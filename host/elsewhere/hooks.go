package elsewhere

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// separators are what stands between the words of a command.
const separators = " \t\n'\"=;|&()<>`$!"

// maxWords bounds how many words of a text are looked for as files, maxScript how long a hook may be that is read.
const (
	maxWords  = 1000
	maxScript = 256 << 10
)

// filesOf returns the files that the words of a command, or of a script, name in some folders. A word can begin with what is not known
// here, as in "$(git rev-parse --show-toplevel)/scripts/check": what follows each slash is looked for too.
func filesOf(text string, folders []string) (list []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
	for _, word := range words[:min(len(words), maxWords)] {
		for rest := word; rest != ""; _, rest, _ = strings.Cut(rest, "/") {
			for _, dir := range folders {
				if path := from(dir, rest); isFile(path) {
					list = append(list, path)
				}
			}
		}
	}
	return list
}

// hooks returns what the hooks in a folder are, where they are links, and the files that those name which are scripts. Examples run
// nothing.
func hooks(dir string, trees []string) (list []string) {
	entries, _ := os.ReadDir(dir) // what cannot be read does not run
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasSuffix(e.Name(), ".sample") || e.IsDir() {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			list = append(list, real)
			path = real
		}
		text, err := regular.Read(path, maxScript)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue // a program
		}
		list = append(list, filesOf(string(text), append([]string{dir, filepath.Dir(path)}, trees...))...)
	}
	return list
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
