package host

import (
	"reflect"
	"testing"
)

// What a hanging Neovim was given back, and the next one gets, does not come from it a second time (behaviour 552).
func TestWithoutGivenBack(t *testing.T) {
	back := func(session string, texts ...string) laterCall {
		var list []unsent
		for _, text := range texts {
			list = append(list, unsent{Text: text})
		}
		return laterCall{luaGiveBack, []any{session, list}}
	}
	for _, test := range []struct {
		name, text string
		calls      []laterCall
		want       []string
	}{
		{"nothing", "typed", nil, []string{"typed"}},
		{"above", "back\ntyped", []laterCall{back("s", "back")}, []string{"typed"}},
		{"only", "back", []laterCall{back("s", "back")}, nil},
		{"two", "one\n\ntwo\ntyped", []laterCall{back("s", "one", "two")}, []string{"typed"}},
		{"two calls", "later\nback\ntyped\nmore", []laterCall{back("s", "back"), back("s", "later")}, []string{"typed\nmore"}},
		{"not there", "typed", []laterCall{back("s", "back")}, []string{"typed"}},
		{"longer", "backwards", []laterCall{back("s", "back")}, []string{"backwards"}},
		{"another session", "back\ntyped", []laterCall{back("r", "back")}, []string{"back\ntyped"}},
		{"another call", "back\ntyped", []laterCall{{luaSay, []any{"info", "back"}}}, []string{"back\ntyped"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, p := range withoutGivenBack("s", []unsent{{Text: test.text}}, test.calls) {
				got = append(got, p.Text)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
