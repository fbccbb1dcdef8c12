package settings

import (
	"testing"
	"time"
)

func TestIdleMinutes(t *testing.T) {
	var s Settings
	if got := s.Idle(); got != 0 {
		t.Errorf("unset: got %v, want 0", got)
	}
	s.Start.IdleMinutes = 1.5
	if got, want := s.Idle(), 90*time.Second; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
