package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/mcp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// toolSession is a session as the tools of its agent see it.
type toolSession struct {
	s     feature.Session // not embedded: its folder is another one, by which its rules are kept
	tools *Tools
}

// files is the session as files know it.
func (d toolSession) files() files.Session { return d.tools.hooks.Files(d.s) }

// reader is the session as files know its tools.
func (d toolSession) reader() reader { return reader{d.files(), d.s} }

var _ mcp.Desk = toolSession{}

// Cwd returns the session's folder.
func (d toolSession) Cwd() string { return d.s.Roots()[0] }

// Real returns the path of a file with links resolved.
func (d toolSession) Real(path string) (string, error) { return buffers.Real(path) }

// MayRead returns an error if the agent must not read a file.
func (d toolSession) MayRead(ctx context.Context, real string) error {
	raw, none := map[string]string{"path": real}, func() *acp.Diff { return nil }
	return d.tools.policy.Allow(ctx, d.s, session.Child{}, "read", real, raw, none)
}

// Barred returns an error if the agent must not change a file, whatever the user says.
func (d toolSession) Barred(real string) error {
	if a := feature.Agent(d.s); a != nil {
		if err := a.Place().Reaches(real, true); err != nil {
			return err
		}
	}
	for _, what := range []string{"read", "write"} {
		if rule, why := d.tools.policy.Rule(d.s, what, real); rule == "deny" {
			return acp.Errorf(acp.CodeInvalidParams, "%s: %s", real, why)
		}
	}
	return nil
}

// IsFree reports whether the agent may read a file without a question: it sees it where it is.
func (d toolSession) IsFree(real string) bool {
	if a := feature.Agent(d.s); a != nil && a.Place().Reaches(real, false) != nil {
		return false
	}
	rule, _ := d.tools.policy.Rule(d.s, "read", real)
	return rule == "allow"
}

// Quoted returns a function that returns the files that may hold secrets and of which a text has a value. It waits for the disk.
func (d toolSession) Quoted(ctx context.Context) func(text string) []string {
	return d.tools.policy.Values(ctx, d.s).In
}

// Read returns the text of a file that the agent may read.
func (d toolSession) Read(ctx context.Context, path string, line, limit *uint32) (string, error) {
	req := &acp.ReadTextFileRequest{SessionID: d.s.LocalID(), Path: path, Line: line, Limit: limit}
	r, err := d.tools.files.Read(d.reader(), req)(ctx)
	if acp.IsCode(err, acp.CodeResourceNotFound) {
		return "", missingFile{err}
	}
	if err != nil {
		return "", err
	}
	return r.Content, nil
}

// missingFile is an error that says that there is no such file.
type missingFile struct{ error }

// Is makes it an [fs.ErrNotExist].
func (missingFile) Is(target error) bool { return target == fs.ErrNotExist }

// answerTime is for the way of an answer of the editor's, which it gives in good time.
const answerTime = 2 * time.Second

// Know asks the editor, and decodes its answer into result.
func (d toolSession) Know(ctx context.Context, question string, args map[string]any, result any) error {
	d.tools.hooks.Refresh(ctx, d.s, question)
	d.complete(ctx, args)
	return d.tools.questions.ask(ctx, d.tools.host, question, args, result)
}

// complete adds to the arguments of a question who asks it and how long its answer is waited for.
func (d toolSession) complete(ctx context.Context, args map[string]any) {
	args["session"], args["confined"] = d.s.LocalID(), d.files().Confined()
	if till, ok := ctx.Deadline(); ok { // the editor says why it has no answer before nobody waits for one
		args["within"] = max(time.Until(till)-answerTime, answerTime).Milliseconds()
	}
}

// Alone waits until no other call changes a file.
func (d toolSession) Alone(ctx context.Context, real string) (done func(), err error) {
	return wait(ctx, &d.tools.edits, real)
}

// Proposing waits until no other call asks the user about a change of one of some files.
func (d toolSession) Proposing(ctx context.Context, reals ...string) (done func(), err error) {
	return wait(ctx, &d.tools.proposals, reals...)
}

// wait waits for all places in a queue. They are taken in one order, so that nobody waits for each other.
func wait(ctx context.Context, q *buffers.Queue, paths ...string) (done func(), err error) {
	var held []*buffers.Ticket
	done = func() {
		for _, t := range held {
			t.Done()
		}
	}

	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		t := q.Ticket(path)
		if err := t.Wait(ctx); err != nil {
			done()
			return nil, err
		}
		held = append(held, t)
	}

	return done, nil
}

