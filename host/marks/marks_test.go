package marks

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/neovim/go-client/msgpack"
)

// Neovim gets one flat list; a list without marks is left out of what it belongs to.
func TestEncoding(t *testing.T) {
	type op struct {
		Marks List `msgpack:"marks,omitempty"`
	}
	tests := []struct {
		name string
		op   op
		want string
	}{
		{"none", op{}, "map[]"},
		{"two", op{List{New(0, 2, 300, "A"), New(70_000, 0, Line, "B")}}, "map[marks:[0 2 300 A 70000 0 -1 B]]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := msgpack.NewEncoder(&b).Encode(test.op); err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := msgpack.NewDecoder(&b).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(got); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Whole lines have no columns to move.
func TestMove(t *testing.T) {
	l := List{New(1, 2, 3, "A"), New(1, 0, Line, "B")}
	l.Move(4, 5)
	if want := (List{New(5, 7, 8, "A"), New(5, 0, Line, "B")}); !reflect.DeepEqual(l, want) {
		t.Errorf("got %v, want %v", l, want)
	}
}
