package elsewhere

import (
	"testing"
	"testing/synctest"
	"time"
)

// Leave waits for a connection's end and the folders not longer than it says.
func TestLeaveIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &master{ready: make(chan struct{}), users: 1} // what ends it waits
		began := time.Now()
		left := make(chan struct{})
		go func() { // ends when m is ready at the latest
			(&Place{master: m}).Leave()
			close(left)
		}()
		select {
		case <-left:
		case <-time.After(time.Minute):
		}
		if took := time.Since(began); took != leaveTime {
			t.Errorf("it took %v", took)
		}
		close(m.ready)
	})
}
