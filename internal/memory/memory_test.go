package memory

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

var sink []byte

func garbage(mib int) {
	for range mib << 4 {
		sink = make([]byte, 64<<10)
	}
}

func collected() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

// What a turn makes is not collected in it, but once, when nothing happens.
func TestMemory(t *testing.T) {
	runtime.GC()
	defer Hold()()
	runtime.GC()
	n := collected()
	garbage(8)
	if got := collected(); got != n {
		t.Errorf("8 MiB of garbage: collected %d times", got-n)
	}
	garbage(64)
	if got := collected(); got == n || got > n+10 {
		t.Errorf("72 MiB of garbage: collected %d times", got-n)
	}

	synctest.Test(t, func(t *testing.T) {
		defer func() { idle.timer = nil }() // it is the bubble's
		runtime.GC()
		n := collected()
		Release()
		for range 3 { // something goes on
			<-time.After(quiet - quiet/4) // of the clock of synctest
			garbage(2)
		}
		synctest.Wait()
		if got := collected(); got != n {
			t.Errorf("while something goes on: collected %d times", got-n)
		}
		for range 2 {
			Release()
			<-time.After(quiet / 2)
		}
		<-time.After(2 * quiet)
		synctest.Wait()
		if got := collected(); got != n+1 {
			t.Errorf("at rest: collected %d times", got-n)
		}
	})
}
