package loopback

import (
	"strings"
	"testing"
)

// A program of another user's is refused, whatever it knows, where the system says whose it is (behaviour 1152).
func TestForeignUser(t *testing.T) {
	s, said := start(t)
	s.user++
	url, token := s.offerTo(t, "one")
	if status, got := post(t, url, token, "hi"); status != 403 || !strings.Contains(got, "is not yours") {
		t.Errorf("got %d %q", status, got)
	}
	if text := said(); !strings.Contains(text, "is not yours") {
		t.Errorf("the user is told %q", text)
	}
}
