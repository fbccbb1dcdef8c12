package guard

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// settle is how long the first process group has the processors to itself before the guard starts.
const settle = 100 * time.Millisecond

// marked returns the other processes whose environment has a mark, or one with a suffix.
func marked(mark string) []int { return having(RunVar, mark) }

// guarded reports whether a guard for a mark runs.
func guarded(mark string) bool { return len(having(guardedVar, mark)) > 0 }

// having returns the other processes in whose environment a variable has a mark, or one with a suffix.
func having(name, mark string) []int {
	if mark == "" {
		return nil
	}

	want := []byte(name + "=" + mark)
	below := append(bytes.Clone(want), '/')
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}

	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}

		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil {
			continue // gone, or another user's
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, want) || bytes.HasPrefix(v, below) {
				pids = append(pids, pid)
				break
			}
		}
	}

	return pids
}
