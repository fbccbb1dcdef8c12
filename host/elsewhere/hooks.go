package elsewhere

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// separators are what stands between the words of a command.
const separators = " \t\n'\"=;|&()<>`$!"

// maxWords bounds how many words of a text are looked for as files, maxScript how long a hook may be that is read, maxScripts how many
// are, with the scripts that they name.
const (
	maxWords   = 1000
	maxScript  = 256 << 10
	maxScripts = 50
)

// filesOf returns the files that the words of a command, or of a script, name in some folders. A word can begin with what is not known
// here, as in "$(git rev-parse --show-toplevel)/scripts/check": what follows each slash is looked for too. A word that is a path is also
// one of a file that is not there yet.
func filesOf(text string, folders []string) (list []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
	for _, word := range words[:min(len(words), maxWords)] {
		for rest := word; rest != ""; _, rest, _ = strings.Cut(rest, "/") {
			for _, dir := range folders {
				path := from(dir, rest)
				absent := rest == word && isPath(word) && !regular.Exists(path)
				if absent || isFile(path) {
					list = append(list, path)
				}
			}
		}
	}
	return list
}

// isPath reports whether a word can only mean a file below some folder.
func isPath(word string) bool {
	return strings.Contains(word, "/") && !strings.HasSuffix(word, "/") && !strings.ContainsAny(word[:1], "/-~#") && !strings.Contains(word, "//")
}

// hooks returns what the hooks in a folder are, where they are links, and the files that those name which are scripts. Examples run
// nothing.
func hooks(dir string, trees []string) (list []string) {
	entries, _ := os.ReadDir(dir) // what cannot be read does not run
	var scripts []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") && !e.IsDir() {
			scripts = append(scripts, filepath.Join(dir, e.Name()))
		}
	}
	for i := 0; i < len(scripts) && i < maxScripts; i++ {
		path := scripts[i]
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			list = append(list, real)
			path = real
		}
		text, err := regular.Read(path, maxScript)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue // a program
		}
		for _, file := range filesOf(string(text), append([]string{dir, filepath.Dir(path)}, trees...)) {
			list = append(list, file)
			if !slices.Contains(scripts, file) {
				scripts = append(scripts, file)
			}
		}
	}
	return list
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
