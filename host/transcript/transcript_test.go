package transcript

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
)

// paper is an editor's copy of a transcript: blocks of lines, changed by operations only.
type paper struct {
	order  []string
	ahead  []string // the blocks of a frame that are above those before
	blocks map[string][]string
}

func (p *paper) apply(t *testing.T, ops []Op) {
	t.Helper()
	for _, op := range ops {
		old, known := p.blocks[op.ID]
		if op.Rows > 0 {
			p.restyle(t, op)
			continue
		}
		switch {
		case known:
			if op.Before+op.Amid != "" {
				t.Fatalf("%s is there already", op.ID)
			}
		case op.Amid != "":
			p.order = slices.Insert(p.order, slices.Index(p.order, op.Amid), op.ID)
		case op.Before != "":
			if op.Before != p.order[0] {
				t.Fatalf("%s is above %s, the first is %s", op.ID, op.Before, p.order[0])
			}
			p.ahead = append(p.ahead, op.ID)
		default:
			p.order = append(p.order, op.ID)
		}
		to := op.To
		if to == 0 {
			to = len(old)
		}
		if op.From > to || to > len(old) {
			t.Fatalf("%s: lines %d to %d of %d", op.ID, op.From, to, len(old))
		}
		p.blocks[op.ID] = slices.Concat(old[:op.From], op.Lines, old[to:])
		for _, m := range op.Marks {
			if row := m.Row; row < 0 || row >= len(op.Lines) {
				t.Fatalf("%s: a mark in row %d of %d", op.ID, row, len(op.Lines))
			}
		}
		for _, line := range op.Lines {
			if strings.ContainsAny(line, "\n\x00") {
				t.Fatalf("%s: not a line: %q", op.ID, line)
			}
		}
	}
	p.order, p.ahead = append(p.ahead, p.order...), nil
}

// restyle takes an operation that only marks lines anew.
func (p *paper) restyle(t *testing.T, op Op) {
	t.Helper()
	if n := len(p.blocks[op.ID]); op.From+op.Rows > n || len(op.Lines) > 0 {
		t.Fatalf("%s: marks for lines %d to %d of %d", op.ID, op.From, op.From+op.Rows, n)
	}
	for _, m := range op.Marks {
		if row := m.Row; row < 0 || row >= op.Rows {
			t.Fatalf("%s: a mark in row %d of %d", op.ID, row, op.Rows)
		}
	}
}

func (p *paper) text() string {
	var lines []string
	for _, id := range p.order {
		lines = append(lines, p.blocks[id]...)
	}
	return strings.Join(lines, "\n")
}

func newPaper() *paper { return &paper{blocks: map[string][]string{}} }

// settle draws all of a transcript, with what is rendered of it.
func settle(t *testing.T, tr *Transcript, screen *paper) {
	t.Helper()
	for again := true; again; {
		for tr.drawing.Dirty() {
			screen.apply(t, tr.drawing.Frame(1<<20))
		}
		again = false
		for j := tr.drawing.Job(); j != nil; j = tr.drawing.Job() {
			j.Do()
			tr.drawing.Done(j)
			again = true
		}
	}
}

func newTest() *Transcript {
	now := time.Unix(0, 0)
	return New(Options{FoldThoughts: true, FoldCalls: true, Now: func() time.Time { now = now.Add(time.Millisecond); return now }})
}

