package host

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp/acptest"
	"github.com/nvim-acp/nvim-acp/host/guard"
)

// TestMain is the guard too, since a host starts its own program as that, and an agent that plays a script.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		guard.Main(os.Stdin, os.Stdout)
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		script, err := os.Open(os.Args[2])
		if err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), time.Hour) // else Go ends a process that hangs
			defer cancel()
			err = acptest.Script(ctx, script, os.Stdin, os.Stdout, acptest.ScriptOpts{Stderr: os.Stderr})
		}
		os.Exit(acptest.ExitStatus(err))
	}
	os.Exit(m.Run())
}
