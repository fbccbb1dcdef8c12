package elsewhere

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// filesOf returns the files that the words of a command, or of a script, name in some folders, or in those that they name there: it may
// go to any of these. A word can begin with what is not known here, as in "$(git rev-parse --show-toplevel)/scripts/check": what follows
// each slash is looked for too. A word that is a path is also one of a file that is not there yet. What else it may name see [guess] and
// [modulesOf]. They are not whole if the text has more words, or patterns, than are looked at.
func filesOf(text string, folders []string) (list []string, whole bool) {
	text = script(text)
	words, whole := wordsOf(text)
	places := append(slices.Clone(folders), foldersOf(words, folders)...)
	goes := folders
	if moves().MatchString(text) {
		goes = places
	}
	for _, word := range words {
		for rest := word; rest != ""; _, rest, _ = strings.Cut(rest, "/") {
			for _, dir := range places {
				path := from(dir, rest)
				absent := rest == word && isPath(word) && slices.Contains(goes, dir) && !regular.Exists(path)
				if absent || isFile(path) {
					list = append(list, path)
				}
			}
		}
	}

	guessed, all := guess(text, words, folders, places[len(folders):])
	list = append(list, modulesOf(text, folders, places[len(folders):])...)
	return append(list, guessed...), whole && all
}

// foldersOf returns the folders below some that words name, also one in another.
func foldersOf(words, folders []string) (list []string) {
	from, below := folders, realOf(folders)
	for range maxDepth {
		var next []string
		for _, word := range words {
			for _, path := range namedIn(word, from) {
				if len(list) == maxPlaces {
					return list
				}
				if isFolder(path) && buffers.Inside(below, path) && !slices.Contains(list, path) && !slices.Contains(folders, path) {
					list, next = append(list, path), append(next, path)
				}
			}
		}
		from = next
	}

	return list
}

func realOf(folders []string) []string {
	list := slices.Clone(folders)
	for _, dir := range folders {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// isPath reports whether a word can only mean a file below some folder.
func isPath(word string) bool {
	return strings.Contains(word, "/") && !strings.HasSuffix(word, "/") && !strings.ContainsAny(word[:1], "/-~#") &&
		!strings.Contains(word, "//")
}

// hooks returns what the hooks in a folder are, where they are links, and the files that those name which are scripts. Examples run
// nothing. They are not whole if there are more scripts, or words in one, than are looked at.
func hooks(dir string, trees []string) (list []string, whole bool) {
	entries, _ := os.ReadDir(dir) // what cannot be read does not run
	var scripts []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".sample") && !e.IsDir() {
			scripts = append(scripts, filepath.Join(dir, e.Name()))
		}
	}

	whole = true
	for i := 0; i < len(scripts) && i < maxScripts; i++ {
		path := scripts[i]
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			list = append(list, real)
			path = real
		}

		text, err := regular.Read(path, maxScript)
		if err != nil {
			whole = whole && !isLong(path)
			continue
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue // a program
		}
		files, all := filesOf(string(text), append([]string{dir, filepath.Dir(path)}, trees...))
		whole = whole && all
		for _, file := range files {
			list = append(list, file)
			if !slices.Contains(scripts, file) {
				scripts = append(scripts, file)
			}
		}
	}

	return list, whole && len(scripts) <= maxScripts
}

// isLong reports whether a file is a script that is longer than is read.
func isLong(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, maxScript)
	n, _ := io.ReadFull(f, begin)
	return n == maxScript && bytes.IndexByte(begin, 0) < 0
}
