package structure

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func readLines(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil // it was just parsed
	}
	return strings.Split(string(text), "\n")
}

// shown is how many packages and types are printed.
const shown = 10

// Print writes a report for people: the packages with the most files, the largest types, and what is counted over all.
func (r Report) Print(w io.Writer) {
	most := slices.Clone(r.Packages)
	slices.SortStableFunc(most, func(a, b Package) int { return b.Files - a.Files })
	fmt.Fprintf(w, "%-28s %6s %7s %7s\n", "package", "files", "lines", "circle")
	for _, p := range most[:min(shown, len(most))] {
		fmt.Fprintf(w, "%-28s %6d %7d %7d\n", p.Path, p.Files, p.Lines, len(p.Circle))
	}
	fmt.Fprintf(w, "\n%-40s %7s %8s\n", "type", "fields", "methods")
	for _, t := range r.Types[:min(shown, len(r.Types))] {
		fmt.Fprintf(w, "%-40s %7d %8d\n", t.Name, t.Fields, t.Methods)
	}
	fmt.Fprintf(w, "\nmutexes %d, places that start goroutines %d, blank lines in functions %.1f %%, lines over 140 cells %d\n",
		r.Mutexes, r.Goroutines, 100*r.Air(), r.Long)
}
