package edit

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkAnswer is an answer of 500 lines, every second of them changed, a line at a time: what the painter does for each frame,
// at most.
func BenchmarkAnswer(b *testing.B) {
	var base, answer []string
	for i := range 500 {
		base = append(base, fmt.Sprintf("\tvalue%d := compute(%d, other[%d]) // as before", i, i, i))
		answer = append(answer, strings.Replace(base[i], "compute", []string{"compute", "changed"}[i%2], 1))
	}
	for b.Loop() {
		p := &Place{}
		p.Begin(Request{Kind: Edit, Lines: base, Tab: 4})
		p.Write("```go\n")
		var d Differ
		var marks []Mark
		for _, line := range answer {
			p.Write(line + "\n")
			s := p.Snapshot()
			diff := d.Diff(s, nil)
			Change(marks, base, diff.Marks, base).Parts(30, 10)
			marks = diff.Marks
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/500, "µs/line")
}

// BenchmarkColours finds the highlights of such an answer once.
func BenchmarkColours(b *testing.B) {
	var base, answer []string
	for i := range 500 {
		base = append(base, fmt.Sprintf("\tvalue%d := compute(%d, other[%d]) // as before", i, i, i))
		answer = append(answer, strings.Replace(base[i], "compute", []string{"compute", "changed"}[i%2], 1))
	}
	for b.Loop() {
		Colour(Request{Kind: Edit, Path: "a.go"}, base, answer, nil)
	}
}
