package outside

import (
	"context"
	"testing"
)

// A host that ends stops searches and waits for them; none begins afterwards.
func TestStop(t *testing.T) {
	s := New()
	ended := false
	s.run(func(ctx context.Context) {
		<-ctx.Done()
		ended = true
	})
	s.Stop()
	if !ended {
		t.Error("a search goes on")
	}
	s.run(func(context.Context) { t.Error("a search begins") })
	s.Stop()
}
