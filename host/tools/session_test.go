package tools

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Calls that change the same files, each named in an order of its own and maybe twice, wait for one another in one order: who waits for the
// first file has no other (behaviour 1194).
func TestWaitOrder(t *testing.T) {
	for _, paths := range [][]string{{"a", "b"}, {"b", "a"}, {"b", "a", "b"}} {
		synctest.Test(t, func(t *testing.T) {
			var q buffers.Queue
			first := q.Ticket("a")
			waited := make(chan func(), 1)
			go func() { // ends when first is done
				done, err := wait(t.Context(), &q, paths...)
				if err != nil {
					t.Error(err)
				}
				waited <- done
			}()

			synctest.Wait()
			now, stop := context.WithCancel(t.Context())
			stop()
			other := q.Ticket("b")
			if err := other.Wait(now); err != nil {
				t.Errorf("%q: who waits for a has b: %v", paths, err)
			}
			other.Done()
			first.Done()
			(<-waited)()
			for _, path := range paths {
				if err := q.Ticket(path).Wait(now); err != nil {
					t.Errorf("%q: %s is not let go", paths, path)
				}
				q = buffers.Queue{}
			}
		})
	}
}
