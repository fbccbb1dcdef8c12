package acp

import (
	"encoding/json"
	"strings"
	"testing"
)

// A served text is the same in the message, whatever its size and wherever it is split.
func TestAnswerText(t *testing.T) {
	for _, piece := range []string{"x", "é", "漢", "🙂", "\"\\\n\x01", "a\nb\tc", "\x00"} {
		for _, n := range []int{0, 1, 7, halved / len(piece), halved/len(piece) + 1, halved/len(piece) + 2} {
			want := strings.Repeat(piece, n)
			line := answerText(Raw(`"id"`), &ReadTextFileResponse{Content: want})
			var got struct {
				JSONRPC, ID string
				Result      struct{ Content string }
			}
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%d × %q: %v", n, piece, err)
			}
			if got.Result.Content != want || got.ID != "id" || got.JSONRPC != "2.0" || line[len(line)-1] != '\n' {
				t.Errorf("%d × %q is not what is read back", n, piece)
			}
		}
	}
}
