package prompt

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// Inspection returns the files with unsaved changes, or why they are not known.
type Inspection func(ctx context.Context, s feature.Session) ([]files.Modified, error)

// Inspect asks Neovim for the files with unsaved changes, and waits for the answer, but not long.
func (ps *Prompts) Inspect(ctx context.Context, s feature.Session) ([]files.Modified, error) {
	ctx, stop := ps.host.Answering(ctx)
	defer stop()
	return ps.files.Modified(ctx, s.Roots())
}

// Unsaved returns what an agent that reads the disk is to be told of unsaved text with a prompt. It calls inspect for the files that have
// some, unless there is nothing to be told. As fs.unsaved says, it may save files or ask the user before, and reports whether it did: what
// was known of buffers may have changed since. It waits for that and for Neovim, until ctx ends.
func (ps *Prompts) Unsaved(
	ctx context.Context, s feature.Session, p session.Prompt, a *agents.Agent, inspect Inspection,
) (m unsaved.Message, acted bool) {
	how := ps.host.Settings().UnsavedText()
	if p.Edit != nil && how != "" {
		how = "tell" // nothing is saved for an answer that is only shown
	}

	readsDisk, command, told := false, false, unsaved.Told(nil)
	s.Do(func(st *session.State) {
		readsDisk, command, told = st.Reads().FromDisk(a.Spec.Reads()), st.IsCommand(p.Text), st.Briefing().Unsaved()
	})
	if how == "" || !readsDisk || command || !a.Place().Shared() {
		return unsaved.Message{}, false
	}

	list, err := inspect(ctx, s)
	if err != nil {
		sayUnknown(ctx, s, err)
		return unsaved.Message{}, false // what the agent was told may still hold
	}

	list = slices.DeleteFunc(slices.Clone(list), func(f files.Modified) bool {
		whole := p.Edit != nil && p.Edit.All && f.Name == p.Edit.Path // the request has all its text
		return whole || !buffers.Inside(s.Roots(), f.Real) || ps.policy.Secret(s, f.Real) || ps.policy.Secret(s, f.Name)
	})
	if how == "save" {
		before := len(list)
		list = ps.saveFirst(ctx, s, list, p)
		acted = len(list) < before
	}

	m = unsaved.Compose(ps.texts(ctx, s, list, p), told, exists)
	if how != "ask" || m.Text == "" || ctx.Err() != nil {
		return m, acted
	}

	switch choose(ctx, s, m) {
	case "save":
		left := slices.DeleteFunc(list, func(f files.Modified) bool { return ps.save(ctx, s, f) })
		return unsaved.Compose(ps.texts(ctx, s, anew(left), p), told, exists), true
	case "tell":
		return m, true
	}

	return unsaved.Message{Told: m.Withhold(told)}, true
}

// sayUnknown says that it is not known what is unsaved, and why, unless the prompt is not sent.
func sayUnknown(ctx context.Context, s feature.Session, err error) {
	if ctx.Err() != nil {
		return
	}
	why := plain.OneLine(err.Error())
	switch {
	case errors.Is(err, context.Canceled):
		why = "Neovim waits for a key"
	case errors.Is(err, context.DeadlineExceeded):
		why = "Neovim does not answer"
	}
	s.Do(func(st *session.State) { st.Screen().Say("unsaved text not sent: "+why, "AcpWarning") })
}

// anew returns files whose texts have to be read anew.
func anew(list []files.Modified) []files.Modified {
	for i, f := range list {
		list[i] = f.Anew()
	}
	return list
}

// texts returns the texts of files, those first that the prompt names. A file whose text Neovim does not give in time is
// unread.
func (ps *Prompts) texts(ctx context.Context, s feature.Session, list []files.Modified, p session.Prompt) []unsaved.File {
	ctx, stop := ps.host.Answering(ctx)
	defer stop()
	var named, others []unsaved.File
	for _, m := range list {
		texts, changed, err := ps.files.UnsavedTexts(ctx, m)
		if err == nil && !changed {
			continue
		}

		f := unsaved.File{
			Path: s.There(m.Real), Here: m.Real, Name: s.Short(m.Name), Disk: texts.Disk, Text: texts.Screen, Missing: texts.Missing,
			Unread: err != nil, Unshown: unshown(texts.Problem),
		}
		if names(p, m) {
			named = append(named, f)
		} else {
			others = append(others, f)
		}
	}

	return append(named, others...)
}

// exists reports whether there is a file, or that cannot be known.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// unshown says why there is no diff of a file whose text on the disk is not known.
func unshown(problem error) string {
	switch {
	case problem == nil:
		return ""
	case errors.Is(problem, buffers.ErrNotText):
		return "the file on disk is not text"
	case errors.Is(problem, buffers.ErrTooLarge):
		return "the file on disk is too large"
	}
	return "the file on disk cannot be read"
}

// names reports whether a prompt has a file as context.
func names(p session.Prompt, f files.Modified) bool {
	return slices.ContainsFunc(p.Context, func(a session.Attachment) bool {
		real, err := buffers.Real(a.Path)
		return a.Path == f.Name || err == nil && real == f.Real
	})
}

// saveFirst saves the files that the prompt names or that the agent has read, and returns those that are still unsaved.
func (ps *Prompts) saveFirst(ctx context.Context, s feature.Session, list []files.Modified, p session.Prompt) []files.Modified {
	return anew(slices.DeleteFunc(list, func(f files.Modified) bool {
		wanted := names(p, f) || feature.Ask(s, func(st *session.State) bool { return st.Reads().Has(f.Real) })
		return wanted && ps.save(ctx, s, f)
	}))
}

// save saves a file, and says that or why it could not.
func (ps *Prompts) save(ctx context.Context, s feature.Session, f files.Modified) bool {
	ctx, stop := ps.host.Answering(ctx)
	defer stop()
	problem, err := ps.files.Save(ctx, f.Real)
	if err != nil {
		problem = "Neovim did not do it in time"
	}
	text, tone := "saved "+s.Short(f.Name), "AcpDone"
	if problem != "" {
		text, tone = s.Short(f.Name)+" is not saved: "+plain.OneLine(problem), "AcpWarning"
	}
	s.Do(func(st *session.State) { st.Screen().Say(text, tone) })
	return problem == ""
}

// choose asks the user what is to be done about unsaved text, and waits for the answer: "tell", "save" or "send".
func choose(ctx context.Context, s feature.Session, m unsaved.Message) string {
	choice, err := feature.Choose(ctx, s, permission.New{
		Kind: "unsaved", Title: "lacks unsaved text",
		Lines: []string{
			"It reads the disk, which does not have this yet.", strings.Replace(m.Summary, "unsaved text sent", "unsaved text", 1),
		},
		Text: m.Shown,
		Options: []acp.PermissionOption{
			{OptionID: "tell", Name: "Tell the agent", Kind: acp.AllowOnce},
			{OptionID: "save", Name: "Save first", Kind: acp.AllowOnce},
			{OptionID: "send", Name: "Neither", Kind: acp.RejectOnce},
		},
		Raw: map[string]string{"text": m.Text},
	})
	if err != nil {
		return "send"
	}

	return choice
}
