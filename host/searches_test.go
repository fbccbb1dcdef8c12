package host

import (
	"context"
	"testing"
)

// A host that closes ends searches and waits for them; none begins afterwards.
func TestSearchesEndWithTheHost(t *testing.T) {
	s := newSearches()
	ended := false
	s.run(func(ctx context.Context) {
		<-ctx.Done()
		ended = true
	})
	s.stop()
	if !ended {
		t.Error("a search goes on")
	}
	s.run(func(context.Context) { t.Error("a search begins") })
	s.stop()
}
