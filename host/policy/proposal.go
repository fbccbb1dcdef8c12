package policy

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// propose opens the text that a request would write, for the user to change.
func (p *Policy) propose(s feature.Session, a proposeArgs) {
	var d *acp.Diff
	var option string
	s.Do(func(st *session.State) { d, option = st.Requests().Offer(a.ID, a.Version) })
	if d == nil {
		return
	}
	shown := map[string]any{
		"session": s.LocalID(), "id": a.ID, "version": a.Version, "option": option,
		"path": d.Path, "name": s.Short(d.Path), "text": d.NewText,
	}
	s.Spawn(func() { _ = p.host.ExecLua(luaPropose, nil, shown) }) // ends when Neovim answers or goes away
}

// Agreed returns the text that a write of the agent's is to have: the user's version of it, if there is one for just this
// text. Where the agent writes something else than the user has changed, the user decides. Settle is called once that is written, of which
// the agent is to know, or could not be: then the user's version is for the next write.
func (p *Policy) Agreed(
	ctx context.Context, s feature.Session, path, content string,
) (agreed string, settle func(written bool), err error) {
	path = filepath.Clean(path)
	var users permission.Proposal
	var turn *session.Turn
	ok := false
	s.Do(func(st *session.State) {
		turn = st.Turn()
		users, ok = st.Writes().Edited(path)
	})
	nothing := func(bool) {}
	if !ok {
		return content, nothing, nil
	}

	if users.Agents != content {
		choice, err := feature.Choose(ctx, s, permission.New{
			Kind: "write", Title: "wants to write something else than what you have changed", Lines: []string{plain.OneLine(path)},
			Options: []acp.PermissionOption{
				{OptionID: "users", Name: "Write my version", Kind: acp.AllowOnce},
				{OptionID: "agents", Name: "Write the agent's", Kind: "agents"},
				{OptionID: "reject", Name: "Write nothing", Kind: acp.RejectOnce},
			},
			Diff: &acp.Diff{Path: path, OldText: &users.Users, NewText: content},
		})
		switch {
		case err != nil:
			return "", nothing, err
		case choice == "agents":
			return content, nothing, nil
		case choice != "users":
			return "", nothing, acp.Errorf(acp.CodeInvalidParams, "%s: the user does not allow it", path)
		}
	}

	return users.Users, func(written bool) {
		if written {
			p.tellEdited(s, path, users)
			return
		}
		s.Do(func(st *session.State) { st.Writes().Unwritten(users, turn) })
	}, nil
}

// tellEdited keeps for the agent how its text was changed.
func (p *Policy) tellEdited(s feature.Session, path string, users permission.Proposal) {
	diff := transcript.ViewDiff(&acp.Diff{Path: path, OldText: &users.Agents, NewText: users.Users}, 1)
	lines, _, _ := diff.Rows(diff.Len(), math.MaxInt)
	note := fmt.Sprintf("Note from the editor: the user changed your text of %s before allowing it. The file has "+
		"the user's version; this is how it differs from yours:\n%s", s.There(path), strings.Join(lines, "\n"))
	s.Do(func(st *session.State) { st.Briefing().Tell(note) })
}
