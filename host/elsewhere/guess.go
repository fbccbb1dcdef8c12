package elsewhere

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nvim-acp/nvim-acp/internal/glob"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// begins is where a command begins, with the programs that run another.
const begins = `(?m)(?:^|[;&|({]|\b(?:do|then|else)\b)\s*` +
	`(?:(?:\.|source|eval|exec|command|time|nice|env|sudo|[a-z]*sh|python[0-9.]*|node|perl|ruby|php|lua)` +
	`\s+(?:-\S+\s+)*)*`

// fed is a shell, or another interpreter, that reads what comes before it.
const fed = `\|\s*(?:\S*/)?(?:(?:ba|da|a|z|k|mk|fi)?sh|python[0-9.]*|node|perl|ruby|php|lua)\b`

// lists is what scripts of other languages list the files of a folder with.
const lists = `listdir|scandir|iterdir|readdir\w*|opendir|i?glob|walk|Dir\.\w+`

var (
	// vague is what a text has that runs, or goes to, what its words alone do not say.
	vague = lazy.Regexp("[$`*?\\[]|\\b(cd|pushd|chdir|find|fd|xargs|parallel|run-parts|eval|" + lists + ")\\b")
	// whatever is a text that runs what it finds: a variable, or what a program is given file by file.
	whatever = lazy.Regexp(begins + `["']?(?:\$|[\w./-]*[*?\[])|` + fed + `|-exec(dir)?\b|-ok(dir)?\b|` +
		`\b(xargs|parallel|run-parts|eval|` + lists + `)\b|-x\b`)
	// inside is a folder, of which it runs a file that a variable names, whatever is before that folder.
	inside = lazy.Regexp(begins + `["']?(?:\$\([^()\n]*\)|\$\w+|\$\{[^}\n]*\}|` + "`[^`\n]*`" + `)?` +
		`["']?((?:[\w.-]*/)+)["']?[\w.-]*[$` + "`" + `]`)
	// tracked is a folder of which Git, or another program that looks through folders, lists the files.
	tracked = lazy.Regexp(`\b(?:git\s+(?:-\S+\s+)*(?:ls-files|ls-tree\s+(?:-\S+\s+)*\S+)|rg\s+--files|du|tree)\s+` +
		`(?:-\S+\s+)*["']?([^\s"';|&)]+)`)
	// each is a text that runs files that it is given, and not only a program for them.
	each = lazy.Regexp(begins + `["']?\$|\b(?:xargs|parallel)\s+(?:-\S+\s+|\d+\s+)*` +
		`(?:[a-z]*sh|python[0-9.]*|node|perl|ruby|php|lua|env|\{\})\b`)
	// listing is a folder of which all files are listed.
	listing = lazy.Regexp("\\b(?:(?:find|fd|run-parts|ls)\\s+(?:-\\S+\\s+)*|(?:" + lists + ")\\s*\\(?\\s*)[\"']?([^\\s\"';|&)]+)")
)

// guess returns what a text may run that it does not name whole: in a folder that is not known, files that can be executed and have the
// name of a word, or match one; where it runs what it finds, all in a folder of which it lists the files. folders are those that it may
// begin in, others those that it names there. It is not whole if there are more patterns than are looked for.
func guess(text string, words, folders, others []string) (list []string, whole bool) {
	if !vague().MatchString(text) {
		return nil, true
	}

	names, globs, runs := map[string]bool{}, []string{}, whatever().MatchString(text) || inside().MatchString(text)
	for _, word := range words {
		if strings.ContainsAny(word, "*?[") {
			globs = append(globs, strings.TrimPrefix(word, "./"))
		}
		names[filepath.Base(word)] = true
	}

	globbed, whole := anyOf(globs)
	if runs {
		list = listings(text, globs, append(slices.Clone(folders), others...), folders)
		if moves().MatchString(text) && globbed != nil {
			list = append(list, matching(globbed, others)...)
		}
	}

	left, given := maxTree, each().MatchString(text)
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch left--; {
			case left < 0 || len(list) >= maxGuessed:
				return filepath.SkipAll
			case err != nil:
				return nil
			case d.IsDir() && path != folder && (isGit(d.Name()) || d.Name() == "node_modules"):
				return filepath.SkipDir
			case d.IsDir():
				return nil
			}

			rel, _ := filepath.Rel(folder, path) // it is below
			named := names[d.Name()] || globbed != nil && globbed.MatchString(rel)
			if named && isScript(path, d) || given && globbed != nil && globbed.MatchString(rel) {
				list = append(list, path)
			}

			return nil
		})
	}

	return list, whole
}

// matching returns the files in some folders that an expression is for, whether they can be executed or not.
func matching(e *regexp.Regexp, folders []string) (list []string) {
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // what cannot be read is not run
		for _, entry := range entries {
			if len(list) < maxGuessed && !entry.IsDir() && e.MatchString(entry.Name()) {
				list = append(list, filepath.Join(folder, entry.Name()))
			}
		}
	}
	return list
}

// listings returns the folders whose files a text runs, whatever they are called: those that it lists, and those of patterns. One that it
// begins in is none: that has all else too.
func listings(text string, globs, places, but []string) (list []string) {
	add := func(word string) {
		for _, dir := range places {
			if path := filepath.Join(dir, word); isFolder(path) && !slices.Contains(but, path) && !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	for _, glob := range globs {
		if dir, _ := doublestar.SplitPattern(glob); dir != "." {
			add(dir)
		}
	}

	named := append(matchesOf(listing(), text), matchesOf(inside(), text)...)
	if each().MatchString(text) {
		named = append(named, matchesOf(tracked(), text)...)
	}
	for _, word := range named[:min(len(named), maxPlaces)] {
		if !strings.ContainsAny(word, "*?[") {
			add(strings.TrimLeft(word, "/"))
			add(word)
		}
	}

	below := func(path string) bool {
		return slices.ContainsFunc(but, func(folder string) bool {
			rel, err := filepath.Rel(folder, path)
			return err == nil && filepath.IsLocal(rel)
		})
	}

	return slices.DeleteFunc(list, func(path string) bool { return !below(path) })
}

// anyOf returns an expression for files that patterns of a text are for, in whatever folder the text is then; nil for none. It is not
// whole if there are too many.
func anyOf(globs []string) (e *regexp.Regexp, whole bool) {
	var list []string
	size := 0
	for _, text := range globs {
		if size += len(text); size > maxGlobs {
			break
		}
		list = append(list, glob.Expr(text, glob.Within))
	}

	if len(list) == 0 {
		return nil, len(globs) == 0
	}
	e, err := regexp.Compile(`(?s)^(?:.*/)?(?:` + strings.Join(list, "|") + `)$`)
	if err != nil {
		return nil, false
	}

	return e, len(list) == len(globs)
}
