package elsewhere

import "testing"

// Only what runs here, or in a sandbox with a network, reaches what listens on 127.0.0.1 (behaviour 1152).
func TestLoopback(t *testing.T) {
	for _, test := range []struct {
		name  string
		place *Place
		want  bool
	}{
		{"here", nil, true},
		{"a sandbox", &Place{spec: Spec{Sandbox: true, Network: true}}, true},
		{"a sandbox without a network", &Place{spec: Spec{Sandbox: true}}, false},
		{"another machine", &Place{spec: Spec{Network: true}}, false},
	} {
		if got := test.place.Loopback(); got != test.want {
			t.Errorf("%s: got %t, want %t", test.name, got, test.want)
		}
	}
}
