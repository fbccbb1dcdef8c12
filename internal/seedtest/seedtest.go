// Package seedtest chooses the seeds of tests that play at random. The suite plays the same games each time, so that it
// fails for a change and not by chance; with $NVIM_ACP_TEST_SEED it plays others.
package seedtest

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Of returns the seed of a test and logs it: that of its name or, with $NVIM_ACP_TEST_SEED, the number in it, or with
// "new" another each time. It has 32 bits: Lua can hold it, too.
func Of(t testing.TB) uint64 {
	t.Helper()
	var seed uint64
	switch chosen := os.Getenv("NVIM_ACP_TEST_SEED"); chosen {
	case "":
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(t.Name())) // never fails
		seed = uint64(hash.Sum32())
	case "new":
		seed = uint64(rand.Uint32())
	default:
		number, err := strconv.ParseUint(chosen, 10, 32)
		if err != nil {
			t.Fatalf("$NVIM_ACP_TEST_SEED is neither a number of 32 bits nor new: %v", err)
		}
		seed = number
	}
	t.Logf("NVIM_ACP_TEST_SEED=%d", seed)
	return seed
}
