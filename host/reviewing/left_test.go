package reviewing

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/host/files"
)

// A file that was loaded in a Neovim that has left is looked at once.
func TestLeft(t *testing.T) {
	var l left
	l.set([]string{"/a"})
	if got := []bool{l.take("/b"), l.take("/a"), l.take("/a")}; got[0] || !got[1] || got[2] {
		t.Errorf("got %v", got)
	}
}

// Of what buffers have read and the user has saved nothing is left out, and each is looked at once (behaviour 1405).
func TestReports(t *testing.T) {
	var l reports
	for _, path := range []string{"/a", "/b", "/a"} {
		l.add(heard{Report: files.Report{Path: path}})
	}
	if got := []int{len(l.take("/a")), len(l.take("/a")), len(l.take("/b"))}; !slices.Equal(got, []int{2, 0, 1}) {
		t.Errorf("got %v", got)
	}
}
