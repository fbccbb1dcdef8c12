package host

import (
	"testing"
	"time"
)

// A stream of 100 words a second is drawn at most 20 times a second, one of much text 31 times; a burst after a quiet moment is
// drawn at once.
func TestPacer(t *testing.T) {
	start := time.Unix(0, 0)
	var p pacer
	if got := p.pause(start, drawn{}); got != quickFrame {
		t.Errorf("the first frame is followed after %v, want %v", got, quickFrame)
	}
	now := start
	for _, tt := range []struct{ bytes, most int }{{200, 20}, {20_000, 31}} {
		frames, end := 0, now.Add(10*time.Second)
		for now.Before(end) {
			frames++
			now = now.Add(max(p.pause(now, drawn{bytes: tt.bytes}), 10*time.Millisecond))
		}
		if frames > 10*tt.most+burst || frames < 9*tt.most {
			t.Errorf("%d frames of %d bytes in 10 s, want %d", frames, tt.bytes, 10*tt.most)
		}
	}
	if got := p.pause(now, drawn{more: true}); got != fastFrame {
		t.Errorf("under load the next frame comes after %v, want %v", got, fastFrame)
	}
	quiet := now.Add(time.Second)
	for i := range burst {
		if got := p.pause(quiet, drawn{}); got != quickFrame {
			t.Errorf("frame %d after a quiet second is followed after %v, want %v", i, got, quickFrame)
		}
	}
	if got := p.pause(quiet, drawn{}); got != slowFrame {
		t.Errorf("after the burst the next frame comes after %v, want %v", got, slowFrame)
	}
}
