//go:build !race

package tests

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const crossings = "doc/crossings.md"

// crossed are the capabilities and the events of the table, in its order.
var (
	crossed = []string{
		"unsaved text", "merge", "review", "notes", "undo", "rewind", "permission", "rules", "queue", "steer", "options", "terminals", "MCP tools",
		"diagnostics", "edit here", "subagents", "sessions, record", "usage", "skills", "elsewhere",
	}
	crossing = []string{
		"agent idle", "crash", "restart", "late replay", "login needed", "prompt fails", "stop", "rewind", "fork", "close", "detach", "attach",
		"take-over", "second session in the folder", "second Neovim", "narrow window", "undo/redo", "`:e!`", "git checkout", "disk full",
	}
)

// TestCrossings checks that the table has each capability with each event once, that each story and test that it names is there, and
// that no cell is open.
func TestCrossings(t *testing.T) {
	there := storiesAndTests(t)
	var capabilities, open []string
	for _, section := range strings.Split(read(t, crossings), "\n## ")[1:] {
		capability, table, _ := strings.Cut(section, "\n")
		capabilities = append(capabilities, capability)
		var events []string
		for _, row := range twoColumns(table) {
			event, shownBy := row[0], row[1]
			events = append(events, event)
			switch {
			case shownBy == "–":
				open = append(open, capability+" × "+event)
			case sentence.MatchString(shownBy): // why nothing can happen
			default:
				for _, name := range strings.Split(shownBy, ", ") {
					if !there[name] {
						t.Errorf("%s × %s: there is no story or test %q; a sentence ends with a full stop", capability, event, name)
					}
				}
			}
		}
		if !slices.Equal(events, crossing) {
			t.Errorf("%s has the events\n%q, not\n%q", capability, events, crossing)
		}
	}
	if !slices.Equal(capabilities, crossed) {
		t.Errorf("the capabilities are\n%q, not\n%q", capabilities, crossed)
	}

	if len(open) > 0 {
		t.Errorf("%d of %d cells are open:\n%s", len(open), len(crossed)*len(crossing), strings.Join(open, "\n"))
	}
}

// sentence matches a cell that says why nothing can happen there.
var sentence = regexp.MustCompile(`^[A-Z` + "`" + `][^ _]* [^_]*\.$`)

// tableRow matches a row of a table with two columns.
var tableRow = regexp.MustCompile(`(?m)^\| (.+?) \| (.+) \|$`)

// twoColumns returns the rows of a table with two columns, without its head.
func twoColumns(table string) (rows [][2]string) {
	for _, m := range tableRow.FindAllStringSubmatch(table, -1) {
		rows = append(rows, [2]string{m[1], m[2]})
	}
	return rows[min(1, len(rows)):]
}

// storiesAndTests returns the names of all stories and tests.
func storiesAndTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	walk(t, func(path string) {
		switch {
		case filepath.Ext(path) == ".txtar":
			names[strings.TrimSuffix(filepath.Base(path), ".txtar")] = true
		case strings.HasSuffix(path, "_test.go"):
			for name := range testsOf(t, path, read(t, path)) {
				names[name] = true
			}
		}
	})
	return names
}
