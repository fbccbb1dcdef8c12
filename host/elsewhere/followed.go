package elsewhere

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// Some of the files that programs outside run by themselves are scripts, or have commands: what these name runs with them, and who is asked
// about them, as direnv does, is not asked about that.

// readBy matches the programs that have such files.
var readBy = lazy.Regexp(`^(direnv|autoenv|rvm|Neovim with 'exrc'|Vim with 'exrc'|vim-localvimrc|local_vimrc|lazy\.nvim|Git, by .*)$`)

// hiddenName is the name of a file that a script can read once it is there: .envrc.local.
var hiddenName = lazy.Regexp(`^\.\w[\w.-]*$`)

// followed are scripts with what they name, by path. The zero value has none.
type followed map[string]naming

// naming is what a script of a version names.
type naming struct {
	version string
	files   []string
}

// of returns what a file names in its folder and some others, if it is a script of a version.
func (f *followed) of(path, version string, folders []string) []string {
	if !readBy().MatchString(runBy(path)) || filepath.Base(path) == ".env" { // which as a rule has settings only
		return nil
	}
	if known, ok := (*f)[path]; ok && known.version == version {
		return known.files
	}
	if *f == nil || len(*f) > maxScripts {
		*f = followed{}
	}

	text, err := regular.Read(path, maxScript)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return nil // it was said that it was changed
	}

	places := append([]string{filepath.Dir(path)}, folders...)
	list, _ := filesOf(string(text), places)
	words, _ := wordsOf(script(string(text)))
	for _, word := range words {
		if hiddenName().MatchString(word) {
			list = append(list, filepath.Join(filepath.Dir(path), word))
		}
	}

	inside := func(file string) bool {
		return slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(file, dir+"/") })
	}
	list = slices.DeleteFunc(list, func(file string) bool { return file == path || !inside(file) })
	(*f)[path] = naming{version, list}
	return list
}
