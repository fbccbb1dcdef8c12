package transcript

import (
	"github.com/neovim/go-client/msgpack"

	"github.com/nvim-acp/nvim-acp/host/marks"
)

// Ops are the operations of a frame.
type Ops []Op

// added are new blocks that follow each other, in columns.
type added struct {
	IDs    []string   `msgpack:"ids"`
	Counts []int      `msgpack:"counts"` // of the lines of each
	Before string     `msgpack:"before,omitempty"`
	Lines  []string   `msgpack:"lines"`
	Marks  marks.List `msgpack:"marks,omitempty"` // their rows count from the first of Lines, as those of Virt
	Virt   virts      `msgpack:"virt,omitempty"`
	Data   flat       `msgpack:"data"`
}

// MarshalMsgPack encodes operations as an array of maps. New blocks that follow each other are one of them: a table for each
// block, and for what is in it, would cost Neovim more than to draw it. lua/nvim-acp/chat/draw.lua decodes it.
func (ops Ops) MarshalMsgPack(e *msgpack.Encoder) error {
	runs := ops.runs()
	if err := e.PackArrayLen(int64(len(runs))); err != nil {
		return err
	}

	for _, run := range runs {
		var op any = &run[0]
		if len(run) > 1 {
			op = together(run)
		}
		if err := e.Encode(op); err != nil {
			return err
		}
	}

	return nil
}

// runs divides operations into those that are encoded together.
func (ops Ops) runs() []Ops {
	var runs []Ops
	for from := 0; from < len(ops); {
		to := from + 1
		for to < len(ops) && ops[from].whole() && ops[to].whole() && ops[to].Before == ops[from].Before {
			to++
		}
		runs, from = append(runs, ops[from:to]), to
	}
	return runs
}

// whole reports whether an operation is that of a new block.
func (o *Op) whole() bool { return o.new && o.Amid == "" && o.From == 0 && o.Data != nil }

func together(ops Ops) *added {
	a := &added{Before: ops[0].Before}
	for _, op := range ops {
		row := len(a.Lines)
		a.IDs, a.Counts, a.Lines = append(a.IDs, op.ID), append(a.Counts, len(op.Lines)), append(a.Lines, op.Lines...)
		for _, m := range op.Marks {
			m.Row += row
			a.Marks = append(a.Marks, m)
		}
		for _, v := range op.Virt {
			v.Row += row
			a.Virt = append(a.Virt, v)
		}
		a.Data = append(a.Data, op.Data)
	}
	return a
}

// virts is the virtual text of some lines.
type virts []Virt

// MarshalMsgPack encodes virtual text as one flat array: row, column and place of each, how many chunks it has, and text and group
// of each chunk.
func (list virts) MarshalMsgPack(e *msgpack.Encoder) error {
	n := 4 * len(list)
	for _, v := range list {
		n += 2 * len(v.Chunks)
	}

	p := packer{e: e}
	p.array(n)
	for _, v := range list {
		p.ints(v.Row, v.Col)
		p.strings(v.At)
		p.ints(len(v.Chunks))
		for _, c := range v.Chunks {
			p.strings(c[:]...)
		}
	}

	return p.err
}

// flat is what the editor's keys know of some blocks.
type flat []*Data

// MarshalMsgPack encodes it as one flat array: kind, head, folds and open of each block, how many parts it has, and row, id, folds, open
// and terminals of each part, false for none.
func (list flat) MarshalMsgPack(e *msgpack.Encoder) error {
	n := 5 * len(list)
	for _, d := range list {
		n += 5 * len(d.Parts)
	}

	p := packer{e: e}
	p.array(n)
	for _, d := range list {
		p.strings(d.Kind)
		p.ints(d.Head)
		p.bools(d.Folds, d.Open)
		p.ints(len(d.Parts))
		for _, part := range d.Parts {
			p.ints(part.Row)
			p.strings(part.ID)
			p.bools(part.Folds, part.Open)
			if len(part.Terminals) == 0 {
				p.bools(false)
				continue
			}
			p.array(len(part.Terminals))
			p.strings(part.Terminals...)
		}
	}

	return p.err
}

// MarshalMsgPack encodes it as that of one block.
func (d *Data) MarshalMsgPack(e *msgpack.Encoder) error { return flat{d}.MarshalMsgPack(e) }

// packer writes values until one fails.
type packer struct {
	e   *msgpack.Encoder
	err error
}

func (p *packer) array(n int) {
	if p.err == nil {
		p.err = p.e.PackArrayLen(int64(n))
	}
}

func (p *packer) ints(list ...int) {
	for _, n := range list {
		if p.err == nil {
			p.err = p.e.PackInt(int64(n))
		}
	}
}

func (p *packer) strings(list ...string) {
	for _, s := range list {
		if p.err == nil {
			p.err = p.e.PackString(s)
		}
	}
}

func (p *packer) bools(list ...bool) {
	for _, b := range list {
		if p.err == nil {
			p.err = p.e.PackBool(b)
		}
	}
}
