package elsewhere

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/internal/git"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// runner is one of [runs].
type runner struct{ name, by string }

// runs are the files that programs outside of a sandbox run by themselves, or take orders from, wherever in a project they are. A name
// that ends in "/" is a folder with all in it, one that begins with "*" any file whose name ends so. The case of letters does not count:
// many file systems take either for the other. An agent may have to write them, so a change is said.
var runs = append([]runner{
	// what shells, and what they call, run on the way into a folder
	{".envrc", "direnv"},
	{".direnv/", "direnv"},
	{".env", "autoenv"},
	{".env.leave", "autoenv"},
	{".autoenv.zsh", "autoenv"},
	{".autoenv_leave.zsh", "autoenv"},
	{".shadowenv.d/", "shadowenv"},
	{"flake.nix", "Nix, by direnv"},
	{"shell.nix", "Nix, by direnv"},
	{"default.nix", "Nix, by direnv"},
	{"devenv.nix", "devenv"},
	{"devenv.yaml", "devenv"},
	{"devbox.json", "Devbox"},
	{"pixi.toml", "pixi"},
	{".rvmrc", "rvm"},
	{".sdkmanrc", "SDKMAN"},
	{".tool-versions", "asdf and mise"},
	{"mise.toml", "mise"},
	{".mise.toml", "mise"},
	{"mise.local.toml", "mise"},
	{".mise.local.toml", "mise"},
	{".config/mise.toml", "mise"},
	{".config/mise/", "mise"},
	{".mise/", "mise"},
	{"mise/config.toml", "mise"},
	{".rtx.toml", "mise"},
	{"rust-toolchain", "rustup"},
	{"rust-toolchain.toml", "rustup"},

	// editors, and what they start
	{".exrc", "Neovim with 'exrc'"},
	{".nvimrc", "Neovim with 'exrc'"},
	{".nvim.lua", "Neovim with 'exrc'"},
	{".vimrc", "Vim with 'exrc'"},
	{"_vimrc", "Vim with 'exrc'"},
	{".gvimrc", "Vim with 'exrc'"},
	{".lvimrc", "vim-localvimrc"},
	{".local.vimrc", "local_vimrc"},
	{".lazy.lua", "lazy.nvim"},
	{".luarc.json", "lua-language-server"},
	{".luarc.jsonc", "lua-language-server"},
	{".neoconf.json", "neoconf"},
	{".nlsp-settings/", "nlsp-settings.nvim"},
	{".overseer/", "overseer.nvim"},
	{".vim/", "plugins of Vim, as coc.nvim"},
	{".vimspector.json", "vimspector"},
	{".dir-locals.el", "Emacs"},
	{".dir-locals-2.el", "Emacs"},
	{".kakrc.local", "Kakoune"},
	{".helix/", "Helix"},
	{".zed/", "Zed"},
	{".vscode/tasks.json", "VS Code"},
	{".vscode/settings.json", "VS Code"},
	{".vscode/launch.json", "VS Code"},
	{".vscode/mcp.json", "VS Code"},
	{".vscode/extensions.json", "VS Code"},
	{".vscode/c_cpp_properties.json", "VS Code"},
	{".vscode/cmake-kits.json", "VS Code"},
	{"*.code-workspace", "VS Code"},
	{".idea/", "IDEs of JetBrains"},
	{".run/", "IDEs of JetBrains"},
	{".fleet/", "IDEs of JetBrains"},
	{".nova/", "Nova"},
	{".devcontainer/", "what opens dev containers"},
	{".devcontainer.json", "what opens dev containers"},
	{".gitpod.yml", "Gitpod"},
	{".idx/", "Firebase Studio"},
	{".lazygit.yml", "lazygit"},

	// version control, and what it calls
	{".hg/hgrc", "Mercurial"},
	{".hg/hgrc-not-shared", "Mercurial"},
	{".sl/config", "Sapling"},
	{".jj/repo/config.toml", "Jujutsu"},
	{".jj/workspace-config.toml", "Jujutsu"},
	{".bzr/branch/branch.conf", "Breezy"},
	{"_darcs/prefs/", "Darcs"},
	{".pijul/config", "Pijul"},
	{".husky/", "Git, by husky"},
	{".huskyrc", "Git, by husky"},
	{".huskyrc.json", "Git, by husky"},
	{".huskyrc.js", "Git, by husky"},
	{".githooks/", "Git, by core.hooksPath"},
	{".git-hooks/", "Git, by core.hooksPath"},
	{".lefthook/", "Git, by lefthook"},
	{".lefthook-local/", "Git, by lefthook"},
	{".pre-commit-config.yaml", "Git, by pre-commit"},
	{".pre-commit-config.yml", "Git, by pre-commit"},
	{"prek.toml", "Git, by prek"},
	{".overcommit.yml", "Git, by overcommit"},
	{"captainhook.json", "Git, by CaptainHook"},
	{"grumphp.yml", "Git, by GrumPHP"},
	{"hk.pkl", "Git, by hk"},
	{".simple-git-hooks.json", "Git, by simple-git-hooks"},
	{".simple-git-hooks.js", "Git, by simple-git-hooks"},
	{".simple-git-hooks.cjs", "Git, by simple-git-hooks"},
	{"simple-git-hooks.json", "Git, by simple-git-hooks"},
	{"simple-git-hooks.js", "Git, by simple-git-hooks"},
	{"simple-git-hooks.cjs", "Git, by simple-git-hooks"},
	{".lintstagedrc", "Git, by lint-staged"},
	{".lintstagedrc.json", "Git, by lint-staged"},
	{".lintstagedrc.yaml", "Git, by lint-staged"},
	{".lintstagedrc.yml", "Git, by lint-staged"},
	{".lintstagedrc.js", "Git, by lint-staged"},
	{".lintstagedrc.cjs", "Git, by lint-staged"},
	{".lintstagedrc.mjs", "Git, by lint-staged"},
	{"lint-staged.config.js", "Git, by lint-staged"},
	{"lint-staged.config.cjs", "Git, by lint-staged"},
	{"lint-staged.config.mjs", "Git, by lint-staged"},
	{"lint-staged.config.ts", "Git, by lint-staged"},

	// interpreters and debuggers, as they start
	{".Rprofile", "R"},
	{".Renviron", "R"},
	{".RData", "R"},
	{".irbrc", "irb"},
	{".pryrc", "pry"},
	{".rdbgrc", "rdbg"},
	{".byebugrc", "byebug"},
	{".rspec", "RSpec"},
	{".ghci", "ghci"},
	{".ocamlinit", "ocaml"},
	{".iex.exs", "iex"},
	{".octaverc", "Octave"},
	{"startup.m", "MATLAB"},
	{".pdbrc", "pdb"},
	{".pdbrc.py", "pdb++"},
	{"sitecustomize.py", "Python"},
	{"usercustomize.py", "Python"},
	{".perldb", "perl -d"},
	{".gdbinit", "gdb"},
	{".gdbearlyinit", "gdb"},
	{".lldbinit", "lldb"},
	{".radare2rc", "radare2"},
	{".psqlrc", "psql"},
	{".sqliterc", "sqlite3"},

	// package managers and build programs, beside what they are told to build
	{".npmrc", "npm"},
	{".yarnrc", "yarn"},
	{".yarnrc.yml", "yarn"},
	{".yarn/releases/", "yarn"},
	{".yarn/plugins/", "yarn"},
	{".pnp.cjs", "yarn"},
	{".pnpmfile.cjs", "pnpm"},
	{".pnpmfile.mjs", "pnpm"},
	{"bunfig.toml", "bun"},
	{".bundle/config", "bundler"},
	{".cargo/config", "cargo and rust-analyzer"},
	{".cargo/config.toml", "cargo and rust-analyzer"},
	{".bazelrc", "Bazel"},
	{".bazeliskrc", "Bazel"},
	{"tools/bazel", "Bazel"},
	{".buckconfig", "Buck"},
	{".buckconfig.local", "Buck"},
	{".pants.rc", "Pants"},
	{".mvn/", "Maven"},
	{".jvmopts", "sbt"},
	{".sbtopts", "sbt"},
	{"justfile", "just"},
	{".justfile", "just"},
	{".tmuxp.yaml", "tmuxp"},
	{".tmuxp.json", "tmuxp"},
	{".tmuxinator.yml", "tmuxinator"},

	// other agents
	{".nvim-acp.json", "nvim-acp, once you trust it"},
	{".agents/", "agents" + outsideOfIt},
	{".continue/", "Continue" + outsideOfIt},
	{".roo/", "Roo Code" + outsideOfIt},
	{".kilocode/", "Kilo Code" + outsideOfIt},
	{".windsurf/", "Windsurf" + outsideOfIt},
	{".kiro/", "Kiro" + outsideOfIt},
	{".amp/", "Amp" + outsideOfIt},
	{".factory/", "Droid" + outsideOfIt},
	{".junie/", "Junie" + outsideOfIt},
	{".trae/", "Trae" + outsideOfIt},
	{".openhands/", "OpenHands" + outsideOfIt},
	{".aider.conf.yml", "aider" + outsideOfIt},
}, append(lefthooks(), projectRuns()...)...)

