package transcript

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// prepare does what whoever draws does before a frame, and returns how much there was to do.
func prepare(tr *Transcript) int {
	n := 0
	for work := tr.drawing.Prepare(); len(work) > 0 && n < 1000; work = tr.drawing.Prepare() {
		n += len(work)
		for _, p := range work {
			p.Do()
		}
		tr.drawing.Prepared(work)
	}
	return n
}

// Frames are the same whether they were prepared or not, also where the agent goes on meanwhile.
func TestPreparedFrames(t *testing.T) {
	for seed := range uint64(100) {
		r, again := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
		one, other := newTest(), newTest()
		var work []*Preparation
		for step := range 100 {
			act(one, r)
			act(other, again)
			one.drawing.Prepared(work)
			work = one.drawing.Prepare()
			for _, p := range work {
				p.Do()
			}
			if step%3 > 0 {
				continue
			}
			prepare(one)
			if got, want := byBlock(one), byBlock(other); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, step %d: got %v, want %v", seed, step, got, want)
			}
		}
	}
}

// byBlock draws all, and returns the operations of each block: calls that end with a turn come in any order.
func byBlock(tr *Transcript) map[string][]Op {
	ops := map[string][]Op{}
	for tr.drawing.Dirty() {
		for _, op := range tr.drawing.Frame(1 << 20) {
			ops[op.ID] = append(ops[op.ID], op)
		}
	}
	return ops
}

// A frame of new calls neither compares nor parses anything by itself, and what is known is not worked out again.
func TestFramePrepared(t *testing.T) {
	tr := newTest()
	old := "a\nb\n"
	script := strings.Repeat("make && ", 20) + "true"
	tr.Apply(&acp.ToolCall{ToolCallID: "edit", Kind: acp.ToolKindEdit, Content: []acp.ToolCallContent{
		&acp.Diff{Path: "/f", OldText: &old, NewText: "a\nc\n"},
	}})
	tr.Apply(&acp.ToolCall{ToolCallID: "run", Kind: acp.ToolKindExecute, RawInput: acp.Raw(fmt.Sprintf(`{"command": %q}`, script))})
	if n := prepare(tr); n != 2 {
		t.Errorf("%d things to prepare, want 2", n)
	}
	edit, run := tr.calls.Call("edit"), tr.calls.Call("run")
	view, line := edit.view(edit.Diffs()[0]), run.line
	if line == nil || len(line.rows) != 21 || line.spans == nil {
		t.Fatalf("the command is read as %+v", line)
	}
	for tr.drawing.Dirty() {
		tr.drawing.Frame(64 << 10)
	}
	if edit.view(edit.Diffs()[0]) != view || run.line != line {
		t.Error("drawing has done it again")
	}
	tr.calls.Tick()
	if n := prepare(tr); n != 0 {
		t.Errorf("%d things to prepare again", n)
	}
}
