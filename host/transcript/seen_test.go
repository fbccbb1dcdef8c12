package transcript

import (
	"fmt"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Diffs far above the end are found in their files, but highlighted only once a window shows them, or the user has opened them.
func TestUnseenDiffs(t *testing.T) {
	tr := newTest()
	looked := 0
	tr.opts.Text = func(string) (string, bool) { looked++; return "one\ntwo\nvar three = 3\nfour\n", true }
	const calls = 200
	for i := range calls {
		old := "var three = 3\n"
		diff := &acp.Diff{Path: "a.go", OldText: &old, NewText: fmt.Sprintf("var three = %d\n", 100+i)}
		tr.Apply(&acp.ToolCall{ToolCallID: fmt.Sprint("c", i), Status: acp.ToolCallCompleted, Content: []acp.ToolCallContent{diff}})
	}
	colours := func() (list []int) {
		tr.drawing.Frame(1 << 20)
		for j := tr.drawing.Job(); j != nil; j = tr.drawing.Job() {
			j.Do()
			tr.drawing.Done(j)
		}
		tr.drawing.Frame(1 << 20)
		for i := range calls {
			v := tr.calls.byID[fmt.Sprint("c", i)].call
			if view := v.view(v.Diffs()[0]); view.spans != nil {
				list = append(list, i)
			}
			if view := v.view(v.Diffs()[0]); view.first == 0 {
				t.Errorf("call %d has no numbers", i)
			}
		}
		return list
	}

	first := colours()
	if n := len(first); n < 20 || n > 60 || first[n-1] != calls-1 || first[0] != calls-n {
		t.Errorf("highlighted at first: %v", first)
	}
	if looked != calls {
		t.Errorf("files were read %d times", looked)
	}

	b := tr.calls.byID["c3"].block
	row := func(id string) int { return b.rowOf(tr.calls.byID[id]) }
	tr.drawing.Look(RowPlace{b.ID, row("c4") - 1}, RowPlace{b.ID, row("c6")}) // the last row of the call before, up to the head of the last
	if more := colours(); len(more) != len(first)+4 || more[0] != 3 || more[3] != 6 {
		t.Errorf("highlighted when they are seen: %v", more)
	}
	if looked != calls {
		t.Errorf("files were read %d times", looked)
	}
	tr.drawing.Toggle(b.ID, tr.calls.byID["c1"].id) // closed …
	tr.drawing.Toggle(b.ID, tr.calls.byID["c1"].id)
	tr.drawing.Look(RowPlace{b.ID, row("c1")}, RowPlace{b.ID, row("c1")})
	if more := colours(); more[0] != 1 {
		t.Errorf("highlighted when it is opened: %v", more)
	}
}
