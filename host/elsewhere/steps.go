package elsewhere

import (
	"os"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// underWay are the files in a repository, or one of its working trees, of what Git has begun and goes on with later: which programs it runs
// then is in them. An agent that is to solve a conflict goes on itself, so they are not read-only: what is added is said.
var underWay = []struct {
	name, by string
	runs     func(line string) bool // reports whether Git runs something for a line
}{
	{"rebase-merge/git-rebase-todo", byRebase, isExec},
	{"rebase-merge/strategy", byRebase, func(line string) bool { return !ownStrategy().MatchString(line) }},
	{"rebase-apply/git-rebase-todo", byRebase, isExec},
	{"sequencer/todo", byPick, isExec},
	{"sequencer/opts", byPick, func(line string) bool {
		return strings.Contains(strings.ToLower(line), "strategy") && !strategyLine().MatchString(line)
	}},
}

const (
	byRebase = "Git, by `git rebase --continue`,"
	byPick   = "Git, by `git cherry-pick --continue`,"
)

// strategies are those that Git has itself: another one is a program, which can be a file in the working tree.
const strategies = `(ort|recursive|resolve|octopus|ours|subtree)`

// ownStrategy matches the name of one of them, strategyLine a setting that names one, or its options.
var (
	ownStrategy  = lazy.Regexp(`^` + strategies + `$`)
	strategyLine = lazy.Regexp(`^\s*(strategy\s*=\s*` + strategies + `|strategy-option\s*=[^\\]*)\s*$`)
)

func isExec(line string) bool {
	word, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return word == "exec" || word == "x"
}

// stepsOf returns the lines of such a file for which Git runs something, "" if there are none.
func stepsOf(path string) string {
	text, err := regular.Read(path, 64<<20)
	if err != nil {
		info, err := os.Lstat(path)
		if err != nil {
			return ""
		}
		return info.Mode().String() // what cannot be read counts as what it is
	}

	var list []string
	for _, u := range underWay {
		if !strings.HasSuffix(path, "/"+u.name) {
			continue
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if line = strings.TrimSpace(line); line != "" && u.runs(line) {
				list = append(list, line)
			}
		}
	}

	return strings.Join(list, "\n")
}
