package host

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// propose opens the text that a request would write, for the user to change.
func (s *Session) propose(l lookArgs) {
	var d *acp.Diff
	var version int
	var option string
	s.do(func(st *session.State) { d, version, option = st.Offer(l.ID) })
	if d == nil {
		return
	}
	shown := map[string]any{
		"session": s.id, "id": l.ID, "version": version, "option": option,
		"path": d.Path, "name": s.short(d.Path), "text": d.NewText,
	}
	s.spawn(func() { _ = s.host.ed.ExecLua(luaPropose, nil, shown) }) // ends when Neovim answers or goes away
}

// short is a path as it is shown: relative where it is below the session's folder.
func (s *Session) short(path string) string {
	return plain.OneLine(paths.Short(path, s.cwd))
}

// AgreedText returns the text that a write of the agent's is to have: the user's version of it, if there is one for just this
// text. Where the agent writes something else than the user has changed, the user decides.
func (s *Session) AgreedText(ctx context.Context, path, content string) (string, error) {
	path = filepath.Clean(path)
	var p permission.Proposal
	ok := false
	s.do(func(st *session.State) { p, ok = st.Edited(path) })
	if !ok {
		return content, nil
	}
	if p.Agents != content {
		choice, err := s.choose(ctx, permission.New{
			Kind: "write", Title: "wants to write something else than what you have changed", Lines: []string{plain.OneLine(path)},
			Options: []acp.PermissionOption{
				{OptionID: "users", Name: "Write my version", Kind: acp.AllowOnce},
				{OptionID: "agents", Name: "Write the agent's", Kind: "agents"},
				{OptionID: "reject", Name: "Write nothing", Kind: acp.RejectOnce},
			},
			Diff: &acp.Diff{Path: path, OldText: &p.Users, NewText: content},
		})
		switch {
		case err != nil:
			return "", err
		case choice == "agents":
			return content, nil
		case choice != "users":
			return "", acp.Errorf(acp.CodeInvalidParams, "%s: the user does not allow it", path)
		}
	}
	s.tellEdited(path, p)
	return p.Users, nil
}

// tellEdited keeps for the agent how its text was changed.
func (s *Session) tellEdited(path string, p permission.Proposal) {
	diff := transcript.ViewDiff(&acp.Diff{Path: path, OldText: &p.Agents, NewText: p.Users}, 1)
	lines, _, _ := diff.Rows(diff.Len(), math.MaxInt)
	note := fmt.Sprintf("Note from the editor: the user changed your text of %s before allowing it. The file has "+
		"the user's version; this is how it differs from yours:\n%s", s.there(path), strings.Join(lines, "\n"))
	s.do(func(st *session.State) { st.Tell(note) })
}
