package acp

import "testing"

// A chunk of text costs few allocations, 8 here and 15 with the race detector, whose pools forget: a stream has thousands a
// second.
func TestAllocationsPerChunk(t *testing.T) {
	line := benchLines[0].line
	got := testing.AllocsPerRun(1000, func() {
		m, err := parseMessage(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := decodeParams(m.Params, new(SessionNotification)); err != nil {
			t.Fatal(err)
		}
	})
	if most := 15.0; got > most {
		t.Errorf("%.1f allocations, want %.0f at most", got, most)
	}
}
