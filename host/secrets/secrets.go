// Package secrets tells which files may hold secrets, by patterns and by their identity, and finds what they say in other texts: a
// language server shows the value of a constant wherever it is used.
//
// Package host calls it for reads and writes, and for the answers of tools. It reads the disk, and starts no goroutine.
package secrets

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Bounds of what is looked at.
const (
	maxEntries = 100_000 // of folders, where values are looked for
	maxFiles   = 200
	maxWalked  = 1_000_000 // of folders, where other names are looked for
	maxNames   = 2000
	maxValues  = 5000
	shortest   = 6  // bytes of a value: shorter ones are words of any text
	beginning  = 32 // bytes of a long value that are enough: language servers cut them
	line       = 16 // bytes of a line of a value that are enough: in a message its line breaks are escaped
)

// skipped are folders in which no values are looked for: no project has its own secrets there.
var skipped = []string{".git", "node_modules", ".hg", ".svn"}

// Files returns the files below folders for which is returns true, as far as there are not too many, until ctx ends.
func Files(ctx context.Context, roots []string, is func(path string) bool) (list []string) {
	seen := 0
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			seen++
			switch {
			case seen > maxEntries || len(list) >= maxFiles || ctx.Err() != nil:
				return filepath.SkipAll
			case err != nil:
				return nil // it cannot be read by a language server either
			case d.IsDir() && slices.Contains(skipped, d.Name()):
				return filepath.SkipDir
			case d.Type().IsRegular() && is(path):
				list = append(list, path)
			}
			return nil
		})
	}

	return list
}

// Values are what files say. The zero value is none.
type Values struct{ list []value }

type value struct{ text, path string }

var (
	quoted   = lazy.Regexp("\"((?:[^\"\\\\\\n]|\\\\.)*)\"|'((?:[^'\\\\\\n]|\\\\.)*)'|`([^`]*)`")
	assigned = lazy.Regexp(`(?m)^[^\n"'` + "`" + `:=]*(?::=|[:=])\s*([^\s"'` + "`" + `#=][^\n#]*)`)
)

// Add adds the values of a file: its texts in quotation marks, and what comes after an equals sign or a colon.
func (v *Values) Add(path, text string) {
	for _, m := range quoted().FindAllStringSubmatch(text, -1) {
		for _, part := range m[1:] {
			v.add(part, path)
		}
	}
	for _, m := range assigned().FindAllStringSubmatch(text, -1) {
		v.add(strings.TrimRight(m[1], " \t\r,;"), path)
	}
}

func (v *Values) add(text, path string) {
	least := shortest
	for part := range strings.SplitSeq(text, "\n") {
		if part != text {
			least = line
		}
		if len(part) >= least && len(v.list) < maxValues {
			v.list = append(v.list, value{plain.Cut(part, beginning), path})
		}
	}
}

// In returns the files of which a text has a value, each once.
func (v *Values) In(text string) (paths []string) {
	for _, known := range v.list {
		if strings.Contains(text, known.text) && !slices.Contains(paths, known.path) {
			paths = append(paths, known.path)
		}
	}
	return paths
}
