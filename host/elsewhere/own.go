package elsewhere

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// ownFile is one of [ownFiles].
type ownFile struct {
	folders []string
	file    string
	by      string
	written bool
}

// ownFiles returns the files in agents' own folders that say what the agent runs, also where it is started without a sandbox. A name that
// ends in "/" is a folder with all in it. What an agent has to write, as its choice of a login, it can; then a change of what it says of
// programs is said.
var ownFiles = sync.OnceValue(func() (list []ownFile) {
	for _, a := range agents {
		by := a.by + outsideOfIt
		for _, name := range a.orders() {
			list = append(list, ownFile{a.own, name, by, slices.Contains(a.written, name)})
		}
		for _, name := range a.home {
			list = append(list, ownFile{append([]string{"~/"}, a.own...), name, by, slices.Contains(a.written, name)})
		}
	}
	return list
})

// protectOwn makes read-only in a sandbox what says what agents run outside of it, where the sandbox shows it writable, and has watched
// what the agent writes, what is not there yet, and all else in its folders but what nobody runs.
func (p *Place) protectOwn(access map[string]Access) {
	var folders []string
	for path, a := range access {
		if a == Writable {
			folders = append(folders, path)
		}
	}

	for _, o := range ownFiles() {
		for _, folder := range o.folders {
			dir := p.own(folder)
			if dir == "" {
				continue
			}

			path := filepath.Join(dir, o.file)
			if !buffers.Inside(folders, path) {
				continue
			}
			if !o.written {
				p.keep(path, o.by, folders, access)
			}

			real, err := buffers.Real(path)
			if err == nil && access[real] == ReadOnly && real == path {
				continue
			}

			counts := made
			if o.written {
				counts = orderly
			}

			p.repositories.watchAs(path, counts)
			p.repositories.watch(o.by, path)
		}
	}

	for _, a := range agents {
		p.protectRest(a, folders, access)
	}
}

// protectRest sees to what has no name of its own in the folders of an agent.
func (p *Place) protectRest(a agent, folders []string, access map[string]Access) {
	by := a.by + outsideOfIt
	for _, folder := range a.own {
		path := p.own(folder)
		if path == "" {
			continue
		}

		dir, err := buffers.Real(path)
		if err != nil || !buffers.Inside(folders, dir) || !isDir(dir) {
			continue
		}

		own := ownFolder{dir: dir, by: by, data: append(slices.Clone(anyData), a.data...)}
		for _, name := range a.git {
			own.git = append(own.git, filepath.Join(dir, name))
		}

		for _, name := range a.made {
			made := filepath.Join(dir, name)
			own.data = append(own.data, name)
			var list []string
			whole := eachIn(made, func(path string, info os.FileInfo, err error) {
				if err == nil && !info.IsDir() {
					list = append(list, path)
				}
			})
			if !whole {
				p.limits = append(p.limits, fmt.Sprintf("%s has more than %d files: not every change in it is said", made, maxGuarded))
			}
			p.repositories.watch(by, list...) // those that are there: they are of other sessions
		}

		for path, granted := range access {
			if granted == ReadOnly && buffers.Inside([]string{dir}, path) {
				own.known = append(own.known, path)
			}
		}

		if !p.repositories.watchOwn(own) {
			p.limits = append(p.limits, fmt.Sprintf("%s has more than %d files: not every change in it is said", dir, maxOwn))
		}
	}
}

// saysNothing reports whether a file of settings has none yet, as one that an agent makes when it is started.
func saysNothing(path string) bool {
	if ext := filepath.Ext(path); ext != ".json" && ext != ".jsonc" {
		return false
	}
	text, err := regular.Read(path, 1<<10)
	var members map[string]any
	if err != nil || json.Unmarshal(text, &members) != nil {
		return false
	}
	delete(members, "$schema")
	return len(members) == 0
}

// ownFolder is a folder of an agent's in which all is watched but what nobody runs.
type ownFolder struct {
	dir   string
	by    string
	data  []string // patterns of names of files, and of folders that end in "/", which nobody runs
	known []string // what is read-only
	git   []string // folders with repositories
}

// maxOwn bounds how many files of such a folder are compared.
const maxOwn = 2000

// files calls f with the files that count, and with what Git takes orders from in the repositories there. It is not whole if there are
// more than maxOwn.
func (o ownFolder) files(skip func(path string) bool, f func(path string)) (whole bool) {
	left := maxOwn
	_ = filepath.WalkDir(o.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == o.dir {
			return nil // what cannot be read is not run either
		}
		if left--; left < 0 {
			return fs.SkipAll
		}
		if slices.Contains(o.known, path) || skip(path) || o.isData(path, e) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.IsDir() && e.Type() != fs.ModeSocket {
			f(path)
		}

		return nil
	})
	whole = left >= 0
	for _, dir := range o.git {
		whole = gitFiles(dir, f) && whole
	}

	return whole
}

