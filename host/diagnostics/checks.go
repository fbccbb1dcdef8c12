package diagnostics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/problems"
	"github.com/nvim-acp/nvim-acp/host/session"
)

const (
	checkDelay  = time.Second      // after a turn, until what it has written is merged
	checkWait   = 10 * time.Second // for the servers to settle, until the user is told which have not; and how often they are asked then
	checkPause  = time.Second / 2  // the least between the first passes over the files, twice that after each, checkWait in the end
	checkTime   = 5 * time.Minute  // for all of it
	checkLeast  = time.Second / 2  // for each file
	checkOthers = 4 * time.Second  // for all other files: longer than the silence after which servers have settled
	maxChecked  = 20               // files
	maxLooks    = 6                // at other files, while a server is at work on some
	maxShell    = 2000             // files that the agent's commands have changed, of which servers are looked for

	resendWait  = 2 * time.Second // for the errors that are to be sent
	maxNoteWait = 2 * time.Second // for the errors of before
)

// Begin returns the question which errors there are when a turn begins, and a function that must be called when it was asked or could
// not be. That waits for the answer, but not for long: without one they are not known in any file. With anew, since buffers may have
// changed meanwhile, it asks again.
func (c *Checks) Begin(s feature.Session, t *session.Turn) (q files.Question, note func(asked, anew bool)) {
	if c.host.Settings().Checking() == "" {
		return files.Question{}, func(bool, bool) {}
	}

	q, answer := c.hooks.Pose(s, "errors")
	return q, func(asked, anew bool) {
		ctx, stop := context.WithTimeout(t.Making, maxNoteWait)
		defer stop()
		var now problems.Known
		err := answer(ctx, asked, &now)
		if anew {
			err = c.hooks.Know(ctx, s, "errors", map[string]any{}, &now)
		}
		if err != nil {
			now = problems.Known{} // what the turn changes decides
		}
		if feature.Ask(s, func(st *session.State) bool { return st.Checks().Before(t, now) }) {
			c.edits.begin(s, c.history.RunningOf(s))
		}
	}
}

// Ended looks for errors, if the turn has ended by itself. It does not wait.
func (c *Checks) Ended(s feature.Session, t *session.Turn, reason acp.StopReason) {
	s.Spawn(func() { // ends when the language servers have answered or have taken too long
		c.check(s, t, reason)
		s.Do(func(st *session.State) { st.Checks().Looked(t) })
	})
}

// check looks for errors that a turn has brought, into the files that its agent has changed and then into others, and offers or sends
// them to it. It waits for language servers, as long as no other turn begins: those that take long are named, and looked at again.
func (c *Checks) check(s feature.Session, t *session.Turn, reason acp.StopReason) {
	how := c.host.Settings().Checking()
	if how == "" || reason != acp.StopEndTurn {
		return
	}

	select {
	case <-time.After(checkDelay):
	case <-c.host.Done():
		return
	}

	ctx, stop := context.WithTimeout(context.Background(), checkTime)
	defer stop()
	stopped := context.AfterFunc(c.history.Context(), stop)
	defer stopped()

	changes := c.history.ChangedSince(ctx, s, c.edits.of(s),
		func(now checkpoint.Checkpoint) checkpoint.Checkpoint { return c.edits.swap(s, now) })
	files := c.changedFiles(ctx, s, t, changes)
	open, others := files.looked, len(files.all) > 0 || deletes(s, changes)
	if files.more > 0 {
		text := fmt.Sprintf("errors are looked for in %d of %d changed files", len(open), len(open)+files.more)
		s.Do(func(st *session.State) { st.Checks().Note(t, text) })
	}

	var all []problems.Item
	blind, looks := false, 0 // some files were not looked at; how often others were
	for again, pause := false, checkPause; ; again, pause = true, min(2*pause, checkWait) {
		next := time.After(pause) // a server may refuse to answer at once
		p := c.errorsIn(ctx, s, open)
		open = p.open
		for _, note := range p.notes {
			s.Do(func(st *session.State) { st.Checks().Note(t, note) })
		}

		blind = blind || p.blind
		found := c.brought(ctx, s, t, p.found, changes)
		if others && len(open) == 0 {
			var list []problems.Item
			list, others = c.inOthers(ctx, s, t, files, changes)
			found = append(found, list...)
			looks++
			others = others && looks < maxLooks
		}

		settled := len(open) == 0 && !others
		fresh := feature.Ask(s, func(st *session.State) []problems.Item { return st.Checks().New(t, found, len(open) == 0) })
		fresh = c.policy.WithoutSecrets(ctx, s, fresh)
		all = append(all, fresh...)
		if settled || p.late != "" { // else a server is at work on other files only
			s.Do(func(st *session.State) { st.Checks().Late(t, p.late, len(all) == 0 && again && !blind) })
		}
		if len(fresh) > 0 { // the next turn may begin as soon as it is said
			c.tell(s, t, how, fresh, all)
		}

		over := settled || ctx.Err() != nil || c.host.Session(s.LocalID()) != s
		if over || !feature.Ask(s, func(st *session.State) bool { return st.Checks().Checkable(t) }) {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
		}
	}
}

