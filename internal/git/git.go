// Package git makes commands of Git that run nothing but Git: neither what the configuration of a repository names nor
// what a file in its working tree leads to. A program in a sandbox that can write a repository would else have it run
// outside.
//
// It starts no goroutine. Not all commands of Git can be made so: those that compare or write files of a working tree
// run filters. [Diff] compares without them; else a caller keeps to commands that only list, and to blobs.
package git

import (
	"os"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/programs"
)

// Words returns the command line of a command of Git that only reads. No hook and no monitor of the file system runs,
// nothing is fetched, and a folder that looks like a repository without a working tree is none.
func Words(args ...string) []string {
	return append([]string{
		programs.Word("git"), "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "safe.bareRepository=explicit",
		"--no-pager",
	}, args...)
}

// Env returns the environment for it: this process's without what would lead Git to another repository, with messages
// in English.
func Env() []string {
	env := slices.DeleteFunc(programs.Env(os.Environ()), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "LC_ALL=")
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none") // older versions know the second only
}
