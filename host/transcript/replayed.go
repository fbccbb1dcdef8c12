package transcript

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// An agent's replay is often less than the transcript: partial answers, thoughts and notices are missing, and some agents
// replay internal messages as the user's. So a replay only adds to the transcript.

// ownWords are the beginnings of internal messages that agents replay as the user's.
var ownWords = []string{"<session_context>", "[Function Response:"}

// ofUser returns the user's part of a replayed prompt.
func ofUser(text string) string {
	text, _ = unsaved.Strip(text)
	for _, begin := range ownWords {
		if strings.HasPrefix(strings.TrimSpace(text), begin) {
			_, rest, _ := strings.Cut(text, "</session_context>")
			return strings.TrimLeft(rest, "\n ")
		}
	}
	return text
}

// HasPrompts reports whether the transcript has a prompt.
func (t *Transcript) HasPrompts() bool {
	return slices.ContainsFunc(t.blocks, func(b *Block) bool { return b.Kind == User })
}

// Add adds the entries that a replay of the same session has and t lacks, each in its place. The two are aligned by the user's
// prompts; existing entries stay. The running turn is no part of what was replayed; with unanswered set, what the last replayed turn
// has beyond t is the running turn's answer. It reports whether all is to be drawn anew. Add may be called again when the replay has
// grown.
func (t *Transcript) Add(replay *Transcript, unanswered bool) (moved bool) {
	turns, replayed := t.past(), replay.split()
	next := 0 // the first turn that can still match
	end := t.before(turns)

	for k, r := range replayed {
		i := slices.IndexFunc(turns[next:], func(own round) bool { return samePrompt(own.prompt, r.prompt) })
		switch {
		case i >= 0:
			own := turns[next+i]
			next += i + 1
			t.behind.at = own.head
			if unanswered && k == len(replayed)-1 && next == len(turns) && t.running.turn {
				own.rest = t.blocks[len(t.blocks)-1]
			}
			t.addBlocks(own, r.blocks)
			end = own.end()
		case r.prompt != "":
			t.behind.at = end
			t.addBlocks(round{}, append([]*Block{r.head}, r.blocks...))
			end = t.behind.at
		}
	}

	t.behind.at = nil
	if !t.behind.inserted {
		t.endText()
		return false
	}

	t.behind.inserted, t.blocks[0].gap = false, false
	for i := 1; i < len(t.blocks); i++ {
		t.blocks[i].gap = !t.blocks[i-1].aside() || !t.blocks[i].aside()
	}

	t.Redraw()
	return true
}

// past is the turns before the running one.
func (t *Transcript) past() []round {
	turns := t.split()
	if t.running.turn {
		i := slices.IndexFunc(turns, func(r round) bool { return r.head == t.running.prompt })
		if i >= 0 {
			turns = turns[:i]
		}
	}
	return turns
}

// before is the block behind which a turn comes that is not one of turns.
func (t *Transcript) before(turns []round) *Block {
	if n := len(turns); n > 0 {
		return turns[n-1].end()
	}
	switch i := slices.Index(t.blocks, t.running.prompt); {
	case t.running.turn && i > 0:
		return t.blocks[i-1]
	case t.running.turn:
		return &Block{closed: true} // above all
	}
	return nil
}

// insert puts a new block behind t.behind.at.
func (t *Transcript) insert(b *Block) {
	i := slices.Index(t.blocks, t.behind.at)
	if i < len(t.blocks)-1 {
		t.behind.inserted = true
		for k := i; k >= 0 && b.after == ""; k-- {
			b.after = t.recordedAs(t.blocks[k])
		}
	}
	t.blocks = slices.Insert(t.blocks, i+1, b)
	t.behind.at = b
}

// recordedAs is the id of the last entry that the record has of a block, "" if it has none.
func (t *Transcript) recordedAs(b *Block) string {
	if b.Kind == ToolUse {
		if n := len(b.items); n > 0 {
			return cmp.Or(b.items[n-1].origin, t.opts.Prefix+b.items[n-1].id)
		}
		return ""
	}
	if b.restored && b.origin == "" {
		return ""
	}
	return b.key()
}

// round is a turn of a transcript: a prompt, and the blocks after it.
type round struct {
	prompt string
	head   *Block
	blocks []*Block
	rest   *Block // what it lacks is put behind this one; nil: in its place
}

// end is the last block of a turn.
func (s round) end() *Block {
	if n := len(s.blocks); n > 0 {
		return s.blocks[n-1]
	}
	return s.head
}

func (t *Transcript) split() []round {
	var list []round
	for _, b := range t.blocks {
		switch {
		case b.Kind == User:
			prompt := b.text.String()
			if b.words > 0 && b.words <= len(prompt) {
				prompt = prompt[:b.words]
			}
			list = append(list, round{prompt: plain.Words(prompt), head: b})
		case len(list) > 0:
			last := &list[len(list)-1]
			last.blocks = append(last.blocks, b)
		}
	}

	return list
}

// samePrompt reports whether a replayed prompt is one of the transcript's, to which the agent or the host may have added text.
func samePrompt(own, replayed string) bool {
	return own == replayed || own != "" && (strings.HasPrefix(replayed, own) || len(own) > 20 && strings.Contains(replayed, own))
}