// lefthooks are the names of the configuration of lefthook.
func lefthooks() (list []runner) {
	for _, name := range []string{"lefthook", ".lefthook", "lefthook-local", ".lefthook-local", ".config/lefthook", ".config/lefthook-local"} {
		for _, ext := range []string{".yml", ".yaml", ".toml", ".json", ".jsonc"} {
			list = append(list, runner{name + ext, "Git, by lefthook"})
		}
	}
	return list
}

// index has [runs] by the last part of their names, in small letters.
var index = func() map[string][]runner {
	m := map[string][]runner{}
	for _, r := range runs {
		r.name = strings.ToLower(r.name)
		last := filepath.Base(r.name)
		if strings.HasPrefix(last, "*") {
			last = filepath.Ext(last)
		}
		m[last] = append(m[last], r)
	}
	return m
}()

// commands matches the names of settings of Git whose values are commands.
var commands = regexp.MustCompile(`^(filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|` +
	`core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|(credential|credential\..*)\.helper|gpg\.(.*\.)?program|` +
	`gpg\..*\.defaultkeycommand|sequence\.editor|pager\..*|interactive\.difffilter|alias\..*|(difftool|mergetool|browser|man|guitool)\..*\.(cmd|path)|` +
	`trailer\..*\.(command|cmd)|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|sendemail\..*cmd|submodule\..*\.update|` +
	`tar\..*\.command|gc\.recentobjectshook|imap\.tunnel|sendemail\.smtpserver|lfs\.customtransfer\..*\.path|hook\..*\.command)$`)

