package transcript

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Head is what an export says of the session before its transcript.
type Head struct {
	Title  string    // "" for none
	Agent  string    // its title, "" if it is not known
	Folder string    // absolute
	Began  time.Time // in the zone it is to be shown in
}

// Markdown writes the whole transcript as Markdown: user, agent, thoughts, calls with their diffs and terminals, plans, notes.
// A message that continues after a call is in one piece, and what a terminal would obey is visible.
func (l *Blocks) Markdown(h Head) string { return plain.Visible(l.opts.markdown(h, l.list)) }

// SaidBefore returns as Markdown what user and agent have said and done before a prompt.
func (l *Blocks) SaidBefore(key string) string {
	var said []*Block
	for _, b := range l.list {
		switch b.Kind {
		case User:
			if b.key() == key {
				return l.opts.markdown(Head{}, said)
			}
			said = append(said, b)
		case Agent, ToolUse, Plan:
			said = append(said, b)
		}
	}

	return ""
}

func (f *Options) markdown(h Head, blocks []*Block) string {
	var out strings.Builder
	if h.Title != "" {
		fmt.Fprintf(&out, "# %s\n\n", plain.OneLine(h.Title))
	}

	agent := plain.OneLine(cmp.Or(h.Agent, "Agent"))
	if h.Folder != "" {
		fmt.Fprintf(&out, "%s in %s, %s\n\n", agent, plain.OneLine(h.Folder), h.Began.Format("2006-01-02 15:04"))
	}

	var last Kind
	joined := map[*Block]bool{}
	for i, b := range blocks {
		if joined[b] {
			continue
		}
		text := b.text.String()
		if b.Kind == Agent && b.message != "" {
			for _, o := range continuation(blocks[i:]) {
				joined[o] = true
				text += o.text.String()
			}
		}
		f.export(&out, b, strings.TrimRight(text, "\n"), agent, b.Kind != last)
		last = b.Kind
	}

	return out.String()
}

// continuation returns the later blocks of the message that the first block begins, up to the user's next prompt.
func continuation(blocks []*Block) []*Block {
	var rest []*Block
	for _, b := range blocks[1:] {
		switch {
		case b.Kind == User:
			return rest
		case b.Kind == Agent && b.message == blocks[0].message:
			rest = append(rest, b)
		}
	}
	return rest
}

func (f *Options) export(out *strings.Builder, b *Block, text, agent string, first bool) {
	switch b.Kind {
	case User:
		fmt.Fprintf(out, "## You\n\n%s\n\n", text)
	case Agent:
		if first {
			fmt.Fprintf(out, "## %s\n\n", agent)
		}
		fmt.Fprintf(out, "%s\n\n", text)
	case Thought:
		fmt.Fprintf(out, "<details><summary>Thought</summary>\n\n%s\n\n</details>\n\n", text)
	case Message:
		summary, told, _ := strings.Cut(text, "\n")
		fmt.Fprintf(out, "<details><summary>%s</summary>\n\n", summary)
		fenced(out, "", told)
		out.WriteString("</details>\n\n")
	case ToolUse:
		f.exportItems(out, b.items, "")
	case Plan:
		out.WriteString("**Plan**\n\n")
		for _, e := range b.plan {
			box := " "
			if e.Status == string(acp.PlanCompleted) {
				box = "x"
			}
			fmt.Fprintf(out, "- [%s] %s\n", box, e.Text)
		}
		out.WriteString("\n")
	default:
		fmt.Fprintf(out, "> %s\n\n", strings.ReplaceAll(text, "\n", "\n> "))
	}
}

// exportItems writes calls, each followed by those of its subagent.
func (f *Options) exportItems(out *strings.Builder, items []*item, by string) {
	for _, it := range items {
		if it.retold() {
			continue
		}
		if it.speech() {
			to := ""
			if it.call.Kind == asking {
				to = "To "
			}
			fmt.Fprintf(out, "**%s%s**\n\n%s\n\n", to, strings.TrimSuffix(by, " "), strings.TrimRight(it.text(), "\n"))
			continue
		}

		f.exportCall(out, it.call, by)
		f.exportItems(out, it.children, it.call.Heading()+": ")
	}
}

func (f *Options) exportCall(out *strings.Builder, c *Call, by string) {
	status := c.Status
	if c.rejected {
		status = c.refused()
	}

	fmt.Fprintf(out, "**%s%s** (%s)\n\n", by, c.Heading(), plain.OneLine(status))
	if strings.Contains(c.command, "\n") {
		fenced(out, "sh", c.command)
	}
	for _, content := range c.Content {
		switch content := content.(type) {
		case *acp.Content:
			fenced(out, "", contentText(content.Content))
		case *acp.Diff:
			fenced(out, "diff", fmt.Sprintf("--- %s\n%s", content.Path, compare(content, 3, maxWhole).text("")))
		}
	}

	for _, id := range c.terminals() {
		if cmd, ok := f.Terminal(id); ok {
			fenced(out, "console", "$ "+cmd.Line+"\n"+f.output(id, cmd)+"\n"+cmd.Exit)
		}
	}
}

// output returns the kept output of a command.
func (f *Options) output(id string, cmd Command) string {
	if f.Output != nil {
		return strings.TrimRight(f.Output(id), "\n")
	}
	return strings.Join(cmd.Tail, "\n")
}

// fenced writes a code block whose fence is longer than any in the text.
func fenced(out *strings.Builder, language, text string) {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(out, "%s%s\n%s\n%s\n\n", fence, language, text, fence)
}
