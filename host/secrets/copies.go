package secrets

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Editors and other programs write the text of a file beside it, or in a folder of their own, under a name that is made of the file's.

// copies match the name of what may be a copy of another file; that one's name is what their groups have.
var copies = []func() *regexp.Regexp{
	lazy.Regexp(`^\.?#(.+?)#?$`), // of Emacs
	lazy.Regexp(`^(.+?)(?:\.~[0-9]+)?~$`),
	lazy.Regexp(`^\.(.+)\.(?:s[a-w][a-z]|un~|[A-Za-z0-9]{6})$`), // of Vim, and of rsync
	lazy.Regexp(`(?i)^(.+)\.(?:s[a-w][a-z]|un~|kate-swp|tmp|temp|bak|bk|backup|old|orig|rej|copy|save(?:\.[0-9]+)?)$`),
	lazy.Regexp(`^\.(.+)\.kate-swp$`),
	lazy.Regexp(`^(.+)___jb_(?:tmp|old)___$`),
	lazy.Regexp(`^(.+)_(?:BACKUP|BASE|LOCAL|REMOTE)_[0-9]+(\.\w+)?$`),            // of git mergetool
	lazy.Regexp(`^(.+),v$`),                                                      // of RCS
	lazy.Regexp(`^(.+?)(?:[:,][0-9]+(?:[-:,][0-9]+)*|#L?[0-9]+(?:-L?[0-9]+)?)$`), // with the number of a line: some agents read that
}

// maxCopied is how often a file may be a copy of a copy, or of one of several.
const maxCopied = 10

// originals returns the files of which one may be a copy, by its name.
func originals(path string) (list []string) {
	list = []string{path}
	for i := 0; i < len(list) && i < maxCopied; i++ {
		for _, one := range originalsOf(list[i]) {
			if !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	return list[1:]
}

func originalsOf(path string) (list []string) {
	dir, name := filepath.Split(path)
	if !mayBeCopy(name) {
		return nil
	}

	for _, e := range copies {
		if m := e().FindStringSubmatch(name); m != nil {
			list = append(list, dir+strings.Join(m[1:], ""))
		}
	}
	for _, sign := range []string{"%", "!"} { // in a folder for all copies, with the whole path in the name
		if strings.HasPrefix(name, sign) && strings.Count(name, sign) > 1 {
			list = append(list, strings.ReplaceAll(name, sign, "/"))
		}
	}
	return list
}

// mayBeCopy reports whether a name has a sign that those of copies have, which takes less time than to match them all.
func mayBeCopy(name string) bool {
	return strings.ContainsAny(name, "#~%!:,_") || strings.Contains(name, ".")
}