// act does something that agents and users do.
func act(t *Transcript, r *rand.Rand) {
	words := []string{"a", "two words", "", "\n", "line\n", "\n\n", "```go\n", "x := 1\n", "```\n", "**bold**", "- item\n", "| a | b |\n|-|-|\n", "    ", "> ", strings.Repeat("x", 3000), "é\r\n", "\x00"}
	word := func() acp.ContentBlock { return acp.Text(words[r.IntN(len(words))]) }
	call := fmt.Sprint("c", r.IntN(4))
	switch r.IntN(15) {
	case 0, 1, 2:
		t.Apply(&acp.AgentMessageChunk{Content: word(), MessageID: fmt.Sprint(r.IntN(2))})
	case 3, 4:
		t.Apply(&acp.AgentThoughtChunk{Content: word()})
	case 5:
		t.Apply(&acp.ToolCall{ToolCallID: call, Title: "call " + call, Content: []acp.ToolCallContent{&acp.Content{Content: word()}}})
	case 6:
		status := []acp.ToolCallStatus{"", acp.ToolCallInProgress, acp.ToolCallCompleted, acp.ToolCallFailed}[r.IntN(4)]
		old := "a\nb\n"
		diff := &acp.Diff{Path: "/f", OldText: &old, NewText: words[r.IntN(len(words))]}
		t.Apply(&acp.ToolCallUpdate{ToolCallID: call, Status: status, Content: acp.Some([]acp.ToolCallContent{diff})})
	case 7:
		t.Apply(&acp.Plan{Entries: make([]acp.PlanEntry, r.IntN(4))})
	case 8:
		t.Prompt("a prompt\nof two lines", []string{"file"})
	case 9:
		t.EndTurn([]acp.StopReason{acp.StopEndTurn, acp.StopCancelled}[r.IntN(2)], "")
	case 10:
		t.Fault("what went wrong\nand more")
	case 11:
		t.calls.Subagent("helper", call)
	case 12:
		c := word()
		t.calls.Speaks([]string{"helper", "", "another"}[r.IntN(3)], c.(*acp.TextContent).Text)
		t.Apply(&acp.AgentMessageChunk{Content: c})
	case 13:
		keys := slices.Sorted(maps.Keys(t.endings))
		if len(keys) > 0 {
			t.Changed(keys[r.IntN(len(keys))], []FileChange{{Path: "/f", Added: 1, Counted: true}})
		}
	case 14:
		if len(t.blocks.list) > 0 {
			b := t.blocks.list[r.IntN(len(t.blocks.list))]
			part := fmt.Sprint([]string{"c", "gc"}[r.IntN(2)], 1+r.IntN(4))
			t.drawing.Toggle(b.ID, part)
		}
	}
}

// jobOf returns a job in every second call, if there is one.
func jobOf(tr *Transcript, r *rand.Rand) *Job {
	if r.IntN(2) == 0 {
		return nil
	}
	return tr.drawing.Job()
}

// However updates are split into frames, the operations produce the same text as drawing it from scratch, also where the end of
// it is drawn first, and where some of a frame is worked out before it is sent (behaviours 80, 422).
func TestFramesAddUp(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		tr, screen := newTest(), newPaper()
		for range 60 + 240*int(seed%2) {
			act(tr, r)
			if r.IntN(20) == 0 {
				tr.drawing.SetWidth(20 + r.IntN(80))
			}
			if j := jobOf(tr, r); j != nil {
				j.Do()
				if r.IntN(9) == 0 {
					tr.drawing.Redraw()
					screen = newPaper()
				}
				tr.drawing.Done(j)
			}
			for r.IntN(2) == 0 && tr.drawing.Dirty() {
				if r.IntN(3) == 0 {
					tr.drawing.Ahead(1 + r.IntN(4000))
					continue
				}
				screen.apply(t, tr.drawing.Frame(1+r.IntN(4000)))
			}
		}
		settle(t, tr, screen)
		got := screen.text()
		tr.drawing.Redraw()
		fresh := newPaper()
		settle(t, tr, fresh)
		if want := fresh.text(); got != want {
			t.Fatalf("seed %d: %s", seed, firstDifference(got, want))
		}
	}
}

// A chunk of a long answer draws only the new lines (behaviour 80).
func TestChunkCostsItself(t *testing.T) {
	tr := newTest()
	tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(strings.Repeat("a line\n", 20_000))})
	for tr.drawing.Dirty() {
		tr.drawing.Frame(64 << 10)
	}
	tr.Apply(&acp.AgentMessageChunk{Content: acp.Text("one more\n")})
	lines := 0
	for _, op := range tr.drawing.Frame(64 << 10) {
		lines += len(op.Lines)
	}
	if lines > 2 {
		t.Errorf("%d lines drawn for one that is new", lines)
	}
}

