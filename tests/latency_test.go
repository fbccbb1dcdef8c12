package tests

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// latencies are how long Neovim took to answer a bystander, sorted.
type latencies []time.Duration

// bystander asks Neovim something small again and again until stop is called, which returns how long that took.
func (e *editor) bystander() (stop func() latencies) {
	end, got := make(chan struct{}), make(chan latencies, 1)
	go func() { // until stop
		var all latencies
		for {
			select {
			case <-end:
				slices.Sort(all)
				got <- all
				return
			case <-time.After(2 * time.Millisecond):
			}
			began := time.Now()
			if _, err := e.CurrentTabpage(); err != nil {
				continue // it is gone, which the test will find
			}
			all = append(all, time.Since(began))
		}
	}()
	return func() latencies {
		close(end)
		return <-got
	}
}

// at is a quantile.
func (l latencies) at(q float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(int(q*float64(len(l))), len(l)-1)]
}

// memory is what a process has in memory, in bytes; most is the most that it ever had.
func memory(pid int) (now, most int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch n, _ := strconv.Atoi(f[1]); f[0] {
		case "VmRSS:":
			now = n << 10
		case "VmHWM:":
			most = n << 10
		}
	}
	return now, most
}