// Change writes files, once the user allows it if ask is set; none if one of them cannot be written, as far as that is known before.
func (d toolSession) Change(ctx context.Context, ask bool, u mcp.Use, changes []mcp.Change) (note string, err error) {
	id, seen := "", false
	if ask {
		if id, seen, err = d.permitChange(ctx, u, changes); err != nil {
			return "", err
		}

		var paths []string
		for _, c := range changes {
			paths = append(paths, c.Path)
		}

		done, err := wait(ctx, &d.tools.edits, paths...)
		if err != nil {
			d.endChange(id, acp.ToolCallFailed)
			return "", err
		}

		defer done()
	}

	if err := d.checkChanges(ctx, ask, seen, changes); err != nil {
		d.endChange(id, acp.ToolCallFailed)
		return "", err
	}

	var conflicts, done []string
	for i, c := range changes {
		r, err := d.write(ctx, c)
		if err != nil {
			d.endChange(id, acp.ToolCallFailed)
			return "", fmt.Errorf("%w%s", err, d.partly(done, changes[i:]))
		}
		done = append(done, d.s.Short(c.Path))
		if r.Meta["nvim-acp"] != nil {
			conflicts = append(conflicts, d.s.Short(c.Path))
		}
	}

	d.endChange(id, acp.ToolCallCompleted)
	if id == "" {
		d.s.Do(func(st *session.State) { st.Tools().Made(useOf(u), diffsOf(changes)) })
	}
	if len(conflicts) > 0 {
		note = "The same lines were changed meanwhile in " + strings.Join(conflicts, ", ") +
			": both versions are in the editor, for the user to decide."
	}

	return note, nil
}

// checkChanges returns an error if one of some changes must not, or cannot be made now, as far as that is known before; with whole also
// if others have changed the same lines. It asks the user about those files that ask, unless they have seen the changes.
func (d toolSession) checkChanges(ctx context.Context, whole, seen bool, changes []mcp.Change) error {
	for _, c := range changes {
		err := d.Barred(c.Path)
		if err == nil && !seen {
			r := &acp.WriteTextFileRequest{SessionID: d.s.LocalID(), Path: c.Path, Content: c.New}
			err = d.files().AllowWrite(ctx, c.Path, r, func() *acp.Diff { return diffsOf([]mcp.Change{c})[0] })
		}
		if err != nil {
			return err
		}
	}

	for _, c := range changes {
		if c.Missing {
			continue
		}
		if err := d.tools.files.CheckChange(ctx, c.Path, c.Old, c.New, whole); err != nil {
			return fmt.Errorf("%s: %w; nothing was changed", d.s.Short(c.Path), err)
		}
	}

	return nil
}

// partly says what was done before a change of a file went wrong; the first of left is the one that did.
func (d toolSession) partly(done []string, left []mcp.Change) string {
	text := ""
	if len(done) > 0 {
		text = "; changed: " + strings.Join(done, ", ")
	}
	if len(left) > 1 || text != "" {
		var names []string
		for _, c := range left {
			names = append(names, d.s.Short(c.Path))
		}
		text += "; not changed: " + strings.Join(names, ", ")
	}
	return text
}

// write makes a change of a file that is allowed, also if others have changed it since it was read: while the user was asked, say.
func (d toolSession) write(ctx context.Context, c mcp.Change) (*acp.WriteTextFileResponse, error) {
	s, r := granted{d.reader()}, &acp.WriteTextFileRequest{SessionID: d.s.LocalID(), Path: c.Path, Content: c.New}
	if c.Missing {
		if err := d.tools.files.CheckMissing(ctx, c.Path); err != nil {
			return nil, fmt.Errorf("%s: %w", d.s.Short(c.Path), err)
		}
		return d.tools.files.Write(s, r)(ctx)
	}

	text, base, err := d.tools.files.Rebase(ctx, c.Path, c.Old, c.New)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.s.Short(c.Path), err)
	}

	r.Content = text
	return d.tools.files.WriteFrom(s, r, base)(ctx)
}

// diffsOf are changes as the transcript shows them.
func diffsOf(changes []mcp.Change) []*acp.Diff {
	var diffs []*acp.Diff
	for _, c := range changes {
		d := &acp.Diff{Path: c.Path, OldText: &c.Old, NewText: c.New}
		if c.Missing {
			d.OldText = nil
		}
		diffs = append(diffs, d)
	}
	return diffs
}

