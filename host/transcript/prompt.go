package transcript

import (
	"bytes"
	"fmt"

	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

const (
	longPrompt = 30      // lines of a prompt that are shown whole
	promptHead = 10      // lines that are shown of a longer one …
	headBytes  = 4 << 10 // … which are not longer than this
)

// long reports whether a prompt has more lines than are shown at once.
func (p *prose) long() bool {
	return bytes.Count(bytes.TrimRight(p.text, "\n"), []byte("\n")) >= longPrompt
}

// drawPrompt draws a prompt, or the first lines of a long one that is not opened.
func (t *Transcript) drawPrompt(b *Block, budget int) (ops []Op, more bool) {
	if b.folds() && !t.shows(b) {
		b.shown = false
		return []Op{t.drawPromptHead(b)}, false
	}
	if b.drawn && !b.shown {
		b.text.rewind()
	}

	ops, more = t.drawProse(b, budget, styleMentions)
	if !b.shown {
		ops[0].Data = t.data(b, nil)
	}

	b.shown = true
	return ops, more
}

func (t *Transcript) drawPromptHead(b *Block) Op {
	text := bytes.TrimRight(b.text.text, "\n")
	end := 0
	for range promptHead {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}

	op := Op{From: b.lead(), Data: t.data(b, nil)}
	head := text[:end-1]
	if len(head) > headBytes {
		head = head[:plain.Start(head, headBytes)]
	}

	op.Lines, op.Marks = drawAll(head, styleMentions, nil, nil)
	more := t.foldHead(b, fmt.Sprintf("%d more lines", bytes.Count(text[end:], []byte("\n"))+1))
	op.fill([]row{more})
	t.tint(&op)
	if !b.drawn {
		op = b.first(op)
	}

	b.drawn = true
	return op
}

// tint gives the lines of a prompt its bar and its background.
func (t *Transcript) tint(op *Op) {
	for i := range op.Lines {
		op.Virt = append(op.Virt, Virt{Row: i, At: "sign", Chunks: [][2]string{{t.opts.Icons.Bar, "AcpUser"}}})
		op.Marks = append(op.Marks, marks.New(i, 0, marks.Line, "AcpUserLine"))
	}
}
