package parser

import "testing"

func TestCount(t *testing.T) {
	if got := Count("one\ntwo\n"); got != 2 {
		t.Errorf("Count is %d, want 2", got)
	}
}