// gitFiles calls f with what Git takes orders from in the repositories of a folder. It is not whole if that has more files than maxOwn.
func gitFiles(dir string, f func(path string)) (whole bool) {
	left := maxOwn
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch name := e.Name(); {
		case e.IsDir() && slices.Contains([]string{"objects", "refs", "logs"}, name):
			return fs.SkipDir
		case !e.IsDir() && (isGit(name) || name == ".gitconfig"):
			f(path)
		case slices.Contains(protected, name) && e.IsDir() == (name == "hooks") &&
			regular.Exists(filepath.Join(filepath.Dir(path), "HEAD")):
			f(path)
		}

		return nil
	})
	return left >= 0
}

// isData reports whether nobody runs a file, or what is in a folder. A program is none, whatever its name is.
func (o ownFolder) isData(path string, e fs.DirEntry) bool {
	rel, err := filepath.Rel(o.dir, path)
	if err != nil {
		return false
	}
	if e.IsDir() {
		return slices.Contains(o.data, rel+"/")
	}
	if info, err := e.Info(); err != nil || info.Mode().Perm()&0o111 != 0 {
		return err != nil // it is gone
	}

	return slices.ContainsFunc(o.data, func(pattern string) bool {
		within, _ := filepath.Match(pattern, rel) // ours are all right
		named, _ := filepath.Match(pattern, filepath.Base(rel))
		return within || named && slices.Contains(anyData, pattern)
	})
}

// harmless matches lines of a configuration that Git runs nothing for.
var harmless = lazy.Regexp(`(?i)^\s*($|[#;]|\[(core|user|commit|tag|gc|extensions|feature|index|init|pack|status)\]\s*$|` +
	`(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|` +
	`quotepath|untrackedcache|name|email|auto|autodetach|manyfiles|version|threads|defaultbranch|objectformat|refstorage|` +
	`worktreeconfig|compression|bigfilethreshold)\s*=[^\\]*$|(gpgsign|fsmonitor)\s*=\s*false\s*$)`)

// gitOrders returns what a file or folder of a repository in an agent's folder has Git run, "" if nothing is known.
func gitOrders(path string) string {
	if filepath.Base(path) == "hooks" {
		var b strings.Builder
		whole := eachIn(path, func(path string, info os.FileInfo, err error) {
			if err != nil || !info.IsDir() && !strings.HasSuffix(path, ".sample") {
				fmt.Fprintln(&b, path, err, version(path))
			}
		})
		if !whole {
			b.WriteString(moreThan())
		}
		return b.String()
	}

	text, err := regular.Read(path, 1<<20)
	if err != nil || filepath.Base(path) == "commondir" {
		return version(path)
	}

	var b strings.Builder
	for line := range strings.SplitSeq(string(text), "\n") {
		if !harmless().MatchString(line) {
			fmt.Fprintln(&b, line)
		}
	}

	return b.String()
}

// orders matches the members of an agent's settings that say what it runs, and what it trusts.
var orders = lazy.Regexp(`(?i)^(mcp.*|hooks?|.*commands?|.*helper|.*trust.*|statusline|plugins?|extensions|tools|enabled.*)$`)

// ordersOf returns a text that changes with what settings say of programs, "" if they say nothing; with all of them, if they are not JSON.
func ordersOf(path string) string {
	text, err := regular.Read(path, 64<<20)
	var value any
	if err != nil || json.Unmarshal(text, &value) != nil {
		return version(path)
	}

	var b strings.Builder
	blank := []string{"{}", "[]", "null", "false", `""`}
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				within := at + "/" + name
				if !orders().MatchString(name) {
					visit(within, value[name])
				} else if text, _ := json.Marshal(value[name]); !slices.Contains(blank, string(text)) {
					fmt.Fprintln(&b, within, string(text))
				}
			}
		case []any:
			for i, v := range value {
				visit(fmt.Sprint(at, "/", i), v)
			}
		}
	}

	visit("", value)
	if b.Len() == 0 {
		return ""
	}

	return fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))
}

// own expands the home folder and a variable at the beginning of a name; "" if the variable is not set.
func (p *Place) own(name string) string {
	if rest, ok := strings.CutPrefix(name, "$"); ok {
		variable, below, _ := strings.Cut(rest, "/")
		value := cmp.Or(p.needs.Env[variable], os.Getenv(variable))
		if value == "" {
			return ""
		}
		name = filepath.Join(value, below)
	}
	return p.fill(name)
}