// A message of many megabytes is shown in part: head and tail, with no line longer than the editor draws quickly
// (behaviours 117, 235).
func TestLongMessage(t *testing.T) {
	tr, screen := newTest(), newPaper()
	for range 64 {
		tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(strings.Repeat("x", 100_000))})
		screen.apply(t, tr.drawing.Frame(64<<10))
	}
	tr.Apply(&acp.AgentMessageChunk{Content: acp.Text("the end")})
	for tr.drawing.Dirty() {
		screen.apply(t, tr.drawing.Frame(64<<10))
	}
	text := screen.text()
	if len(text) > 3*keptPart || !strings.HasSuffix(text, "the end") || !strings.Contains(text, "not shown") {
		t.Errorf("%d bytes, ending %q", len(text), text[len(text)-20:])
	}
	for _, line := range strings.Split(text, "\n") {
		if len(line) > longLine+4 {
			t.Fatalf("a line of %d bytes", len(line))
		}
	}
	if whole, ok := tr.blocks.Whole(tr.blocks.list[0].ID, ""); !ok || len(whole) != 6_400_007 {
		t.Errorf("the whole has %d bytes", len(whole))
	}
}

// Highlighting that finishes after its transcript was replaced is dropped.
func TestLateJob(t *testing.T) {
	old := newTest()
	text := "a\n"
	diff := &acp.Diff{Path: "a.go", OldText: &text, NewText: "b\n"}
	old.Apply(&acp.AgentMessageChunk{Content: acp.Text("**words**")})
	old.Apply(&acp.ToolCall{ToolCallID: "c", Status: acp.ToolCallCompleted, Content: []acp.ToolCallContent{diff}})
	old.drawing.Frame(1 << 20)
	fresh := newTest()
	jobs := 0
	for j := old.drawing.Job(); j != nil; j = old.drawing.Job() {
		j.Do()
		fresh.drawing.Done(j)
		jobs++
	}
	if jobs != 2 || fresh.drawing.Dirty() {
		t.Errorf("%d jobs, and something of another transcript is to be drawn: %v", jobs, fresh.drawing.Dirty())
	}
}

// A repeated diff is not computed again, and a removed one is dropped from the cache.
func TestDiffsAreKept(t *testing.T) {
	tr := newTest()
	content := func(text string) acp.Opt[[]acp.ToolCallContent] {
		return acp.Some([]acp.ToolCallContent{&acp.Diff{Path: "/f", NewText: text}})
	}
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Status: acp.ToolCallCompleted, Content: content("one\n")})
	tr.drawing.Frame(1 << 20)
	c := tr.calls.Call("c")
	first := c.view(c.Diffs()[0])
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Content: content("one\n")})
	if c.view(c.Diffs()[0]) != first {
		t.Error("the same diff was worked out again")
	}
	tr.Apply(&acp.ToolCallUpdate{ToolCallID: "c", Content: content("two\n")})
	tr.drawing.Frame(1 << 20)
	if len(c.views) != 1 || c.view(c.Diffs()[0]) == first {
		t.Errorf("%d diffs are kept", len(c.views))
	}
}

// firstDifference says where two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			from := max(i-5, 0)
			return fmt.Sprintf("line %d: got\n%q\nwant\n%q", i+1, a[from:min(i+5, len(a))], b[from:min(i+5, len(b))])
		}
	}
	return "no difference"
}

// A long prompt of empty lines, as an agent may replay it, has no first lines to show.
func TestEmptyPrompt(t *testing.T) {
	for _, text := range []string{strings.Repeat("\n", 40), "x" + strings.Repeat("\n", 40), strings.Repeat("\n", 40) + "x"} {
		tr := New(Options{})
		tr.BeginLoad()
		tr.Apply((*acp.UserMessageChunk)(chunkOf(text)))
		tr.EndLoad()
		tr.drawing.Frame(1 << 20)
	}
}
