package transcript

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/neovim/go-client/msgpack"

	"github.com/nvim-acp/nvim-acp/acp"
)

// An answer that comes in pieces, drawn after each.
func BenchmarkAnswer(b *testing.B) {
	text := strings.Repeat("# A heading\n\nSome **bold** words with `code` and [a link](https://example.com).\n- an _item_\n\n", 100)
	b.ReportAllocs()
	for b.Loop() {
		tr := New(Options{})
		for at := 0; at < len(text); at += 100 {
			tr.Apply(&acp.AgentMessageChunk{Content: acp.Text(text[at:min(at+100, len(text))])})
			send(b, tr)
		}
	}
}

// Calls with highlighted diffs and output, drawn anew.
func BenchmarkRedraw(b *testing.B) {
	tr := New(Options{})
	for i := range 20 {
		old := strings.Repeat("a := one(two)\n", 20)
		diff := &acp.Diff{Path: fmt.Sprintf("/w/f%d.go", i), OldText: &old, NewText: strings.Repeat("b := one(three)\n", 20)}
		output := &acp.Content{Content: acp.Text(strings.Repeat("a line of output\n", 50))}
		tr.Apply(&acp.ToolCall{
			ToolCallID: fmt.Sprint("c", i), Title: "Edit", Kind: acp.ToolKindEdit, Content: []acp.ToolCallContent{diff, output},
		})
		send(b, tr)
		for j := tr.drawing.Job(); j != nil; j = tr.drawing.Job() {
			j.Do()
			tr.drawing.Done(j)
		}
		send(b, tr)
	}
	b.ReportAllocs()
	for b.Loop() {
		tr.drawing.Redraw()
		send(b, tr)
	}
}

// send draws what is pending, and encodes it as it goes to Neovim.
func send(b *testing.B, tr *Transcript) {
	out := msgpack.NewEncoder(io.Discard)
	for tr.drawing.Dirty() {
		if err := out.Encode(tr.drawing.Frame(64 << 10)); err != nil {
			b.Fatal(err)
		}
	}
}
