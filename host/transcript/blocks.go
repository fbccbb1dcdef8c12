package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Blocks are the blocks of a transcript in the order they came.
type Blocks struct {
	opts       *Options
	pending    *pending
	holding    *holding
	unrecorded *Unrecorded
	list       []*Block
	byID       map[string]*Block
	behind     insertion
	made       int  // created so far
	loading    bool // a replay, or a record
}

// insertion is where new blocks are put.
type insertion struct {
	at       *Block // behind this one; nil: at the end
	inserted bool   // one was put before others
}

// Empty reports whether there is nothing to show.
func (l *Blocks) Empty() bool { return len(l.list) == 0 }

// HasPrompts reports whether the transcript has a prompt.
func (l *Blocks) HasPrompts() bool {
	return slices.ContainsFunc(l.list, func(b *Block) bool { return b.Kind == User })
}

// Says reports whether a notice after the latest prompt is a text.
func (l *Blocks) Says(text string) bool {
	for _, b := range slices.Backward(l.list) {
		if b.Kind == User {
			return false
		}
		if b.Kind == Notice && b.text.String() == text {
			return true
		}
	}
	return false
}

// Whole returns the whole text of a block, or of its part with the given id.
func (l *Blocks) Whole(id, part string) (text string, ok bool) {
	b := l.byID[id]
	if b == nil {
		return "", false
	}
	if b.Kind != ToolUse {
		return b.text.String(), true
	}

	items := l.opts.groupOf(b.items, part)
	if it := itemOf(b.items, part); it != nil {
		items = []*item{it}
	}

	var parts []string
	for _, it := range items {
		parts = append(parts, it.whole())
	}

	return strings.Join(parts, "\n"), len(parts) > 0
}

func (l *Blocks) add(kind Kind) *Block {
	l.made++
	b := &Block{ID: l.opts.Prefix + "b" + strconv.Itoa(l.made), Kind: kind}
	if !l.loading {
		b.began = l.opts.Now()
	}
	if last := l.last(); last != nil {
		b.gap = !last.aside() || !b.aside()
		l.close(last)
	}
	if l.behind.at != nil {
		l.insert(b)
	} else {
		l.list = append(l.list, b)
	}

	l.byID[b.ID] = b
	l.touch(b)
	return b
}

// addBehind adds a block behind another and what belongs to that, in front of others that may be drawn already; nil if the other is not
// there any more.
func (l *Blocks) addBehind(kind Kind, at *Block) *Block {
	i := slices.Index(l.list, at)
	if i < 0 {
		return nil
	}
	for i++; i < len(l.list) && !l.list[i].gap; i++ {
	}

	l.behind.at = l.list[i-1]
	b := l.add(kind)
	l.behind = insertion{}
	if p := l.pending; i <= len(p.above) { // what is around it is not drawn yet
		p.dirty, p.above = p.dirty[:len(p.dirty)-1], slices.Insert(p.above, i, b)
	}
	return b
}

// last is the block behind which the next one comes.
func (l *Blocks) last() *Block {
	if l.behind.at != nil {
		return l.behind.at
	}
	if len(l.list) == 0 {
		return nil
	}
	return l.list[len(l.list)-1]
}

// close ends a block of text: later text starts another block.
func (l *Blocks) close(b *Block) {
	if b.closed {
		return
	}

	b.closed, b.ended = true, l.opts.Now()
	if b.Kind == Thought {
		l.touch(b)
	}
	if b.Kind == Agent {
		l.pending.queueParts(b)
	}
	if b.Kind == Agent || b.Kind == Thought {
		l.holding.add(b, len(b.text.text))
	}
}

func (l *Blocks) endText() {
	if b := l.last(); b != nil {
		l.close(b)
	}
}

func (l *Blocks) touch(b *Block) {
	if !b.unrecorded && !b.restored {
		b.unrecorded = true
		l.unrecorded.blocks = append(l.unrecorded.blocks, b)
	}
	l.pending.show(b)
}

// insert puts a new block behind the one that l.behind names.
func (l *Blocks) insert(b *Block) {
	i := slices.Index(l.list, l.behind.at)
	if i < len(l.list)-1 {
		l.behind.inserted = true
		for k := i; k >= 0 && b.after == ""; k-- {
			b.after = l.recordedAs(l.list[k])
		}
	}
	l.list = slices.Insert(l.list, i+1, b)
	l.behind.at = b
}

// spread has the empty lines between blocks again, after some came or went among others.
func (l *Blocks) spread() {
	for i, b := range l.list {
		b.gap = i > 0 && (!l.list[i-1].aside() || !b.aside())
	}
}

// recordedAs is the id of the last entry that the record has of a block, "" if it has none.
func (l *Blocks) recordedAs(b *Block) string {
	if b.Kind == ToolUse {
		if n := len(b.items); n > 0 {
			return cmp.Or(b.items[n-1].origin, l.opts.Prefix+b.items[n-1].id)
		}
		return ""
	}
	if b.restored && b.origin == "" {
		return ""
	}
	return b.key()
}