// Stopped notes that the user has stopped a session: errors are not sent by themselves before their next prompt.
func (c *Checks) Stopped(s feature.Session) {
	if c.host.Settings().Checking() == "send" {
		s.Do(func(st *session.State) { st.Checks().Stop() })
	}
}

// tell offers new errors, or sends them; all are those of the turn so far.
func (c *Checks) tell(s feature.Session, t *session.Turn, how string, fresh, all []problems.Item) {
	if how == "send" && feature.Ask(s, func(st *session.State) bool { return st.Queue().Len() == 0 && st.Checks().MayFix(t) }) {
		s.Prompt(session.Prompt{Text: problems.Prompt(fresh, s.Short), Fix: true})
		return
	}
	s.Do(func(st *session.State) {
		text := problems.Offer(fresh, c.host.Settings().Keys.SendErrors, s.Short)
		st.Checks().Offer(t, text, fresh, all)
	})
}

// pass is what is found by looking at files once.
type pass struct {
	found []problems.Item
	open  []string // files whose language servers may say more, or that no Neovim was there to ask about, …
	late  string   // … and which those are
	blind bool     // language servers have not looked at some files, and will not
	notes []string // what the user is told of such files
	dark  []string // files of which nothing is known: they are closed, or their language servers have left them
}

// errorsIn returns the errors in files, of their text as it is. It waits for the servers, checkWait at most for each pass over the
// files.
func (c *Checks) errorsIn(ctx context.Context, s feature.Session, paths []string) (p pass) {
	till := time.Now().Add(checkWait)
	ended := map[string][]string{}
	for _, path := range paths {
		var answer struct {
			Items   []problems.Item `json:"items"`
			Count   int             `json:"count"`
			Settled bool            `json:"settled"`
			Ended   string          `json:"ended"` // which servers have left the file since the turn began, and how
			Fresh   bool            `json:"fresh"` // the errors are of the text as it is, though there may be more
			Late    string          `json:"late"`
		}
		wait := max(time.Until(till), checkLeast)
		args := map[string]any{"path": path, "wait": wait.Milliseconds(), "gentle": true}
		err := c.hooks.Know(ctx, s, "diagnostics", args, &answer)
		if errors.Is(err, feature.ErrNobody) {
			p.open = append(p.open, path)
			continue
		} else if err != nil { // it is gone, or nothing knows it
			p.dark = append(p.dark, path)
			continue
		}
		if !answer.Settled && answer.Late != "" {
			p.open = append(p.open, path)
			p.late = cmp.Or(p.late, answer.Late)
			if !answer.Fresh {
				continue
			}
		} else if answer.Ended != "" {
			p.dark = append(p.dark, path)
			ended[answer.Ended] = append(ended[answer.Ended], path)
		}
		if n := len(answer.Items); n < answer.Count {
			p.blind = true
			p.notes = append(p.notes, fmt.Sprintf("only the first %d of %d errors in %s are looked at", n, answer.Count, s.Short(path)))
		}
		p.found = append(p.found, answer.Items...)
	}

	for _, how := range slices.Sorted(maps.Keys(ended)) {
		paths := ended[how]
		what := s.Short(paths[0])
		if len(paths) > 1 {
			what = fmt.Sprintf("%d changed files, %s among them", len(paths), what)
		}
		p.blind = true
		p.notes = append(p.notes, how+" and has not looked at "+what)
	}

	return p
}

