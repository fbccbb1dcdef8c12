package checkpoint

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe in place of a list of ignored files, for which Git waits, is named, and ends no later checkpoints (behaviour 695).
func TestPipeForGit(t *testing.T) {
	f := committed(t, "a", "1\n", "d/b", "2\n")
	limits := DefaultLimits
	limits.Time = 2 * time.Second
	s := Open(f.path("../state"), limits)
	before := f.take(s)
	if err := syscall.Mkfifo(f.path("d/.gitignore"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := s.Take(context.Background(), []string{f.root})
	if len(c.Missing) != 1 || !strings.Contains(c.Missing[0].Reason, "d/.gitignore") {
		t.Fatalf("missing: %v", c.Missing)
	}
	f.remove("d/.gitignore")
	f.write("a", "3\n")
	if got := f.diff(s, before, f.take(s)); got != "M a" {
		t.Errorf("got %q", got)
	}
}
