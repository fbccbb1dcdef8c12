package caught

import (
	"sync/atomic"
	"testing"
)

// A panic in a goroutine of a group is reported, and the group does not wait for it for ever (behaviour 870).
func TestGroup(t *testing.T) {
	var faults, ran atomic.Int32
	OnPanic(func(*Error) { faults.Add(1) })
	t.Cleanup(func() { report.Store(nil) })
	var g Group
	for i := range 4 {
		g.Go(func() {
			ran.Add(1)
			if i%2 == 0 {
				panic("no")
			}
		})
	}
	g.Wait()
	if ran.Load() != 4 || faults.Load() != 2 {
		t.Errorf("%d have run, %d faults are reported", ran.Load(), faults.Load())
	}
}