// permitChange asks for a change of files, which is shown as a call of a tool: the agent's own, or else one of ours, whose id it
// returns. It reports whether the user has seen the changes, and not only a rule.
func (d toolSession) permitChange(ctx context.Context, u mcp.Use, changes []mcp.Change) (own string, seen bool, err error) {
	content := []acp.ToolCallContent{}
	for _, diff := range diffsOf(changes) {
		content = append(content, diff)
	}

	var lines []string
	for _, c := range changes {
		if rule, why := d.tools.policy.Rule(d.s, "write", c.Path); rule == "ask" {
			lines = append(lines, "  "+plain.OneLine(d.s.Short(c.Path)+": "+why))
		}
	}

	ruled := d.tools.policy.Ruled(d.s)
	var ticket *permission.Ticket
	var judge, ok bool
	d.s.Do(func(st *session.State) {
		id := st.Tools().Shown(useOf(u))
		if id == "" {
			id = st.Tools().New()
			own = id
		}

		call := &acp.ToolCallUpdate{
			ToolCallID: id, Title: &u.Title, Kind: acp.ToolKindEdit, Status: acp.ToolCallPending, Content: acp.Some(content),
		}
		ticket, judge, ok = st.Request(call, permission.New{Raw: call, Sent: true, Lines: lines, Options: []acp.PermissionOption{
			{OptionID: "allow", Name: "Allow", Kind: acp.AllowOnce},
			{OptionID: "reject", Name: "Reject", Kind: acp.RejectOnce},
		}})
		judge = judge || ruled
		if ok && !judge {
			st.Requests().Show(ticket)
		}
	})

	if !ok {
		return own, false, feature.ErrStopped
	}
	if judge || d.tools.policy.Look(d.s) {
		d.tools.policy.Judge(d.s, ticket.ID)
	}

	got, err := d.s.Await(ctx, ticket)
	switch {
	case err != nil:
	case got.Option == "":
		err = feature.ErrWithdrawn
	case got.Option != "allow":
		err = errors.New("the user does not allow it")
	}
	if err != nil {
		d.endChange(own, acp.ToolCallFailed)
	}

	return own, !got.Ruled, err
}

// endChange ends a call of ours, if there is one.
func (d toolSession) endChange(id string, status acp.ToolCallStatus) {
	if id != "" {
		d.s.Do(func(st *session.State) { st.Update(&acp.ToolCallUpdate{ToolCallID: id, Status: status}) })
	}
}

// Ask asks the user, by a form.
func (d toolSession) Ask(ctx context.Context, q mcp.Question) (mcp.Answer, error) {
	made := permission.FormRequest(d.s.Spec().Title, q.Text, &permission.Form{Schema: askForm(q)})
	made.Sent = true
	ticket := feature.Ask(d.s, func(st *session.State) *permission.Ticket { return session.ShowForm(st, made) })
	if ticket == nil {
		return mcp.Answer{}, feature.ErrStopped
	}

	got, err := d.s.Await(ctx, ticket)
	switch {
	case err != nil:
		return mcp.Answer{}, err
	case got.Form == nil:
		return mcp.Answer{}, feature.ErrWithdrawn
	}

	a := mcp.Answer{Declined: got.Form.Action == acp.ElicitationDecline, Later: got.Form.Action == acp.ElicitationCancel}
	a.Text, _ = got.Form.Content["text"].(string)
	switch chosen := got.Form.Content["choice"].(type) {
	case string:
		a.Chosen = []string{chosen}
	case []string:
		a.Chosen = chosen
	}

	return a, nil
}

// askForm is the form of a question.
func askForm(q mcp.Question) *acp.ElicitationSchema {
	if len(q.Options) == 0 {
		return &acp.ElicitationSchema{
			Properties: acp.ElicitationProperties{{Name: "text", Schema: &acp.StringPropertySchema{Title: "Answer"}}},
			Required:   []string{"text"},
		}
	}

	var options []acp.EnumOption
	for _, option := range q.Options {
		options = append(options, acp.EnumOption{Const: option, Title: option})
	}

	var choice acp.ElicitationPropertySchema = &acp.StringPropertySchema{Title: "Answer", OneOf: options}
	if q.Several {
		choice = &acp.MultiSelectPropertySchema{Title: "Answers", Items: acp.MultiSelectItems{AnyOf: options}}
	}

	return &acp.ElicitationSchema{Properties: acp.ElicitationProperties{
		{Name: "choice", Schema: choice},
		{Name: "text", Schema: &acp.StringPropertySchema{Title: "In other words"}},
	}}
}
