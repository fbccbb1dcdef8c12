package permission

import (
	"cmp"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// usualWidth is how many cells a line may have before Lua has said how many there are.
const usualWidth = 60

// planOf returns the Markdown of a plan that an agent wants to begin, "" if a call is about something else.
func planOf(c *transcript.Call) string {
	if c.Kind != acp.ToolKindSwitchMode || c.Command() != "" || len(c.Diffs()) > 0 { // then it does something else as well
		return ""
	}
	if plan := c.Input().Text("plan"); plan != "" {
		return plan
	}
	return strings.Join(c.Texts(), "\n\n")
}

// showPlan shows a plan to be approved, as an answer is shown, below whatever else its call has.
func (v *view) showPlan(c *transcript.Call, plan string) {
	v.p.Title = v.headed("start work on this plan?")
	v.showInputs(c, 0, func() {}, "plan")
	if len(v.p.Lines) > 0 {
		v.p.add("")
	}
	v.addMarkdown(plan)
	v.p.Must, v.p.Whole = len(v.p.Lines), true
}

// addMarkdown adds a text as an answer is shown.
func (v *view) addMarkdown(text string) {
	v.p.Width = cmp.Or(v.width, usualWidth)
	rows := transcript.Rendered(strings.TrimSpace(plain.Visible(v.p.take(text))), v.viewer.Icons, max(v.p.Width-len(margin)-1, 1))
	for i := range rows.Lines {
		rows.Lines[i] = margin + rows.Lines[i]
	}
	rows.Marks.Move(0, len(margin))
	for i, m := range rows.Marks {
		if m.To == marks.Line {
			rows.Marks[i].From = len(margin) // the background of code leaves the margin free
		}
	}
	v.p.addMarked(rows.Lines, rows.Marks)
	v.p.Hang = true
}
