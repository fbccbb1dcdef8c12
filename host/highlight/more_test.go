package highlight

import (
	"fmt"
	"reflect"
	"testing"
)

// Code that grows is highlighted as all of it is, without looking at all of it; where what is known of it is something else, More says
// so.
func TestMore(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("// f%d does something.", i), fmt.Sprintf("func f%d(n int) string {", i), "\tif n > 10 {",
			"\t\treturn `raw", "text of several lines", "for a moment`", "\t}", "\t/* a comment", "\tof two lines */",
			fmt.Sprintf("\treturn \"%d\"", i), "}", "")
	}
	inside := map[int]bool{4: true, 5: true, 8: true} // a string or a comment, where such a line begins
	for n := again; n < len(lines)-10; n += 7 {
		known, want := Code("a.go", lines[:n]), Code("a.go", lines[:n+10])
		got, ok := More("a.go", known, lines[:n+10])
		if ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%d lines and 10 more are not as they are together", n)
		}
		if inside[(n-again)%12] || inside[n%12] {
			continue // something seems to begin, or not to end
		}
		if !ok {
			t.Errorf("%d lines, from %q on: all is looked at", n, lines[n-again])
		}
		if _, ok := More("a.go", make([][]Span, n), lines[:n+10]); ok {
			t.Errorf("%d lines without highlights are taken as they are", n)
		}
	}
	if _, ok := More("a.go", Code("a.go", lines[:again-1]), lines); ok {
		t.Error("a few lines are enough")
	}
	if _, ok := More("unknown", make([][]Span, 100), lines); ok {
		t.Error("an unknown language has highlights")
	}
}
