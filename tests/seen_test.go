package tests

import (
	"math/rand/v2"
	"testing"

	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// A command can be allowed once its last cell was drawn, and not before, whatever its lines and the size of the screen: long and
// short lines, wide characters, rows that wrap. That the end of one was seen does not count for the next (behaviours 221, 664).
func TestSeen(t *testing.T) {
	t.Parallel()
	_, run := scripted(t, "< initialize\n> {\"protocolVersion\": 1}\n< session/new\n> {\"sessionId\": \"s\"}\nhang\n")
	r := rand.New(rand.NewPCG(seedtest.Of(t), 1))
	run(`require("nvim-acp").chat() Seen = dofile(...)`, plugin(t)+"/tests/testdata/seen.lua")
	for round := range 200 {
		if got := run(`return Seen.play(...)`, round, r.Uint32()%(1<<30)); got != "" {
			t.Fatalf("round %d: %s", round, got)
		}
	}
}
