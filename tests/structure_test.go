//go:build !race

package tests

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/tests/structure"
)

// What the code may have at most, as declared: what is embedded counts with its own type. Smaller is better, but for air.
var typeLimits = map[string][2]int{ // fields and methods; others may have 25 and 60
	"host/transcript.item": {27, 60}, "host/transcript.Block": {28, 60}, "host/session.Status": {33, 60},
}

const (
	maxCircle    = 8 // files that need each other, in a package
	maxHostFiles = 19
	minAir       = 0.06
	maxLongLines = 0
)

// The code grows in no direction in which it is to shrink.
func TestStructure(t *testing.T) {
	t.Parallel()
	r, err := structure.Measure("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Packages {
		if n := len(p.Circle); n > maxCircle {
			t.Errorf("the largest circle of files in %s has %d, the limit is %d: %s", p.Path, n, maxCircle, strings.Join(p.Circle, " "))
		}
	}
	for _, typ := range r.Types {
		most, ok := typeLimits[typ.Name]
		if !ok {
			most = [2]int{25, 60}
		}
		if typ.Fields > most[0] || typ.Methods > most[1] || ok && typ.Fields <= 25 && typ.Methods <= 60 {
			t.Errorf("%s has %d fields and %d methods, the limits are %d and %d", typ.Name, typ.Fields, typ.Methods, most[0], most[1])
		}
	}
	if n := r.Package("host").Files; n > maxHostFiles {
		t.Errorf("package host has %d files, the limit is %d", n, maxHostFiles)
	}
	if r.Air() < minAir {
		t.Errorf("%.2f %% of the lines in functions are blank, the limit is %.2f %%", 100*r.Air(), 100*minAir)
	}
	if r.Long > maxLongLines {
		t.Errorf("%d lines have more than 140 cells, the limit is %d", r.Long, maxLongLines)
	}
}
