package acp

import "testing"

// A chunk of text is read in one pass, with few allocations, 7 here and 11 with the race detector, whose pools forget: a
// stream has thousands a second.
func TestAllocationsPerChunk(t *testing.T) {
	line := benchLines[0].line
	got := testing.AllocsPerRun(1000, func() {
		m, err := parseMessage(line)
		if err != nil {
			t.Fatal(err)
		}
		if m.update == nil {
			t.Fatal("the update was not read with the envelope")
		}
	})
	if most := 11.0; got > most {
		t.Errorf("%.1f allocations, want %.0f at most", got, most)
	}
}
