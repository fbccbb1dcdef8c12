package permission

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/forms"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Filled is what the user has entered into a form.
type Filled struct {
	ID      string
	Version int
	Action  string // "accept", "decline" or "cancel"
	Values  map[string]any
}

// Fill answers a form with what the user has entered, if that is right; else the form is shown again with its problems.
func (q *Requests) Fill(f Filled, log *transcript.Transcript) {
	q.changed = true
	r := q.find(f.ID)
	if r == nil || r.version != f.Version || r.Form == nil {
		return
	}

	result := &acp.CreateElicitationResponse{Action: f.Action}
	switch f.Action {
	case acp.ElicitationAccept:
		if r.Form.Schema == nil {
			break // consent to a page carries no content
		}
		content, problems := forms.Check(r.Form.Schema, f.Values)
		if len(problems) > 0 {
			form := *r.Form
			form.problems = problems
			r.Form = &form
			r.version++
			return
		}
		result.Content = content
		log.Filled(forms.Summary(r.Form.Schema, content))
	case acp.ElicitationDecline, acp.ElicitationCancel:
	default:
		return
	}

	q.remove(r, false, log)
	q.deliver(r, Outcome{Form: result})
}

// Complete ends the wait for a page.
func (q *Requests) Complete(page string, log *transcript.Transcript) {
	for _, r := range slices.Clone(q.list) {
		if r.Form != nil && page != "" && r.Form.ID == page {
			q.remove(r, false, log)
			q.deliver(r, Outcome{})
		}
	}
}

// shown is the form as Lua draws it.
func (f *Form) shown() *ShownForm {
	out := &ShownForm{Fields: []forms.Field{}}
	if f.Page != nil {
		out.Page = f.Page
		return out
	}
	if f.Schema != nil {
		out.Fields = forms.Fields(f.Schema)
		for i := range out.Fields {
			out.Fields[i].Problem = f.problems[out.Fields[i].Name]
		}
	}

	return out
}

// FormRequest is a request of an agent's to fill in a form, or to visit a page, with what it says to it.
func FormRequest(agent, message string, form *Form) New {
	made := New{Kind: "elicitation", Title: plain.OneLine(agent) + " asks", Form: form}
	for _, line := range strings.Split(plain.Visible(bounds.Cut(message, bounds.Message)), "\n") {
		made.Lines = append(made.Lines, margin+line)
	}
	return made
}
