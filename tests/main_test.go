// Package tests plays stories in a real Neovim with scripted, recorded and demo agents; see story_test.go for their words.
package tests

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nvim-acp/nvim-acp/cmd/nvim-acp/program"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"nvim-acp":     func() { os.Exit(program.Main("test")) },
		"foreign-host": foreignHost,
		"wire-agent":   wireAgent,
		"busy-agent":   busyAgent,
	})
}
