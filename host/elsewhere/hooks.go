package elsewhere

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
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

// filesOf returns the files that the words of a command, or of a script, name in some folders, or in those that they name there: it may
// go to any of these. A word can begin with what is not known here, as in "$(git rev-parse --show-toplevel)/scripts/check": what follows
// each slash is looked for too. A word that is a path is also one of a file that is not there yet. What else it may name see [guess].
func filesOf(text string, folders []string) (list []string) {
	words := wordsOf(text)
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

	return append(list, guess(text, words, folders, places[len(folders):])...)
}

// wordsOf returns the words of a text, each once.
func wordsOf(text string) (list []string) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) })
	seen := map[string]bool{}
	for _, word := range words[:min(len(words), maxWords)] {
		if !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

// moves is what a text has that goes to a folder.
var moves = lazy.Regexp(`\b(cd|pushd)\b`)

// maxDepth bounds through how many folders a text goes.
const maxDepth = 3

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

// namedIn returns what a word, or what follows a slash in it, may be in some folders.
func namedIn(word string, folders []string) (list []string) {
	for rest := strings.TrimRight(word, "/"); rest != ""; _, rest, _ = strings.Cut(rest, "/") {
		for _, dir := range folders {
			list = append(list, from(dir, rest))
		}
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