// deletes reports whether a file below a session's folders is gone.
func deletes(s feature.Session, changes map[string]checkpoint.Change) bool {
	for path, c := range changes {
		if c.New == (checkpoint.Version{}) && buffers.Inside(s.Roots(), path) {
			return true
		}
	}
	return false
}

// changedFiles are the files that an agent may read and has changed, by their real paths.
type changedFiles struct {
	all    []string
	looked []string // those that are looked at: changed through the editor, by its calls, or by its commands if servers look at them
	more   int      // so many are not, beyond the limit
}

// changedFiles returns the files that the agent has changed in its last turn, none once another turn has begun. It waits for Neovim.
func (c *Checks) changedFiles(
	ctx context.Context, s feature.Session, t *session.Turn, changes map[string]checkpoint.Change,
) changedFiles {
	var list, named []string
	over := false
	s.Do(func(st *session.State) {
		list, named = st.Checks().ChangedFiles(t)
		over = !st.Checks().Checkable(t)
	})
	if over {
		return changedFiles{}
	}

	allowed := func(paths []string) []string {
		slices.Sort(paths)
		return slices.DeleteFunc(slices.Compact(paths), func(real string) bool {
			return !buffers.Inside(s.Roots(), real) || c.policy.Secret(s, real)
		})
	}

	list = allowed(append(list, realPaths(s, named)...))
	shell := allowed(c.history.ByShell(s, c.edits.of(s), changes))
	shell = slices.DeleteFunc(shell, func(real string) bool { return slices.Contains(list, real) })
	all := slices.Concat(list, shell)
	if len(shell) > 0 {
		var served []string
		if c.hooks.Know(ctx, s, "served", map[string]any{"paths": shell[:min(len(shell), maxShell)]}, &served) == nil {
			list = append(list, served...)
		}
	}

	n := min(len(list), maxChecked)
	return changedFiles{all: all, looked: list[:n], more: len(list) - n}
}

// realPaths returns the real paths of files that the agent names.
func realPaths(s feature.Session, names []string) []string {
	var list []string
	for _, path := range names {
		if real, err := buffers.Real(paths.Absolute(path, s.Cwd())); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// send sends the errors that were offered and are still there, as the user's prompt.
func (c *Checks) send(s feature.Session, _ sendArgs) {
	var list []problems.Item
	var none string
	s.Do(func(st *session.State) { list, none = st.Checks().TakeOffer() })
	if len(list) == 0 {
		c.host.Say("info", none)
		return
	}

	early := feature.Ask(s, func(st *session.State) int { return st.Link().LoginAsks() }) > 0
	s.Spawn(func() { // ends when Neovim has answered, or does not
		list := c.remaining(s, list)
		if len(list) == 0 {
			c.host.Say("info", "these errors are gone: nothing is sent")
			return
		}
		if c.host.Session(s.LocalID()) != s {
			return // it was closed meanwhile
		}
		s.Prompt(session.Prompt{Text: problems.Prompt(list, s.Short), Early: early})
	})
}

// remaining returns those of a list of errors that there still are, where they are now. What a language server has not looked at is taken
// to be as it was. It waits for Neovim, resendWait at most.
func (c *Checks) remaining(s feature.Session, list []problems.Item) []problems.Item {
	ctx, stop := context.WithTimeout(context.Background(), resendWait)
	defer stop()

	var paths, others []string
	for _, i := range list {
		paths = append(paths, i.Path)
		if i.Elsewhere {
			others = append(others, i.Path)
		}
	}
	slices.Sort(paths)

	p := c.errorsIn(ctx, s, slices.Compact(paths))
	if ctx.Err() != nil {
		return list
	}
	for _, i := range list {
		_, gone := os.Lstat(i.Path)
		if slices.Contains(p.open, i.Path) || gone == nil && slices.Contains(p.dark, i.Path) {
			p.found = append(p.found, i)
		}
	}

	both := problems.Same(list, p.found)
	for n := range both {
		both[n].Elsewhere = slices.Contains(others, both[n].Path)
	}
	return both
}