// addBlocks adds the blocks of a replayed turn that a turn lacks, behind those that it has and that come before them.
func (t *Transcript) addBlocks(own round, replayed []*Block) {
	used := map[*item]bool{}
	for _, b := range replayed {
		if have := own.last(b); have != nil && slices.Index(t.blocks, have) > slices.Index(t.blocks, t.behind.at) {
			t.behind.at = have
		}
		if own.rest != nil {
			t.behind.at = own.rest
		}
		switch b.Kind {
		case User:
			t.addText(b, b.text.String())
		case Agent, Thought:
			t.addText(b, lacking(own.texts(b.Kind), b.text.String()))
		case ToolUse:
			for _, it := range b.items {
				t.addCall(own, it, nil, used)
			}
		case Plan:
			if !slices.ContainsFunc(own.blocks, func(o *Block) bool { return o.Kind == Plan }) {
				t.add(Plan).plan = b.plan
			}
		}

		if own.rest != nil {
			own.rest = t.behind.at
		}
	}
}

// last is the block of a turn that has the end of a replayed one, nil if none has any of it.
func (s round) last(replayed *Block) *Block {
	words := plain.Words(replayed.text.String())
	for _, b := range slices.Backward(s.blocks) {
		switch {
		case b.Kind != replayed.Kind:
		case b.Kind == ToolUse:
			if slices.ContainsFunc(replayed.items, func(it *item) bool { return round{blocks: []*Block{b}}.find(it.call, nil) != nil }) {
				return b
			}
		case b.Kind == Plan:
			return b
		default:
			if own := plain.Words(b.text.String()); own != "" && (strings.Contains(own, words) || strings.Contains(words, own)) {
				return b
			}
		}
	}

	return nil
}

func (s round) texts(kind Kind) string {
	var out strings.Builder
	for _, b := range s.blocks {
		if b.Kind == kind {
			out.WriteString(b.text.String() + "\n")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}

// lacking returns the part of a replayed text that a turn lacks: none, the rest of a text that it has the beginning of, or all.
func lacking(own, replayed string) string {
	if strings.Contains(plain.Words(own), plain.Words(replayed)) {
		return ""
	}
	if rest, ok := strings.CutPrefix(replayed, own); ok {
		return strings.TrimLeft(rest, "\n ")
	}
	return replayed
}

// addText adds a text as a block of its own.
func (t *Transcript) addText(b *Block, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.add(b.Kind).text.append(text)
}

// addCall adds a replayed call, and those below it, unless the turn has it; of a run that it has, what is missing below it.
func (t *Transcript) addCall(own round, it, parent *item, used map[*item]bool) {
	if have := own.find(it.call, used); have != nil {
		used[have] = true
		t.addLacking(own, it, have, used)
		return
	}

	c := it.call.Clone()
	if !c.finished() && c.Kind != runKind {
		c.Status = cancelled
	}

	added := t.newItem(c.ID, parent)
	added.call, added.began = c, it.began
	t.touchItem(added)
	if c.Kind != runKind {
		added = nil
	}
	for _, child := range it.children {
		t.addCall(own, child, added, used)
	}
}

// addLacking adds what is below a replayed run and not below the same run of the transcript.
func (t *Transcript) addLacking(own round, it, have *item, used map[*item]bool) {
	if it.call.Kind != runKind {
		return
	}

	var said []string
	for _, child := range have.children {
		if child.speech() {
			said = append(said, child.call.Texts()...)
		}
	}

	words := plain.Words(strings.Join(said, " "))
	for _, child := range it.children {
		text := strings.Join(child.call.Texts(), "\n")
		switch {
		case !child.speech():
			t.addCall(own, child, have, used)
		case !strings.Contains(words, plain.Words(text)):
			t.note(have, child.call.ID+"+", child.call.Kind, text)
		}
	}
}

// find returns the item of a turn that is a call and none of used, by its id or, unless it is a run or below one, by its content; nil if
// there is none.
func (s round) find(c *Call, used map[*item]bool) *item {
	ours := strings.HasPrefix(c.ID, ofChild)
	sameID := func(it *item) bool { return it.call.ID == c.ID && !acp.NoID(c.ID) }
	var in func(items []*item) *item
	in = func(items []*item) *item {
		for _, it := range items {
			if !used[it] && (sameID(it) || !ours && it.call.Kind == c.Kind && it.call.Heading() == c.Heading()) {
				return it
			}
			if found := in(it.children); found != nil {
				return found
			}
		}
		return nil
	}
	for _, b := range s.blocks {
		if found := in(b.items); found != nil {
			return found
		}
	}

	return nil
}

// replayedChunk returns the user's part of a replayed chunk; nil if it has none.
func replayedChunk(c *acp.ContentChunk) *acp.ContentChunk {
	text, ok := c.Content.(*acp.TextContent)
	if !ok {
		return c
	}
	said := ofUser(text.Text)
	if said == text.Text {
		return c
	}
	if said == "" {
		return nil
	}
	return &acp.ContentChunk{Content: acp.Text(said), MessageID: c.MessageID}
}
