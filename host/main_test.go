package host

import (
	"os"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/guard"
)

// TestMain is the guard too, since a host starts its own program as that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		guard.Main(os.Stdin)
		return
	}
	os.Exit(m.Run())
}
