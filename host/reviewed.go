package host

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/input"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// named notes the files that a tool call names, so that changes of them on the disk are known to be the session's. It runs on
// the read goroutine.
func (r *reviewer) named(s *Session, content []acp.ToolCallContent, places []acp.ToolCallLocation, raw acp.Raw) {
	paths := input.Read(raw).Paths()
	for _, l := range places {
		paths = append(paths, l.Path)
	}
	for _, c := range content {
		if d, ok := c.(*acp.Diff); ok {
			paths = append(paths, d.Path)
		}
	}
	for i, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.cwd, path)
		}
		paths[i] = filepath.Clean(path)
		for _, root := range s.roots[:1] { // names below the session's folder lead where its real path does
			if rest, ok := strings.CutPrefix(paths[i], filepath.Clean(s.cwd)+"/"); ok {
				paths = append(paths, filepath.Join(root, rest))
			}
		}
	}
	if len(paths) > 0 {
		r.host.history.Named(featured{s}, paths)
		r.desk.Named(s.id, paths...)
		r.look(pathsArgs{Paths: paths})
	}
}

// edited takes in what a call that is over has changed on the disk. Its diffs may be of parts of files, so the file is compared
// with itself without them. Loaded files are left to the merge of the disk, and those known already to the comparison with what
// they had. It does not wait.
func (r *reviewer) edited(s *Session, call string) {
	c := ask(s, func(st *session.State) *transcript.Call { return st.EditCall(call) })
	if c == nil {
		return
	}
	byPath := map[string][]*acp.Diff{}
	for _, d := range c.Diffs() {
		byPath[d.Path] = append(byPath[d.Path], d)
	}
	for path, diffs := range byPath {
		s.spawn(func() { // ends when Neovim answers or goes away
			real, err := buffers.Real(path)
			if err != nil || r.desk.Known(real) || !buffers.Inside(s.roots, real) {
				return
			}
			if f, err := buffers.ReadReal(real, nil, nil, maxCommitted); err == nil {
				if before, ok := without(f.Text, diffs); ok {
					_ = r.found(s, real, before, review.Parse(f.Text)) // Neovim goes
				}
			}
		})
	}
}

// without returns a text before changes were made, and reports whether they tell that: each new text must be in it once.
func without(text string, diffs []*acp.Diff) (review.Content, bool) {
	for _, d := range slices.Backward(diffs) {
		switch {
		case d.NewText == text && (d.OldText == nil || *d.OldText == "") && len(diffs) == 1 && text != "":
			return review.Content{Missing: true}, true // some agents send "" for a file that they create
		case d.NewText == text && d.OldText != nil:
			text = *d.OldText
		case d.OldText == nil || d.NewText == "" || strings.Count(text, d.NewText) != 1:
			return review.Content{}, false
		default:
			text = strings.Replace(text, d.NewText, *d.OldText, 1)
		}
	}
	return review.Parse(text), true
}

// found takes in a change of a session's turn that checkpoints have found: what a file had before the turn and after it. What
// agents do to loaded files is merged into them, and known from that. It waits for Neovim.
func (r *reviewer) found(s *Session, path string, before, after review.Content) error {
	if r.host.settings().Review == "off" {
		return nil
	}
	defer r.poke(path)
	return r.see(path, func(loaded bool) {
		if loaded {
			return
		}
		r.drop(path, true)
		if known, ok := r.desk.Content(path); ok {
			before = known
		}
		r.desk.Changed([]string{s.id}, path, before, after)
	})
}

// renamed takes in that a session's turn has moved a file, which checkpoints have found. It waits for Neovim.
func (r *reviewer) renamed(s *Session, from, to string, before, after review.Content) error {
	if r.host.settings().Review == "off" {
		return nil
	}
	defer r.poke(from, to)
	return r.see(to, func(bool) {
		r.desk.Renamed(s.id, from, to, before, after)
	})
}

// note takes what the agent of a session is to be told of reverts: text for the agent, and for the transcript. It returns no text
// if there is nothing to tell.
func (r *reviewer) note(s *Session) (text, shown string) {
	return s.reviewNote(r.desk.Notes(s.id))
}

// untold returns what the agent of a session, open or not, is still to be told of reverts. It waits for the disk.
func (r *reviewer) untold(session string) []review.Note {
	notes, open := r.desk.Untold(session)
	if dir := r.host.reviewDir(session); !open && dir != "" {
		if saved, err := review.Read(dir); err == nil { // else the session itself says so once it is opened
			if c, err := review.Restore(saved); err == nil {
				notes = c.Untold()
			}
		}
	}
	return notes
}

// reviewNote returns notes on reverts as text for the agent, and for the transcript; none without notes.
func (s *Session) reviewNote(notes []review.Note) (text, shown string) {
	if len(notes) == 0 {
		return "", ""
	}
	var agent, user strings.Builder
	agent.WriteString("<review>\nNote from the editor: the user has reviewed your changes. Each diff is a change that you had made. Do not " +
		"make those again that the user has reverted, unless they ask for them, and read the files before you edit them again.\n")
	user.WriteString("your review, sent to the agent:")
	for _, n := range notes {
		what, short := "Reverted", "reverted"
		if n.Undone {
			what, short = "No longer reverted", "no longer reverted"
		}
		fmt.Fprintf(&agent, "\n%s: %s\n", what, s.there(n.Path))
		fmt.Fprintf(&user, "\n%s %s", short, s.short(n.Path))
		switch {
		case n.Gone:
			agent.WriteString("The file is not there any more.\n")
		case n.Now != n.Path:
			fmt.Fprintf(&agent, "The file is %s now.\n", s.there(n.Now))
			fmt.Fprintf(&user, ", now %s", s.short(n.Now))
		}
		if n.Reason != "" {
			fmt.Fprintf(&agent, "The user's reason: %s\n", n.Reason)
			fmt.Fprintf(&user, ": %s", n.Reason)
		}
		if n.Diff != "" {
			fmt.Fprintf(&agent, "```diff\n%s```\n", n.Diff)
			user.WriteString("\n" + strings.TrimSuffix(n.Diff, "\n"))
		}
	}
	agent.WriteString("</review>")
	return agent.String(), user.String()
}

// tell tells the agents whose turns run, and that take it, what was reverted. Others hear of it with the next prompt.
func (r *reviewer) tell() {
	for _, s := range r.host.all() {
		t := ask(s, (*session.State).Steerable)
		if t == nil {
			continue
		}
		text, shown := r.note(s)
		if text == "" {
			continue
		}
		a := t.Connection
		s.wire.Lock()
		a.Proc.StartSteer(&acp.SteerRequest{SessionID: t.Remote, Prompt: []acp.ContentBlock{acp.Text(text)}},
			onAnswer(s, func(got *acp.SteerResponse, err error) {
				if err != nil || got.Outcome == acp.SteerPromptRequired {
					s.do(func(st *session.State) { st.Tell(text) })
					return
				}
				s.do(func(st *session.State) { st.Notes([]string{shown}) })
			}))
		s.wire.Unlock()
	}
}