// runBy returns which programs run a file by themselves, "" if none is known. The longest name of the list decides.
func runBy(path string) string {
	path = strings.ToLower(path)
	var found runner
	take := func(path, last string, folder bool) {
		for _, r := range index[last] {
			name := r.name
			if strings.HasPrefix(name, "*") && strings.HasSuffix(path, name[1:]) && !folder {
				found = r
				continue
			}
			if name, is := strings.CutSuffix(name, "/"); is != folder || len(name) <= len(found.name) || !strings.HasSuffix(path, "/"+name) {
				continue
			}
			found = r
		}
	}
	for i, c := range path {
		if c == '/' && i > 0 {
			take(path[:i], filepath.Base(path[:i]), true)
		}
	}
	take(path, filepath.Base(path), true)
	take(path, filepath.Base(path), false)
	if ext := filepath.Ext(path); ext != "" {
		take(path, ext, false)
	}
	return found.by
}

// runBehind returns the files that programs run by themselves which a link makes: one in place of a folder of theirs, as .vscode.
func runBehind(link string) (list []string) {
	small := strings.ToLower(link)
	for _, r := range runs {
		name := strings.ToLower(r.name)
		for i, c := range name {
			if c != '/' || !strings.HasSuffix(small, "/"+name[:i]) {
				continue
			}
			path := filepath.Join(link, r.name[i:])
			if i == len(name)-1 {
				path = link
			}
			if _, err := os.Stat(path); err == nil {
				list = append(list, path)
			}
		}
	}
	return list
}

// maxHashed bounds how much of a file is compared, apart from its size and times.
const maxHashed = 1 << 20

