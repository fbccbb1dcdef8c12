package attaching

import (
	"bytes"
	"runtime/pprof"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvim-acp/nvim-acp/host/attach"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// idleHost is a host that is told how long it may be idle.
type idleHost struct {
	feature.Host
	settings *settings.Settings
	done     chan struct{}
}

func (h idleHost) Settings() *settings.Settings { return h.settings }
func (h idleHost) Done() <-chan struct{}        { return h.done }

func newIdle(minutes float64) *Life {
	s := new(settings.Settings)
	s.Session.IdleMinutes = minutes
	return New(idleHost{settings: s, done: make(chan struct{})}, new(attach.Seat), Config{}, Hooks{})
}

// A detached host in which nothing happens ends after its time, which begins again with each thing that happens and with each time it is
// detached.
func TestAwayEnds(t *testing.T) {
	over := func(l *Life) bool {
		select {
		case <-l.over:
			return true
		default:
			return false
		}
	}
	synctest.Test(t, func(t *testing.T) {
		l := newIdle(10)
		wait := func(minutes int, want bool) {
			t.Helper()
			<-time.After(time.Duration(minutes) * time.Minute) // of the bubble's clock
			synctest.Wait()
			if got := over(l); got != want {
				t.Fatalf("after %d minutes: ended: %v, want %v", minutes, got, want)
			}
		}
		l.mu.Lock()
		l.away()
		l.mu.Unlock()
		wait(9, false)
		l.Drawn(nil)
		wait(9, false)
		l.mu.Lock()
		l.here()
		l.mu.Unlock()
		wait(100, false)
		l.mu.Lock()
		l.away()
		l.mu.Unlock()
		wait(9, false)
		wait(2, true)
	})
}

// What waits for the end of a detached host goes when a Neovim comes: a host may be detached a hundred times a day (behaviour 1081).
func TestAwayLeaves(t *testing.T) {
	l := newIdle(24 * 60)
	for range 100 {
		l.mu.Lock()
		l.away()
		l.here()
		l.mu.Unlock()
	}
	for end := time.Now().Add(10 * time.Second); ; {
		var b bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&b, 2)
		if !bytes.Contains(b.Bytes(), []byte("liveAway")) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("it waits")
		}
	}
}
