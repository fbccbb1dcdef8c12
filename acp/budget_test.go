package acp

import "testing"

// A chunk of text is read in one pass with at most 7 allocations, 11 with the race detector, since a stream has
// thousands of chunks a second.
func TestAllocationsPerChunk(t *testing.T) {
	line := benchLines[0].line
	got := testing.AllocsPerRun(1000, func() {
		m, err := parseMessage(line)
		if err != nil {
			t.Fatal(err)
		}
		if m.read == nil {
			t.Fatal("the update was not read with the envelope")
		}
	})
	if most := 11.0; got > most {
		t.Errorf("%.1f allocations, want %.0f at most", got, most)
	}
}
