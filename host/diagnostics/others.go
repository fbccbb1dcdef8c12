package diagnostics

import (
	"context"
	"errors"
	"slices"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// inOthers returns the errors that a turn has brought into files that it has not changed, as far as language servers know these, and
// whether they may say more. Those count that name something that the agent's changes have removed or changed; and all in files whose
// errors before are known, if nobody else has typed or was at work meanwhile. It waits for Neovim, and
// for the servers, checkOthers at most.
func (c *Checks) inOthers(
	ctx context.Context, s feature.Session, t *session.Turn, f changedFiles, changes map[string]checkpoint.Change,
) (list []problems.Item, more bool) {
	var now problems.Known
	if err := c.hooks.Know(ctx, s, "errors", map[string]any{"wait": checkOthers.Milliseconds()}, &now); err != nil {
		return nil, errors.Is(err, feature.ErrNobody) // else Neovim goes, or the next turn has begun
	}

	var fresh []problems.Item
	var seen map[string]bool
	var shared bool
	s.Do(func(st *session.State) { fresh, seen, shared = st.Checks().Elsewhere(t, now, f.all) })
	fresh = slices.DeleteFunc(fresh, func(i problems.Item) bool {
		return !buffers.Inside(s.Roots(), i.Path) || c.policy.Secret(s, i.Path)
	})
	if len(fresh) == 0 || len(seen) == 0 { // nothing is known of before, as while a server reads the project
		return nil, now.Late != ""
	}
	shared = shared || history.Beside(c.history, c.edits.of(s))

	var followed []*problems.Changed
	for _, path := range f.looked {
		if changed := c.follow(ctx, s, path, changes); changed != nil {
			followed = append(followed, changed)
			shared = shared || changed.Shared()
		}
	}

	for _, i := range fresh {
		names := func(changed *problems.Changed) bool { return changed.Names(i) }
		if !shared && seen[i.Path] || slices.ContainsFunc(followed, names) {
			i.Elsewhere = true
			list = append(list, i)
		}
	}

	return list, now.Late != ""
}
