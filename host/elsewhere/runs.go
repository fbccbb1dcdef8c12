package elsewhere

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/git"
	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// commands matches the names of settings of Git whose values are commands.
var commands = lazy.Regexp(`^(filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|` +
	`core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|` +
	`(credential|credential\..*)\.helper|gpg\.(.*\.)?program|` +
	`gpg\..*\.defaultkeycommand|sequence\.editor|pager\..*|interactive\.difffilter|alias\..*|` +
	`(difftool|mergetool|browser|man|guitool)\..*\.(cmd|path)|` +
	`trailer\..*\.(command|cmd)|remote\..*\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|` +
	`sendemail\..*cmd|submodule\..*\.update|` +
	`tar\..*\.command|gc\.recentobjectshook|imap\.tunnel|sendemail\.smtpserver|lfs\.customtransfer\..*\.path|hook\..*\.command|` +
	`lfs\.extension\..*\.(clean|smudge)|instaweb\.(httpd|modulepath)|annex\..*(command|hook)|remote\..*\.annex-.*command)$`)

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

// pathIn returns the path that is in a file of a repository, after a prefix if it has one, as an absolute one.
func pathIn(file, prefix string) (path string, ok bool) {
	text, err := regular.Read(file, 1<<16)
	if err != nil {
		return "", false
	}
	return from(filepath.Dir(file), strings.TrimPrefix(strings.TrimSpace(string(text)), prefix)), true
}

// gitDir is the prefix in a file .git.
const gitDir = "gitdir: "

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
// commands such as filters consist of, its own hooks, and what those are. They may not exist. They
// are not whole if not all that hooks or commands name was looked at.
func named(ctx context.Context, dir string) (list []string, whole bool) {
	settings := configured(ctx, dir)
	trees := tops(dir, settings)
	list, whole = hooks(filepath.Join(dir, "hooks"), trees)
	add := func(more []string, all bool) { list, whole = append(list, more...), whole && all }
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
					add(hooks(path, trees))
				}
			}
		case s.name == "init.templatedir": // its hooks become those of a repository that is made
			for _, top := range trees {
				path := from(top, s.value)
				list = append(list, path)
				add(hooks(filepath.Join(path, "hooks"), trees))
			}
		case commands().MatchString(s.name):
			add(filesOf(s.value, trees))
		}
	}

	slices.Sort(list)
	return slices.Compact(list), whole
}

// protect makes what a repository's configuration names read-only in a sandbox, where it is in the session's folders, and returns the
// paths of which a change is to be said: of what is not there yet, and of links on the way.
func (p *Place) protect(ctx context.Context, dir string, roots []string, access map[string]Access) (watched []string) {
	list, whole := named(ctx, dir)
	if !whole {
		p.limits = append(p.limits, fmt.Sprintf("the hooks and commands of the Git repository %s are more than is read: not all "+
			"that they run is protected from the agent", plain.OneLine(dir)))
	}
	for _, path := range list {
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

// manyFiles says that a folder that a program outside runs has more files than are compared.
func manyFiles(name, by string) string {
	return fmt.Sprintf("%s has more than %d files: whether one of them was changed is not known; %s may run what they say, "+
		"as you and outside of the sandbox: look at it before that", name, maxGuarded, by)
}
