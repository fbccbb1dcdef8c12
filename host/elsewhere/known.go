package elsewhere

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// runs returns the files that programs outside of a sandbox run by themselves, or take orders from, wherever in a project they are. A name
// that ends in "/" is a folder with all in it, one that begins with "*" any file whose name ends so. The case of letters does not count:
// many file systems take either for the other. An agent may have to write them, so a change is said.
var runs = sync.OnceValue(func() []runner { return slices.Concat(listed, lefthooks(), projectRuns()) })

// listed are those of [runs] that are named one by one.
var listed = []runner{
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
	{"tags", "Neovim, as it goes to a tag"}, // a tag of a file `term://command` runs that
	{"TAGS", "Neovim, as it goes to a tag"},
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
	{"hie.yaml", "haskell-language-server"},
	{".bsp/", "Metals and other clients of build servers"},
	{"buildServer.json", "SourceKit-LSP"},
	{".lsp/config.edn", "clojure-lsp"},
	{".merlin", "Merlin"},
	{".ycm_extra_conf.py", "YouCompleteMe"},
	{".rubocop.yml", "RuboCop and Ruby LSP"},
	{".pylintrc", "Pylint"},
	{"pylintrc", "Pylint"},
	{"*.sublime-project", "Sublime Text"},
	{"Session.vim", "Vim, as a session"},
	{".obsidian/plugins/", "Obsidian"},
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
	{".proverc", "prove"},
	{"latexmkrc", "latexmk"},
	{".latexmkrc", "latexmk"},
	{".rbenv-vars", "rbenv"},
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
	{".pnp.loader.mjs", "yarn"},
	{"pnpm-workspace.yaml", "pnpm"},
	{".pnpmfile.cjs", "pnpm"},
	{".pnpmfile.mjs", "pnpm"},
	{"bunfig.toml", "bun"},
	{".bundle/config", "bundler"},
	{".cargo/config", "cargo and rust-analyzer"},
	{".cargo/config.toml", "cargo and rust-analyzer"},
	{".bazelrc", "Bazel"},
	{".bazeliskrc", "Bazel"},
	{".bazelversion", "Bazelisk"},
	{"tools/bazel", "Bazel"},
	{".buckconfig", "Buck"},
	{".buckconfig.local", "Buck"},
	{".pants.rc", "Pants"},
	{".mvn/", "Maven"},
	{"gradle/wrapper/", "Gradle"},
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
	{"crush.json", "Crush" + outsideOfIt},
	{".crush.json", "Crush" + outsideOfIt},
	{".codebuddy/", "CodeBuddy" + outsideOfIt},
	{".iflow/", "iFlow" + outsideOfIt},
	{".aider.conf.yml", "aider" + outsideOfIt},
}

// lefthooks are the names of the configuration of lefthook.
func lefthooks() (list []runner) {
	names := []string{"lefthook", ".lefthook", "lefthook-local", ".lefthook-local", ".config/lefthook", ".config/lefthook-local"}
	for _, name := range names {
		for _, ext := range []string{".yml", ".yaml", ".toml", ".json", ".jsonc"} {
			list = append(list, runner{name + ext, "Git, by lefthook"})
		}
	}
	return list
}

// index returns [runs] by the last part of their names, in small letters.
var index = sync.OnceValue(func() map[string][]runner {
	m := map[string][]runner{}
	for _, r := range runs() {
		r.name = strings.ToLower(r.name)
		last := filepath.Base(r.name)
		if strings.HasPrefix(last, "*") {
			last = filepath.Ext(last)
		}
		m[last] = append(m[last], r)
	}
	return m
})

// runBy returns which programs run a file by themselves, "" if none is known. The longest name of the list decides.
func runBy(path string) string {
	path = strings.ToLower(path)
	var found runner
	take := func(path, last string, folder bool) {
		for _, r := range index()[last] {
			name := r.name
			if strings.HasPrefix(name, "*") && strings.HasSuffix(path, name[1:]) && !folder {
				found = r
				continue
			}
			name, is := strings.CutSuffix(name, "/")
			if is == folder && len(name) > len(found.name) && strings.HasSuffix(path, "/"+name) {
				found = r
			}
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
	for _, r := range runs() {
		name := strings.ToLower(r.name)
		for i, c := range name {
			if c != '/' || !strings.HasSuffix(small, "/"+name[:i]) {
				continue
			}
			path := filepath.Join(link, r.name[i:])
			if _, err := os.Stat(path); err == nil {
				list = append(list, path)
			}
		}
	}

	return list
}

// isGit reports whether a name is that of a repository in its working tree, or of the file that leads to one; also for file systems that
// take either case, or leave out signs that nobody sees.
func isGit(name string) bool {
	if len(name) < len(".git") {
		return false
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	return strings.EqualFold(strings.TrimRight(name, ". "), ".git") || strings.EqualFold(name, "git~1")
}
