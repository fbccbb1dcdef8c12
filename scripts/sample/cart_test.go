package shop

import "testing"

func TestTotal(t *testing.T) {
	cart := []Item{{"tea", 450, 2}, {"cup", 1200, 1}}
	if got, want := Total(cart), 2100; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
