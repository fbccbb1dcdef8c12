package tests

import (
	"slices"
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