// version tells what is at a path from what was there: a file by its bytes, for its times can be set.
func version(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	text := info.Mode().Type().String()
	if target, err := os.Readlink(path); err == nil {
		text += " " + target
	}
	f, err := regular.Open(path)
	if err != nil {
		if real, err := filepath.EvalSymlinks(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return text + stamps(real) // all in a folder
		}
		return text + stamps(path) // of a folder: with all in it
	}
	defer f.Close()
	sum := sha256.New()
	n, _ := io.Copy(sum, io.LimitReader(f, maxHashed)) // what cannot be read counts as its beginning
	text += fmt.Sprintf(" %d %x", n, sum.Sum(nil))
	if now, err := f.Stat(); err == nil && now.Size() > maxHashed {
		text += stamp(path)
	}
	return text
}

// maxConfig is how long Git may take to list a configuration, which can include what does not end.
const maxConfig = 2 * time.Second

// setting is one line of a configuration of Git, with the file that has it.
type setting struct{ file, name, value string }

// configured returns the settings of a repository, with those of files that it includes.
func configured(ctx context.Context, dir string) []setting {
	ctx, cancel := context.WithTimeout(ctx, maxConfig)
	defer cancel()
	words := git.Words("--git-dir="+dir, "config", "--list", "--show-origin", "--includes", "-z")
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, git.Env(), time.Second
	out, _ := cmd.Output() // what Git cannot read it does not follow either
	var list []setting
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0}) // origin, name and value
	for i := 0; i+1 < len(fields); i += 2 {
		file, ok := strings.CutPrefix(string(fields[i]), "file:")
		if !ok {
			continue // of our command line
		}
		name, value, _ := strings.Cut(string(fields[i+1]), "\n")
		list = append(list, setting{from(dir, file), strings.ToLower(name), value})
	}
	return list
}

// from returns a path that is relative to a folder, or to the home folder, as an absolute one.
func from(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// tops returns the working trees of a repository.
func tops(dir string, settings []setting) []string {
	list := []string{filepath.Dir(dir)}
	for _, s := range settings {
		if s.name == "core.worktree" {
			list = append(list, from(dir, s.value))
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "worktrees", "*", "gitdir"))
	for _, file := range append(files, filepath.Join(dir, "gitdir")) {
		if text, err := regular.Read(file, 1<<16); err == nil {
			list = append(list, filepath.Dir(from(dir, strings.TrimSpace(string(text)))))
		}
	}
	return list
}

// named returns the files and folders that the configuration of a repository names for Git to read or run: included configuration, what
// commands such as filters consist of, its own hooks, and what those are. They may not exist.
func named(ctx context.Context, dir string) []string {
	settings := configured(ctx, dir)
	trees := tops(dir, settings)
	list := hooks(filepath.Join(dir, "hooks"), trees)
	for _, s := range settings {
		list = append(list, s.file)
		switch {
		case s.name == "include.path", strings.HasPrefix(s.name, "includeif.") && strings.HasSuffix(s.name, ".path"):
			list = append(list, from(filepath.Dir(s.file), s.value))
		case s.name == "core.hookspath", s.name == "core.attributesfile":
			for _, top := range trees {
				path := from(top, s.value)
				list = append(list, path)
				if s.name == "core.hookspath" {
					list = append(list, hooks(path, trees)...)
				}
			}
		case commands.MatchString(s.name):
			list = append(list, filesOf(s.value, trees)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// protect makes what a repository's configuration names read-only in a sandbox, where it is in the session's folders, and returns the
// paths of which a change is to be said: of what is not there yet, and of links on the way.
func (p *Place) protect(ctx context.Context, dir string, roots []string, access map[string]Access) (watched []string) {
	for _, path := range named(ctx, dir) {
		if buffers.Inside(roots, path) && !buffers.Inside([]string{dir}, path) {
			watched = append(watched, path)
		}
		p.keep(path, "Git", roots, access)
	}
	return watched
}

// changedRun says that a file was changed which a program outside runs by itself, or may run.
func changedRun(name, by string, known bool) string {
	runs := " runs what it says"
	if !known {
		runs = " may run what it says"
	}
	return name + " was changed: " + by + runs + ", as you and outside of the sandbox: look at it before that"
}
