package host

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// A text that is too large to be merged is refused, with the reason, before anything is done with it (behaviour 759).
func TestWriteIsBounded(t *testing.T) {
	_, err := client{}.WriteTextFile(&acp.WriteTextFileRequest{Path: "/f", Content: strings.Repeat("x", maxWrite+1)})(t.Context())
	if !acp.IsCode(err, acp.CodeInvalidParams) || !strings.Contains(err.Error(), "more than 64 MiB: nothing was written") {
		t.Errorf("got %v", err)
	}
	_, err = client{}.WriteTextFile(&acp.WriteTextFileRequest{Path: "/f", Content: strings.Repeat("\n", maxWritten+1)})(t.Context())
	if !acp.IsCode(err, acp.CodeInvalidParams) || !strings.Contains(err.Error(), "more than 1000000 lines: nothing was written") {
		t.Errorf("got %v", err)
	}
}
