package transcript

import (
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/edit"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/skills"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// round is a turn of a transcript: a prompt, and the blocks after it.
type round struct {
	prompt string
	head   *Block
	blocks []*Block
}

func (l *Blocks) split() []round {
	var list []round
	for _, b := range l.list {
		switch {
		case b.Kind == User:
			list = append(list, round{prompt: plain.Words(b.own()), head: b})
		case len(list) > 0:
			last := &list[len(list)-1]
			last.blocks = append(last.blocks, b)
		}
	}

	return list
}

// cut reports whether a turn was cut off: not all of it was heard.
func (s round) cut() bool {
	return slices.ContainsFunc(s.blocks, func(b *Block) bool { return b.Kind == Fault })
}

// endsIn reports whether the end of what the agent has said and done in a turn was replayed. Thoughts and plans often are not.
func (s round) endsIn(r round) bool {
	for _, b := range slices.Backward(s.blocks) {
		switch {
		case b.Kind == Agent, b.Kind == Thought && r.texts(Thought) != "":
			return strings.HasSuffix(plain.Words(r.texts(b.Kind)), plain.Words(b.text.String()))
		case b.Kind == ToolUse:
			return r.find(b.items[len(b.items)-1].call, nil) != nil
		}
	}
	return false
}

// end is the last block of a turn.
func (s round) end() *Block {
	if n := len(s.blocks); n > 0 {
		return s.blocks[n-1]
	}
	return s.head
}

// samePrompt reports whether a replayed prompt is one of the transcript's, to which the agent or the host may have added text.
func samePrompt(own, replayed string) bool {
	return own == replayed || own != "" && (strings.HasPrefix(replayed, own) || len(own) > 20 && strings.Contains(replayed, own))
}

// match returns the index of the turn that the first of some replayed ones is, -1 if none is. Prompts that nothing was said between are
// replayed as one: what follows is of the last of them.
func match(turns, replayed []round) int {
	prompt := replayed[0].prompt
	i := slices.IndexFunc(turns, func(own round) bool { return samePrompt(own.prompt, prompt) })
	if i < 0 {
		return -1
	}

	_, rest, _ := strings.Cut(prompt, turns[i].prompt)
	for j := i + 1; j < len(turns); j++ {
		own := turns[j]
		if own.prompt == "" || !samePrompt(own.prompt, strings.TrimSpace(rest)) {
			break
		}
		if slices.ContainsFunc(replayed[1:], func(r round) bool { return samePrompt(own.prompt, r.prompt) }) {
			break
		}
		_, rest, _ = strings.Cut(rest, own.prompt)
		i = j
	}

	return i
}

// has reports whether a turn has a piece of text behind what was replayed of it, or the beginning of it, if the turn was cut off.
func (s round) has(r round, kind Kind, text string) bool {
	ours, before := plain.Words(s.texts(kind)), ""
	for i, b := range r.blocks {
		if b.Kind != kind {
			continue
		}
		if i == len(r.blocks)-1 {
			before = b.text.String()
		} else if _, rest, ok := strings.Cut(ours, plain.Words(b.text.String())); ok {
			ours = rest
		}
	}
	words := plain.Words(before + text)
	return strings.Contains(ours, words) || s.cut() && strings.HasPrefix(words, ours) && len(plain.Words(before)) < len(ours)
}

// hasThought reports whether a thought of a turn begins with an update.
func (s round) hasThought(u acp.SessionUpdate) bool {
	c, ok := u.(*acp.AgentThoughtChunk)
	if !ok {
		return false
	}
	words := plain.Words(contentText(c.Content))
	return len(words) > 16 && slices.ContainsFunc(s.blocks, func(b *Block) bool {
		return b.Kind == Thought && strings.HasPrefix(plain.Words(b.text.String()), words)
	})
}

// hasPlan reports whether a turn has a plan that was not replayed yet, as far as it had got.
func (s round) hasPlan(r round, u *acp.Plan) bool {
	isPlan := func(b *Block) bool { return b.Kind == Plan }
	isStep := func(own PlanEntry, e acp.PlanEntry) bool { return own.Text == plain.Title(plain.OneLine(e.Content)) }
	i := slices.IndexFunc(s.blocks, isPlan)
	return i >= 0 && !slices.ContainsFunc(r.blocks, isPlan) && slices.EqualFunc(s.blocks[i].plan, u.Entries, isStep)
}

// hasCall reports whether a turn has a call that was not replayed yet.
func (s round) hasCall(r round, u *acp.ToolCallUpdate) bool {
	used := map[*item]bool{}
	for _, b := range r.blocks {
		for _, it := range b.items {
			used[s.find(it.call, used)] = true
		}
	}
	c := &Call{ID: u.ToolCallID, Kind: acp.ToolKindOther}
	c.Patch(u)
	return s.find(c, used) != nil
}

// ownWords are the beginnings of internal messages that agents replay as the user's.
var ownWords = []string{"<session_context>", "[Function Response:"}

// ToldPast begins what an agent is told of a conversation that it does not know.
const ToldPast = "This conversation began in another session, which you do not know."

// toldBegins are the beginnings of what an agent is told beside the user's words: skills, notes, a review, why something was rejected.
var toldBegins = []string{
	skills.Preface, skills.Nothing, ToldPast, "Note from the editor: the user ", "Note from the editor: in ",
	"<review>\nNote from the editor: ", "Note from the user, who rejected ",
}

// isTold reports whether a text is a block of a prompt in which the host has told the agent something, and no words of the user's.
func isTold(text string) bool {
	if rest, found := unsaved.Strip(text); found && rest == "" {
		return true
	}
	text = strings.TrimPrefix(text, "["+skills.URI+"]\n") // as a resource is shown
	begins := func(begin string) bool { return strings.HasPrefix(text, begin) }
	return slices.ContainsFunc(toldBegins, begins)
}

// ofUser returns the user's part of a replayed prompt.
func ofUser(text string) string {
	if isTold(text) {
		return ""
	}
	text, _ = unsaved.Strip(text)
	text = edit.Instruction(text)
	for _, begin := range ownWords {
		if strings.HasPrefix(strings.TrimSpace(text), begin) {
			_, rest, _ := strings.Cut(text, "</session_context>")
			return strings.TrimLeft(rest, "\n ")
		}
	}
	return text
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

// lacking returns the part of a replayed text that a turn lacks: none, the rest of a text that it has the beginning of, or all. Spaces do
// not count: what a turn has may be in several blocks. With rest, it continues what the turn has last of that kind.
func (s round) lacking(replayed *Block) (text string, rest bool) {
	text = replayed.text.String()
	if strings.Contains(plain.Words(s.texts(replayed.Kind)), plain.Words(text)) {
		return "", false
	}
	for i, b := range s.blocks {
		if b.Kind != replayed.Kind {
			continue
		}
		if rest, ok := cutWords(text, round{blocks: s.blocks[i:]}.texts(b.Kind)); ok {
			return rest, true
		}
	}
	return text, false
}

// cutWords returns a text without the words that it begins with.
func cutWords(text, words string) (rest string, ok bool) {
	for _, word := range strings.Fields(words) {
		if text, ok = strings.CutPrefix(strings.TrimLeft(text, spaces), word); !ok {
			return "", false
		}
	}
	return text, true
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
	if !ok && OnlyTold(c) {
		return nil
	}
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
