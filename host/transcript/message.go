package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Told shows what the agent is told beside the user's words: a summary of one line, which unfolds to the text.
func (t *Transcript) Told(summary, text string) {
	b := t.add(Message)
	b.text.append(plain.OneLine(summary) + "\n" + text)
	b.closed = true
}

// answered reports whether something of the agent follows the running turn's prompt.
func (t *Transcript) answered() bool {
	for _, b := range slices.Backward(t.blocks) {
		if b.Kind != Message {
			return b != t.running.prompt
		}
	}
	return true
}

// Runs reports whether a call of a kind is unfinished.
func (t *Transcript) Runs(kind acp.ToolKind) bool {
	for it := range t.live {
		if it.call.Kind == kind {
			return true
		}
	}
	return false
}

// foldHead is the first row of a block that folds: a quiet text, behind a mark that says whether more is shown.
func (t *Transcript) foldHead(b *Block, text string) row {
	head := row{text: text}
	head.mark(0, len(head.text), "AcpDone")
	icon := t.opts.Icons.Closed
	if t.shows(b) {
		icon = t.opts.Icons.Open
	}
	head.icon(0, icon, "AcpDone")
	return head
}

func (t *Transcript) messageRows(b *Block) []row {
	summary, text, _ := strings.Cut(b.text.String(), "\n")
	rows := []row{t.foldHead(b, broken(plain.Visible(summary))[0])}
	if !t.shows(b) {
		return rows
	}

	rows = append(rows, outputRows(plain.Visible(text))...)
	for i := range rows[1:] {
		r := &rows[1+i]
		if group := patchGroup(strings.TrimPrefix(r.text, indent)); group != "" {
			r.mark(len(indent), len(r.text), group)
		}
	}

	return rows
}

// patchGroup is the highlight group of a line of a unified diff, "" if it is none that changes.
func patchGroup(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return ""
	case strings.HasPrefix(line, "+"):
		return diffGroup("+")
	case strings.HasPrefix(line, "-"):
		return diffGroup("-")
	}
	return ""
}
