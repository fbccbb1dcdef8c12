// Package memory has the garbage of a turn collected when it is over: a first turn makes 10 to 20 MiB, for which the collector would run a
// dozen times in it.
package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// floor is how much garbage there is before it is collected, in bytes; Go's own is 4 MiB, and as much as is in use.
const floor = 16 << 20

// Hold has the collector wait until there is much garbage, until release is called.
func Hold() (release func()) {
	ballast := make([]byte, floor) // in use, for the collector; the system gives no memory for it, as nothing is written to it
	return func() { runtime.KeepAlive(ballast) }
}

const (
	quiet = 2 * time.Second // for how long little is allocated where nothing happens,
	most  = 1 << 20         // in bytes
)

var idle struct {
	sync.Mutex
	timer     *time.Timer
	allocated uint64 // when the timer was set, in bytes
}

// Release collects the garbage and gives free memory back to the system, as soon as nothing happens for two seconds. It does not wait.
func Release() {
	idle.Lock()
	defer idle.Unlock()
	idle.allocated = allocated()
	if idle.timer == nil {
		idle.timer = caught.After(quiet, give)
		return
	}
	idle.timer.Reset(quiet)
}

func give() {
	idle.Lock()
	happens := allocated()-idle.allocated > most
	idle.Unlock()
	if happens {
		Release()
		return
	}
	debug.FreeOSMemory()
}

// allocated is how much this process has allocated since it began, in bytes.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
