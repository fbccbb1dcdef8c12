package transcript

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
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
	for _, b := range t.blocks {
		if b.Kind != ToolUse {
			list = append(list, said{string(b.Kind), b.text.String()})
		}
		for _, it := range b.items {
			list = append(list, said{"call", it.call.Title})
		}
	}
	return list
}

// A replay adds the missing entries; existing ones keep their content and place (behaviours 17, 142).
func TestReplayAdds(t *testing.T) {
	ours := []said{{"user", "one"}, {"thought", "hm"}, {"call", "c"}, {"agent", "first answer"}, {"user", "two @file"}, {"agent", "second"}}
	tests := []struct {
		name   string
		replay []said
		adds   []said
	}{
		{"the same", ours, nil},
		{"less", []said{{"user", "one"}, {"agent", "first"}}, nil},
		{"the rest of an answer", []said{{"user", "two @file"}, {"agent", "second and third"}}, []said{{"agent", "and third"}}},
		{"a turn of elsewhere", append(slices.Clone(ours), said{"user", "three"}, said{"agent", "third"}), []said{{"user", "three"}, {"agent", "third"}}},
		{"a call and a thought", []said{{"user", "one"}, {"thought", "ah"}, {"call", "d"}}, []said{{"thought", "ah"}, {"call", "d"}}},
		{"a prompt with what went along", []said{{"user", "one"}, {"user", " <file>text</file>"}, {"agent", "first answer"}}, nil},
		{"what nobody said", []said{{"user", "<session_context>x</session_context>"}, {"user", "one"}, {"user", "[Function Response: read]"}, {"agent", "first"}}, nil},
		{"nothing in common", []said{{"user", "other"}, {"agent", "words"}}, []said{{"user", "other"}, {"agent", "words"}}},
		{"without a prompt", []said{{"agent", "words"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := replayOf(ours)
			tr.EndLoad()
			tr.Add(replayOf(tt.replay))
			if got, want := saidIn(tr), append(slices.Clone(ours), tt.adds...); !slices.Equal(got, want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
		})
	}
}
