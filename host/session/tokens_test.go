package session

import (
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// The tokens of a turn are those of the turn, however its agent counts; what is not known is left out (behaviour 678).
func TestMeter(t *testing.T) {
	total := func(n uint64) *acp.Usage { return &acp.Usage{TotalTokens: n} }
	request := acp.Meta{"usage": acp.Raw(`{"totalTokens": 132}`)}
	quota := acp.Meta{"quota": acp.Raw(`{"token_count": {"input_tokens": 120, "output_tokens": 12}}`)}

	m := meter{known: true}
	for i, want := range []uint64{132, 132, 132, 132} { // Copilot
		if got := m.end(total(132*uint64(i+1)), nil, SumOfSession); got != want {
			t.Errorf("a sum, turn %d: got %d, want %d", i+1, got, want)
		}
	}
	if got := m.end(total(100), nil, SumOfSession); got != 100 {
		t.Errorf("a sum that has begun anew: got %d", got)
	}
	m = meter{} // a session of an earlier process
	if got := []uint64{m.end(total(500), nil, SumOfSession), m.end(total(632), nil, SumOfSession)}; got[0] != 0 || got[1] != 132 {
		t.Errorf("a sum whose beginning is not known: got %v, want 0 and 132", got)
	}
	if got := m.end(total(132), nil, LastRequest); got != 0 {
		t.Errorf("the last request: got %d, want none", got)
	}
	if got := m.end(total(132), nil, ""); got != 132 {
		t.Errorf("a turn: got %d", got)
	}
	m.update(request)
	m.update(request)
	if got := m.end(nil, nil, ""); got != 264 {
		t.Errorf("two requests: got %d, want 264", got)
	}
	if got := m.end(nil, nil, ""); got != 0 {
		t.Errorf("requests of the turn before count: %d", got)
	}
	if got := m.end(nil, quota, ""); got != 132 {
		t.Errorf("a quota: got %d", got)
	}

	m = meter{known: true} // the second turn fails
	var got []uint64
	for i, sum := range []uint64{1000, 0, 4000, 4500} {
		m.begin()
		if i != 1 {
			got = append(got, m.end(total(sum), nil, SumOfSession))
		} else {
			m.update(request)
		}
	}
	if !slices.Equal(got, []uint64{1000, 0, 500}) {
		t.Errorf("sums around a turn that has failed: got %v, want 1000, none and 500", got)
	}
}
