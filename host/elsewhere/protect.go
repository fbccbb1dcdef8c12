package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// protected are the files and folders of a repository that say what Git runs.
var protected = []string{"hooks", "config", "config.worktree", "commondir"}

// rank orders repositories by how surely Git uses them: those of the session's folders, those that are named as such or that a file or
// link of that name leads to, and what only looks like one, which whoever chooses names in a project can make.
func rank(roots []string, path string, led map[string]bool) int {
	switch {
	case filepath.Base(path) == ".git" && slices.Contains(roots, filepath.Dir(path)):
		return 0
	case filepath.Base(path) == ".git", strings.Contains(path, "/.git/"), led[path]:
		return 1
	}
	return lookalike
}

// lookalike is the rank of what only looks like a repository.
const lookalike = 2

// ledTo returns what files and links among repositories lead to.
func ledTo(found []string) map[string]bool {
	led := map[string]bool{}
	for _, path := range found {
		if real, err := buffers.Real(path); err == nil && real != path {
			led[real] = true
		}
		if dir, ok := pathIn(path, gitDir); ok {
			if real, err := buffers.Real(dir); err == nil {
				led[real] = true
			}
		}
	}
	return led
}

// chosen returns which repositories are protected, the surest first, and the rank of each. What only looks like a repository can be beyond
// the limit, which is said then.
func (p *Place) chosen(found, roots []string) ([]string, map[string]int, error) {
	ranks, led := map[string]int{}, ledTo(found)
	for _, path := range found {
		ranks[path] = rank(roots, path, led)
	}

	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if len(found) <= maxRepositories {
		return found, ranks, nil
	}

	first := found[maxRepositories]
	if ranks[first] < lookalike {
		return nil, nil, fmt.Errorf("%s has more than %d Git repositories, and a sandbox protects no more of them: open Neovim in a "+
			"folder with fewer", p.needs.Cwd, maxRepositories)
	}

	p.limits = append(p.limits, manyRepositories(len(found), first))
	return found[:maxRepositories], ranks, nil
}

// manyRepositories is said where not all repositories are protected.
func manyRepositories(count int, first string) string {
	return fmt.Sprintf("%d Git repositories are protected from the agent, and %d are not, from %s on: Git runs what their "+
		"configuration says, as you and outside of the sandbox", maxRepositories, count-maxRepositories, first)
}

// protectRepository makes read-only in a sandbox what says what Git runs in a repository, and has watched what is not there yet. What only
// looks like a repository is not mounted by itself.
func (p *Place) protectRepository(ctx context.Context, git string, sure bool, roots []string, access map[string]Access) {
	real, err := buffers.Real(git)
	if err != nil || !buffers.Inside(roots, real) {
		return
	}
	if !isDir(real) {
		p.keep(real, "Git", roots, access) // it leads Git to the repository
		return
	}
	if sure {
		if !regular.Exists(filepath.Join(real, "commondir")) { // else hooks are with what it shares
			_ = os.Mkdir(filepath.Join(real, "hooks"), 0o755) // so that it can be protected; most have it
		}
		access[real] = Writable // what is mounted cannot be renamed
	}
	for _, name := range protected {
		path := filepath.Join(real, name)
		if !regular.Exists(path) && (name == "hooks" || name == "config") {
			p.repositories.watch("Git", path)
		}
		p.keep(path, "Git", roots, access)
	}

	p.watchSteps(real)
	p.repositories.watch("Git", p.protect(ctx, real, roots, access)...)
}

// watchSteps has said what is added to what Git has begun in a repository.
func (p *Place) watchSteps(git string) {
	for _, u := range underWay {
		path := filepath.Join(git, u.name)
		p.repositories.watchAs(path, added)
		p.repositories.watch(u.by, path)
	}
	p.repositories.watch("lazygit", filepath.Join(git, "lazygit.yml"))
}

// keep makes what a path leads to read-only in a sandbox, if it is there and in some folders; some program runs what it says.
func (p *Place) keep(path, by string, folders []string, access map[string]Access) {
	file, err := buffers.Real(path)
	if err != nil || !buffers.Inside(folders, file) || !regular.Exists(file) || access[file] == ReadOnly || slices.Contains(folders, file) {
		return
	}
	access[file] = ReadOnly
	p.guarded = append(p.guarded, newGuarded(p.needs.Cwd, file, by))
}

// protectPath makes read-only in a sandbox the folders of $PATH that are in the session's folders, and has watched those that are not there
// yet: what is in them runs outside in place of any program.
func (p *Place) protectPath(roots []string, access map[string]Access) {
	const by = "your shell, which finds programs there ($PATH),"
	for _, entry := range filepath.SplitList(os.Getenv("PATH")) {
		list := []string{filepath.Clean(entry)}
		if !filepath.IsAbs(entry) { // from whichever folder a shell is in
			list = nil
			for _, root := range roots {
				list = append(list, filepath.Join(root, entry))
			}
		}
		for _, path := range list {
			real, err := buffers.Real(path)
			if err != nil || !buffers.Inside(roots, path) && !buffers.Inside(roots, real) {
				continue
			}
			if slices.ContainsFunc(roots, func(root string) bool { return buffers.Inside([]string{real}, root) }) {
				p.limits = append(p.limits,
					fmt.Sprintf("$PATH has %s, which the agent writes: what it puts there can run in place of any program, "+
						"as you and outside of the sandbox", cmp.Or(entry, ".")))
				continue
			}

			p.keep(real, by, roots, access)
			p.repositories.watch(by, path)
			if !regular.Exists(real) {
				p.repositories.watch(by, real)
			}
		}
	}
}

// runtime are the folders in one of 'runtimepath' from which Neovim runs files by itself.
var runtime = []string{"plugin", "ftplugin", "ftdetect", "after", "lua", "autoload", "syntax", "indent", "queries", "lsp", "parser",
	"colors", "compiler", "keymap", "pack"}

// watchRuntime has watched what Neovim runs that is in the session's folders, or has these in it, and says so.
func (p *Place) watchRuntime(roots []string) {
	const by = "Neovim, in whose 'runtimepath' it is,"
	said := false
	for _, dir := range p.spec.Runtime {
		real, err := buffers.Real(dir)
		if err != nil {
			continue
		}
		for _, name := range runtime {
			path := filepath.Join(real, name)
			for _, root := range roots {
				switch {
				case buffers.Inside([]string{root}, path):
				case buffers.Inside([]string{path}, root):
					path = root
				default:
					continue
				}

				p.repositories.watch(by, path)
				if !said {
					said = true
					p.limits = append(p.limits,
						fmt.Sprintf("%s is in 'runtimepath': what the agent writes in lua, plugin, ftplugin and the like runs "+
							"in your Neovim, outside of the sandbox", dir))
				}
			}
		}
	}
}
