package transcript

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/record"
)

// said is who says what.
type said struct{ kind, text string }

func replayOf(list []said) *Transcript {
	tr := newTest()
	tr.BeginLoad()
	for _, s := range list {
		switch s.kind {
		case "user":
			tr.Apply((*acp.UserMessageChunk)(chunkOf(s.text)))
		case "agent":
			tr.Apply((*acp.AgentMessageChunk)(chunkOf(s.text)))
		case "thought":
			tr.Apply((*acp.AgentThoughtChunk)(chunkOf(s.text)))
		case "call":
			tr.Apply(&acp.ToolCall{ToolCallID: s.text, Title: s.text, Kind: acp.ToolKindRead, Status: acp.ToolCallCompleted})
		}
	}
	return tr
}

func saidIn(t *Transcript) []said {
	var list []said
	for _, b := range t.blocks.list {
		if b.Kind != ToolUse {
			list = append(list, said{string(b.Kind), b.text.String()})
		}
		for _, it := range b.items {
			list = append(list, said{"call", it.call.Title})
		}
	}
	return list
}

// What an agent was told, and nobody shows, parts what it says before from what it says after (behaviour 1353).
func TestToldParts(t *testing.T) {
	for _, told := range []string{"<session_context>x</session_context>", "[Function Response: read]"} {
		want := []said{{"user", "one"}, {"agent", "first."}, {"agent", "Second."}}
		if got := saidIn(replayOf(slices.Insert(slices.Clone(want), 2, said{"user", told}))); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", told, got, want)
		}
	}
}

// A replay adds the missing entries, each in its place, once; existing ones keep their content and order (behaviours 17, 142, 803, 1204).
func TestReplayAdds(t *testing.T) {
	ours := []said{{"user", "one"}, {"thought", "hm"}, {"call", "c"}, {"agent", "first answer"}, {"user", "two @file"}, {"agent", "second"}}
	with := func(at int, more ...said) []said { return slices.Insert(slices.Clone(ours), at, more...) }
	tests := []struct {
		name   string
		replay []said
		want   []said
	}{
		{"the same", ours, ours},
		{"less", []said{{"user", "one"}, {"agent", "first"}}, ours},
		{"the rest of an answer", []said{{"user", "two @file"}, {"agent", "second and third"}}, with(6, said{"agent", "and third"})},
		{"the rest of an earlier answer", []said{{"user", "one"}, {"agent", "first answer and more"}}, with(4, said{"agent", "and more"})},
		{"a turn of elsewhere", with(6, said{"user", "three"}, said{"agent", "third"}), with(6, said{"user", "three"}, said{"agent", "third"})},
		{"a turn between", with(4, said{"user", "three"}, said{"agent", "third"}), with(4, said{"user", "three"}, said{"agent", "third"})},
		{"a call after a call", []said{{"user", "one"}, {"call", "c"}, {"call", "d"}, {"agent", "first answer"}}, with(3, said{"call", "d"})},
		{"a call and a thought", []said{{"user", "one"}, {"thought", "ah"}, {"call", "d"}}, with(1, said{"thought", "ah"}, said{"call", "d"})},
		{"a prompt with what went along", []said{{"user", "one"}, {"user", " <file>text</file>"}, {"agent", "first answer"}}, ours},
		{"what nobody said", []said{{"user", "<session_context>x</session_context>"}, {"user", "one"}, {"user", "[Function Response: read]"}, {"agent", "first"}}, ours},
		{"prompts with nothing between", []said{{"user", "one"}, {"user", "two @file"}, {"agent", "second"}, {"call", "d"}}, with(6, said{"call", "d"})},
		{"nothing in common", []said{{"user", "other"}, {"agent", "words"}}, with(6, said{"user", "other"}, said{"agent", "words"})},
		{"without a prompt", []said{{"agent", "words"}}, ours},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := replayOf(ours)
			tr.EndLoad()
			before, _ := tr.unrecorded.Unsaved(true)
			replay := replayOf(tt.replay)
			for range 2 {
				tr.Add(replay, false)
				if got := saidIn(tr); !slices.Equal(got, tt.want) {
					t.Errorf("got %v\nwant %v", got, tt.want)
				}
				for _, b := range tr.blocks.list {
					if b.Kind == Agent && !b.closed {
						t.Errorf("%q is open", b.text.String())
					}
				}
			}

			// The record has the same order.
			after, _ := tr.unrecorded.Unsaved(true)
			var file []byte
			for _, e := range slices.Concat(before, after) {
				file = record.Append(file, e)
			}
			rec, err := record.Read(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			again := newTest()
			again.Restore(rec.Entries)
			if got := saidIn(again); !slices.Equal(got, tt.want) {
				t.Errorf("the record has %v\nwant %v", got, tt.want)
			}

			// And while the next turn runs, which it does not touch.
			tr = replayOf(ours)
			tr.EndLoad()
			tr.Prompt("now", nil)
			tr.Apply((*acp.AgentMessageChunk)(chunkOf("I do")))
			tr.Add(replayOf(tt.replay), false)
			if got, want := saidIn(tr), append(slices.Clone(tt.want), said{"user", "now"}, said{"agent", "I do"}); !slices.Equal(got, want) {
				t.Errorf("in a turn: got %v\nwant %v", got, want)
			}
		})
	}
}

// Of a replayed prompt the user has said what is no message of the agent's program to its model, and no note of ours.
func TestOfUser(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a question", "a question"},
		{"  a question\n", "  a question\n"},
		{"", ""},
		{"<session_context>\nThis is it.\n</session_context>", ""},
		{"\n <session_context>This is it.</session_context>\n\n a question\n", "a question\n"},
		{"<session_context>without an end", ""},
		{"[Function Response: read_file]\n{}", ""},
		{"  [Function Response: read_file]", ""},
		{"what is <session_context>?", "what is <session_context>?"},
		{"why [Function Response: read_file]?", "why [Function Response: read_file]?"},
	} {
		if got := ofUser(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}
