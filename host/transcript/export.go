package transcript

import (
	"fmt"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Markdown writes the whole transcript as Markdown: user, agent, thoughts, calls with their diffs and terminals, plans, notes.
func (t *Transcript) Markdown() string {
	var out strings.Builder
	var last Kind
	for _, b := range t.blocks {
		t.export(&out, b, b.Kind != last)
		last = b.Kind
	}
	return out.String()
}

func (t *Transcript) export(out *strings.Builder, b *Block, first bool) {
	text := strings.TrimRight(b.text.String(), "\n")
	switch b.Kind {
	case User:
		fmt.Fprintf(out, "## You\n\n%s\n\n", text)
	case Agent:
		if first {
			out.WriteString("## Agent\n\n")
		}
		fmt.Fprintf(out, "%s\n\n", text)
	case Thought:
		fmt.Fprintf(out, "<details><summary>Thought</summary>\n\n%s\n\n</details>\n\n", text)
	case ToolUse:
		for _, it := range b.items {
			t.exportItem(out, it)
		}
	case Plan:
		out.WriteString("**Plan**\n\n")
		for _, e := range b.plan {
			box := " "
			if e.Status == "completed" {
				box = "x"
			}
			fmt.Fprintf(out, "- [%s] %s\n", box, e.Text)
		}
		out.WriteString("\n")
	default:
		fmt.Fprintf(out, "> %s\n\n", strings.ReplaceAll(text, "\n", "\n> "))
	}
}

func (t *Transcript) exportItem(out *strings.Builder, it *item) {
	c := it.call
	status := c.Status
	if c.rejected {
		status = "rejected"
	}
	fmt.Fprintf(out, "**%s** (%s)\n\n", c.Heading(), OneLine(status))
	for _, content := range c.Content {
		switch content := content.(type) {
		case *acp.Content:
			fenced(out, "", contentText(content.Content))
		case *acp.Diff:
			var lines strings.Builder
			fmt.Fprintf(&lines, "--- %s\n", content.Path)
			for _, l := range diffLines(content, 3) {
				lines.WriteString(l.sign + l.text + "\n")
			}
			fenced(out, "diff", lines.String())
		}
	}
	for _, id := range c.terminals() {
		if cmd, ok := t.opts.Terminal(id); ok {
			fenced(out, "console", "$ "+cmd.Line+"\n"+strings.Join(cmd.Tail, "\n"))
		}
	}
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
