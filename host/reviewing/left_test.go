package reviewing

import "testing"

// A file that was loaded in a Neovim that has left is looked at once.
func TestLeft(t *testing.T) {
	var l left
	l.set([]string{"/a"})
	if got := []bool{l.take("/b"), l.take("/a"), l.take("/a")}; got[0] || !got[1] || got[2] {
		t.Errorf("got %v", got)
	}
}
