package plain

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// The reason of an error is before the path, which may be long (behaviour 1115).
func TestReason(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "/a/b.txt", Err: syscall.EACCES}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a path", denied, "permission denied (/a/b.txt)"},
		{"wrapped", fmt.Errorf("write %s: %w", "/a/b.txt", denied), "permission denied (/a/b.txt)"},
		{"no path", errors.New("it is closed"), "it is closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Reason(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
