package tools

import (
	"fmt"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// refusalPause is how long nothing more is said of refused connections after it was said.
const refusalPause = time.Minute

// refusals are connections to the editor's tools that were refused: the first one is said at once, those that follow are counted
// and said together, a while later. The zero value is ready for use. Safe for concurrent use.
type refusals struct {
	mu     sync.Mutex // guards all below
	timer  *time.Timer
	count  int // since something was said
	last   string
	closed bool
}

// add notes a refusal, with the reason. It calls say, maybe later and from another goroutine.
func (r *refusals) add(why string, say func(text string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
	case r.timer != nil:
		r.count, r.last = r.count+1, why
	default:
		say("a connection to the editor's tools was refused: " + why)
		r.timer = caught.After(refusalPause, func() { r.sum(say) })
	}
}

// sum says how many there were since something was said, if there were some.
func (r *refusals) sum(say func(text string)) {
	r.mu.Lock()
	defer r.mu.Unlock()

	switch {
	case r.closed:
		return
	case r.count == 0:
		r.timer = nil
		return
	case r.count == 1:
		say("a connection to the editor's tools was refused: " + r.last)
	default:
		say(fmt.Sprintf("%d more connections to the editor's tools were refused; the last one: %s", r.count, r.last))
	}

	r.count = 0
	r.timer.Reset(refusalPause)
}

// close has nothing more said.
func (r *refusals) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
}
