package transcript

import (
	"bytes"
	"fmt"

	"github.com/nvim-acp/nvim-acp/host/marks"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// drawPrompt draws a prompt, or the first lines of a long one that is not opened.
func (w *painter) drawPrompt(b *Block, budget int) (ops []Op, more bool) {
	if b.folds() && !w.opts.shows(b) {
		b.shown = false
		return []Op{w.drawPromptHead(b)}, false
	}
	if b.drawn && !b.shown {
		b.text.rewind()
	}

	ops, more = w.drawProse(b, budget, stylePrompt)
	if !b.shown {
		ops[0].Data = w.data(b, nil)
	}

	b.shown = true
	return ops, more
}

func (w *painter) drawPromptHead(b *Block) Op {
	text := bytes.TrimRight(b.text.text, "\n")
	end := 0
	for range promptHead {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}

	op := Op{From: b.lead(), Data: w.data(b, nil)}
	head := text[:end-1]
	if len(head) > headBytes {
		head = head[:plain.Start(head, headBytes)]
	}

	op.Lines, op.Marks = drawAll(head, stylePrompt, nil, nil)
	more := w.foldHead(b, fmt.Sprintf("%d more lines", bytes.Count(text[end:], []byte("\n"))+1))
	op.fill([]row{more})
	w.tint(&op)
	if !b.drawn {
		op = b.first(op)
	}

	b.drawn = true
	return op
}

// tint gives the lines of a prompt its bar and its background.
func (w *painter) tint(op *Op) {
	for i := range op.Lines {
		op.Virt = append(op.Virt, Virt{Row: i, At: "sign", Chunks: [][2]string{{w.opts.Icons.Bar, "AcpUser"}}})
		op.Marks = append(op.Marks, marks.New(i, 0, marks.Line, "AcpUserLine"))
	}
}
