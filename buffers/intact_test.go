package buffers

import "testing"

// Lines that an agent gives back as it has read them keep their bytes that are no UTF-8 (behaviour 1672).
func TestIntact(t *testing.T) {
	for _, tt := range []struct{ name, seen, text, want string }{
		{"another line", "caf\xe9 one\ntwo\n", "caf\uFFFD one\nTWO\n", "caf\xe9 one\nTWO\n"},
		{"above and below", "a\n\xe9\nb\n", "new\na\n\uFFFD\nB\nmore\n", "new\na\n\xe9\nB\nmore\n"},
		{"the line itself", "caf\xe9 one\ntwo\n", "caf\uFFFD ONE\ntwo\n", "caf\uFFFD ONE\ntwo\n"},
		{"removed", "\xe9\ntwo\n", "\ntwo\n", "\ntwo\n"},
		{"a character cut off, of which some make one and some two", "\xe2\x82 x\ny\n", "\uFFFD x\nY\n", "\xe2\x82 x\nY\n"},
		{"each byte of it", "\xe2\x82 x\ny\n", "\uFFFD\uFFFD x\nY\n", "\xe2\x82 x\nY\n"},
		{"beside a real one", "\uFFFD\n\xe9\n", "\uFFFD\n\uFFFD\nz\n", "\uFFFD\n\xe9\nz\n"},
		{"all valid", "\uFFFD\n", "\uFFFD!\n", "\uFFFD!\n"},
		{"no line end", "\xe9", "\uFFFD\n", "\xe9\n"},
	} {
		if got := Intact(tt.seen, tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
