package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// Whatever a transcript has, a frame of it has its budget and what one operation has beyond that: all of it is drawn, in as many
// frames as that takes.
func TestFrameBytes(t *testing.T) {
	const budget, most = 64 << 10, 2*(64<<10) + (8 << 10)
	line := strings.Repeat("some words ", 200)
	tests := []struct {
		name string
		do   func(tr *Transcript)
	}{
		{"a long answer", func(tr *Transcript) {
			tr.Apply((*acp.AgentMessageChunk)(chunkOf(strings.Repeat(line+"\n", 400))))
		}},
		{"a long answer after another", func(tr *Transcript) {
			tr.Apply((*acp.AgentMessageChunk)(chunkOf(strings.Repeat(line+"\n", 25))))
			tr.Apply((*acp.AgentThoughtChunk)(chunkOf("between")))
			tr.Apply((*acp.AgentMessageChunk)(chunkOf(strings.Repeat(line+"\n", 400))))
		}},
		{"output of long lines", func(tr *Transcript) { calls(tr, 1, strings.Repeat(strings.Repeat(line, 20)+"\n", 300)) }},
		{"many calls", func(tr *Transcript) { calls(tr, 40, strings.Repeat(line+"\n", 10)) }},
		{"code", func(tr *Transcript) {
			for _, lines := range []int{600, 1200, 600} {
				tr.Apply((*acp.AgentMessageChunk)(chunkOf("```go\n" + strings.Repeat("x := f(1, \"a\") // word\n", lines) + "```\n")))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, screen := newTest(), newPaper()
			tt.do(tr)
			frames, again := 0, true
			for again {
				for tr.drawing.Dirty() {
					ops, size := tr.drawing.Frame(budget), 0
					for _, op := range ops {
						size += op.Cost()
					}
					if size > most {
						t.Fatalf("frame %d has %d bytes, want %d at most", frames, size, most)
					}
					screen.apply(t, ops)
					if frames++; frames > 1000 {
						t.Fatal("it is never drawn")
					}
				}
				again = false
				for j := tr.drawing.Job(); j != nil; j = tr.drawing.Job() {
					j.Do()
					tr.drawing.Done(j)
					again = true
				}
			}
			got := screen.text()
			tr.drawing.Redraw()
			fresh := newPaper()
			settle(t, tr, fresh)
			if want := fresh.text(); got != want {
				t.Errorf("got %d bytes, want %d", len(got), len(want))
			}
		})
	}
}

// What takes Neovim time in a frame is not its bytes alone: of short blocks and of code with many marks it has fewer.
func TestFrameMarks(t *testing.T) {
	tests := []struct {
		name string
		do   func(tr *Transcript)
	}{
		{"short blocks", func(tr *Transcript) {
			for i := range 400 {
				tr.Apply((*acp.AgentMessageChunk)(chunkOf("words")))
				tr.Apply(&acp.ToolCall{ToolCallID: fmt.Sprint(i), Title: "call", Status: acp.ToolCallCompleted})
			}
		}},
		{"code", func(tr *Transcript) {
			tr.Apply((*acp.AgentMessageChunk)(chunkOf("```go\n" + strings.Repeat("x\n", 4000) + "```\n")))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTest()
			tt.do(tr)
			for frame := 0; tr.drawing.Dirty(); frame++ {
				ops, marks := tr.drawing.Frame(64<<10), 0
				for _, op := range ops {
					marks += len(op.Marks) + len(op.Virt)
				}
				if len(ops) > 130 || marks > 1030 {
					t.Fatalf("frame %d has %d operations with %d marks, want 130 and 1030 at most", frame, len(ops), marks)
				}
			}
		})
	}
}

// calls applies calls that are seen with what they print.
func calls(tr *Transcript, n int, text string) {
	for i := range n {
		content := []acp.ToolCallContent{&acp.Content{Content: acp.Text(text)}}
		tr.Apply(&acp.ToolCall{ToolCallID: fmt.Sprint(i), Title: "call", Status: acp.ToolCallInProgress, Content: content})
	}
}
