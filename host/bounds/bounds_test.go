package bounds

import "testing"

// A number is said to be more as soon as entries may have been left unread.
func TestNumber(t *testing.T) {
	for read, want := range map[int]string{0: "7", Read - 1: "7", Read: "7 or more"} {
		if got := Number(7, read); got != want {
			t.Errorf("of %d read: got %q, want %q", read, got, want)
		}
	}
}
