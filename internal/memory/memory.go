// Package memory has the garbage of a turn collected when it is over: a first turn makes 10 to 20 MiB, for which the collector would run a
// dozen times in it.
package memory

import (
	"runtime"
	"runtime/debug"
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

// quiet is for how long nothing must happen before memory is given back.
const quiet = 2 * time.Second

var idle struct {
	sync.Mutex
	timer *time.Timer
}

// Keep keeps free memory for what begins now.
func Keep() {
	idle.Lock()
	defer idle.Unlock()
	if idle.timer != nil {
		idle.timer.Stop()
	}
}

// Release collects the garbage and gives free memory back to the system in two seconds, unless something begins before. It does not wait.
func Release() {
	idle.Lock()
	defer idle.Unlock()
	if idle.timer == nil {
		idle.timer = caught.After(quiet, debug.FreeOSMemory)
		return
	}
	idle.timer.Reset(quiet)
}
