package prompt

import (
	"context"
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/command"
	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/internal/git"
)

// gitDiff returns what has changed in a work tree since the last commit. A repository that the session's agent cannot read
// is none: the agent could have made the folder lead to it.
func gitDiff(ctx context.Context, s feature.Session) (string, error) {
	text, err := compare(ctx, s)
	switch {
	case err != nil:
		return "", fmt.Errorf("git diff: %w; nothing was sent", err)
	case text == "":
		return "no changes since the last commit\n", nil
	}
	return text, nil
}

// compare runs the comparison, where an agent in a sandbox would run it. It waits for Git and the disk.
func compare(ctx context.Context, s feature.Session) (string, error) {
	view, err := git.Look(ctx, s.Cwd())
	if err != nil {
		return "", err
	}

	defer view.Close()

	words, env := view.Diff()
	if a := feature.Agent(s); a != nil {
		if err := reachesView(ctx, a.Place(), view); err != nil {
			return "", err
		}
		if a.Place().Sandbox() { // which could lead it elsewhere in this moment
			if words, env, err = inSandbox(ctx, a.Place(), view, s.Cwd()); err != nil {
				return "", err
			}
		}
	}

	out, _, err := command.Output(ctx, s.Cwd(), env, 4*maxEmbedded, words...)
	return string(out), err
}

// inSandbox returns the command of a comparison that sees only what the agents in a sandbox see, and the view, which those
// do not see; and its environment.
func inSandbox(ctx context.Context, p *elsewhere.Place, view *git.View, dir string) (words, env []string, err error) {
	words, all := view.Diff()
	given := map[string]string{}
	for _, entry := range all {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "GIT_") || name == "LC_ALL" {
			given[name] = value
		}
	}
	started, err := p.Wrap(ctx, elsewhere.Command{Argv: words, Dir: dir, Env: given, Sees: []string{view.Path()}})
	return started.Argv, started.Env, err
}

// reachesView returns an error unless an agent's place has all that a comparison reads. It waits for Git and the disk.
func reachesView(ctx context.Context, p *elsewhere.Place, view *git.View) error {
	if p == nil {
		return nil
	}

	folders, err := view.Folders(ctx)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := p.ReachesAll(folder); err != nil {
			return err
		}
	}

	return nil
}
