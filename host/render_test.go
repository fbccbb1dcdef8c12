package host

import (
	"testing"
	"time"
)

// A stream of 100 pokes a second is drawn at most 31 times a second; a burst after a quiet moment is drawn at once.
func TestPacer(t *testing.T) {
	start := time.Unix(0, 0)
	var p pacer
	if got := p.pause(start, false); got != quickFrame {
		t.Errorf("the first frame is followed after %v, want %v", got, quickFrame)
	}
	frames, now := 0, start
	for now.Before(start.Add(10 * time.Second)) {
		frames++
		now = now.Add(max(p.pause(now, false), 10*time.Millisecond))
	}
	if frames > 10*31+burst {
		t.Errorf("%d frames in 10 s, want at most %d", frames, 10*31+burst)
	}
	if got := p.pause(now, true); got != fastFrame {
		t.Errorf("under load the next frame comes after %v, want %v", got, fastFrame)
	}
	quiet := now.Add(time.Second)
	for i := range burst {
		if got := p.pause(quiet, false); got != quickFrame {
			t.Errorf("frame %d after a quiet second is followed after %v, want %v", i, got, quickFrame)
		}
	}
	if got := p.pause(quiet, false); got != slowFrame {
		t.Errorf("after the burst the next frame comes after %v, want %v", got, slowFrame)
	}
}
