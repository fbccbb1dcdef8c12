// Package tests plays stories in a real Neovim with scripted, recorded and demo agents; see story_test.go for their words.
package tests

import (
	"errors"
	"os"
	"runtime/coverage"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nvim-acp/nvim-acp/cmd/nvim-acp/program"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"nvim-acp":     func() { os.Exit(counted(program.Main("test"))) },
		"foreign-host": foreignHost,
		"wire-agent":   wireAgent,
		"busy-agent":   busyAgent,
	})
}

// counted writes which statements have run, of a build that counts them; see scripts/coverage.
func counted(status int) int {
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		_ = errors.Join(coverage.WriteMetaDir(dir), coverage.WriteCountersDir(dir)) // no build of that kind
	}
	return status
}
