package elsewhere

import (
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// todos are the lists of what Git has still to do, in a repository or one of its working trees: `git rebase --continue` runs the commands in
// them. An agent that is to solve a conflict goes on with them itself, so they are not read-only: what is added is said.
var todos = []string{"rebase-merge/git-rebase-todo", "rebase-apply/git-rebase-todo", "sequencer/todo"}

// todoBy is what runs them.
const todoBy = "Git, by `git rebase --continue`,"

// todo returns the lines of such a list that run a command, "" if there are none.
func todo(path string) string {
	text, err := regular.Read(path, 64<<20)
	if err != nil {
		return version(path) // what cannot be read counts as it is; it is "" if there is none
	}
	var list []string
	for line := range strings.SplitSeq(string(text), "\n") {
		word, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "\t", " "), " ")
		if word == "exec" || word == "x" {
			list = append(list, "exec "+strings.TrimSpace(rest))
		}
	}
	return strings.Join(list, "\n")
}

// watchTodos has what is added to the lists of a repository said.
func (p *Place) watchTodos(git string) {
	for _, name := range todos {
		path := git + "/" + name
		p.repositories.watchAdded(path)
		p.repositories.watch(todoBy, path)
	}
	p.repositories.watch("lazygit", git+"/lazygit.yml")
}
