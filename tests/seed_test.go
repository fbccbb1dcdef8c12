package tests

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// seed is that of a test which plays at random. A flag chooses it.
type seed struct {
	name   string
	chosen *uint64
}

func newSeed(name string) seed {
	return seed{name, flag.Uint64(name, 0, "the seed of a test that plays at random; 0 for a new one")}
}

// of returns the seed, and logs it: Lua can hold it, too.
func (s seed) of(t *testing.T) uint64 {
	got := *s.chosen
	if got == 0 {
		got = uint64(rand.Uint32())
	}
	t.Logf("-%s %d", s.name, got)
	return got
}
