package checkpoint

import (
	"os"
	"testing"
)

// The mode of a file that is only just coming back is not its own.
func TestReturns(t *testing.T) {
	f := committed(t, "a", "1\n")
	s := f.store()
	path := f.path("a")
	mode := func(text string, mode os.FileMode) {
		f.write("a", text)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		f.take(s)
	}
	mode("2\n", 0o600)
	own, done := s.Returns(path)
	if !own {
		t.Error("it was only its owner's")
	}
	mode("3\n", 0o644)
	if !s.Owned(path) {
		t.Error("while it comes back a checkpoint looks at its mode")
	}
	done()
	mode("4\n", 0o644)
	if s.Owned(path) {
		t.Error("after that no checkpoint looks at its mode")
	}
}
