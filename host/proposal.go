package host

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// proposal is an agent's text for a file that the user has changed before allowing it. It stands for the agent's in the
// same turn, if the agent then writes what it had proposed (DECISIONS 39 of the design).
type proposal struct{ agents, users string }

// editable is the diff of an ask that can be changed before it is allowed: of a file, whole, that the agent will write
// through the editor. Nil if there is none. s.mu is held.
func (s *Session) editable(a *ask) *acp.Diff {
	c := s.log.Call(a.call)
	if c == nil || !s.spec().quirk("edits_through_editor") || once(a.options, "allow") < 0 {
		return nil
	}
	diffs := c.Diffs()
	if len(diffs) == 0 {
		return nil
	}
	return diffs[fileShown(a, len(diffs))]
}

// fileShown is the index of the diff that an ask shows of n.
func fileShown(a *ask, n int) int { return ((a.file % n) + n) % n }

// propose opens the text that an ask would write, for the user to change.
func (s *Session) propose(l lookArgs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.asks, func(a *ask) bool { return a.id == l.ID })
	if i < 0 {
		return
	}
	a := s.asks[i]
	d := s.editable(a)
	if d == nil {
		return
	}
	a.offered = d.NewText
	shown := map[string]any{
		"session": s.id, "id": a.id, "version": a.version, "option": a.options[once(a.options, "allow")].OptionID,
		"path": d.Path, "name": s.short(d.Path), "text": d.NewText,
	}
	go func() { _ = s.host.ed.ExecLua(luaPropose, nil, shown) }() // ends when Neovim answers or goes away
}

// asksFor reports whether an ask that has changed is still about the text that the user was given to change. s.mu is held.
func (s *Session) asksFor(a *ask, p permitArgs) bool {
	d := s.editable(a)
	return p.Changed && d != nil && d.NewText == a.offered
}

// unsettled tells the user of a text that does not count, since the ask i has changed, or with i < 0 is over. s.mu is held.
func (s *Session) unsettled(p permitArgs, i int) {
	if !p.Changed {
		return
	}
	version := 0
	if i >= 0 {
		version = s.asks[i].version
	}
	go func() { _ = s.host.ed.ExecLua(luaSettled, nil, p.ID, version) }() // ends when Neovim answers or goes away
}

// accept notes the user's version of what an ask would write. s.mu is held.
func (s *Session) accept(a *ask, text string) {
	d := s.editable(a)
	if d == nil || text == d.NewText {
		return
	}
	if s.edits == nil {
		s.edits = map[string]proposal{}
	}
	s.edits[filepath.Clean(d.Path)] = proposal{agents: d.NewText, users: text}
	s.log.Say("allowed with your changes: "+s.short(d.Path), "AcpDone")
}

// agreed is the text that a write of the agent's is to have: the user's version of it, if there is one for just this text.
// Where the agent writes something else than the user has changed, the user decides.
func (s *Session) agreed(ctx context.Context, path, content string) (string, error) {
	path = filepath.Clean(path)
	s.mu.Lock()
	p, ok := s.edits[path]
	delete(s.edits, path)
	s.mu.Unlock()
	if !ok {
		return content, nil
	}
	if p.agents != content {
		choice, err := s.choose(ctx, ownAsk{
			kind: "write", does: "wants to write something else than what you have changed", lines: []string{transcript.OneLine(path)},
			options: []acp.PermissionOption{
				{OptionID: "users", Name: "Write my version", Kind: acp.AllowOnce},
				{OptionID: "agents", Name: "Write the agent's", Kind: "agents"},
				{OptionID: "reject", Name: "Write nothing", Kind: acp.RejectOnce},
			},
			diff: &acp.Diff{Path: path, OldText: &p.users, NewText: content},
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
	return p.users, nil
}

// tellEdited keeps for the agent how its text was changed.
func (s *Session) tellEdited(path string, p proposal) {
	diff := transcript.ViewDiff(&acp.Diff{Path: path, OldText: &p.agents, NewText: p.users}, 1)
	lines, _, _ := diff.Rows(diff.Len())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf("Note from the editor: the user changed your text of %s before allowing it. The file has "+
		"the user's version; this is how it differs from yours:\n%s", path, strings.Join(lines, "\n")))
}
