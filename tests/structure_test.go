package tests

import (
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/tests/structure"
)

// What the code may have at most. These numbers may only shrink, but for air, which may only grow: scripts/structure prints what there is.
var (
	circleLimits = map[string]int{ // files, by package; others may have 8
		"host": 15, "host/transcript": 29, "host/session": 22, "host/elsewhere": 15, "host/files": 15, "cmd/nvim-acp/demo": 13, "host/checkpoint": 12,
		"host/mcp": 10, "host/permission": 12, "host/rules": 10, "host/review": 12,
	}
	typeLimits = map[string][2]int{ // fields and methods; others may have 25 and 60
		"host/session.State": {25, 222}, "host/transcript.Transcript": {25, 199}, "host.Session": {25, 83}, "host.Host": {33, 60},
		"host/files.Workspace": {25, 74}, "host/agents.Agent": {26, 60},
		"host/transcript.item": {27, 60}, "host/transcript.Block": {28, 60}, "host/session.Status": {33, 60},
	}
)

const (
	maxHostFiles = 16
	minAir       = 0.06
	maxLongLines = 107
)

// The code grows in no direction in which it is to shrink.
func TestStructure(t *testing.T) {
	t.Parallel()
	r, err := structure.Measure("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Packages {
		most, ok := circleLimits[p.Path]
		if !ok {
			most = 8
		}
		if n := len(p.Circle); n > most || ok && n <= 8 {
			t.Errorf("the largest circle of files in %s has %d, the limit is %d: %s", p.Path, n, most, strings.Join(p.Circle, " "))
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
