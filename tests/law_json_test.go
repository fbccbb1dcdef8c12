//go:build !race

package tests

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Members of what agents send count by their exact names: encoding/json takes "COMMAND" for "command" as well, so it reads only
// files of ours, and what language servers and our own programs say (behaviour 731).
func TestExactNames(t *testing.T) {
	ours := []string{
		"acp/mask.go", // into a value without names
		"host/elsewhere/own.go", "host/history/movedturns.go", "host/history/unfinished.go", "host/policy/rules.go",
		"host/skillsets/skillsets.go", "host/tools/questions.go",
		"host/attach/record.go", "host/files/backup.go", "host/install/main.go", "host/install/manifest.go", "host/moves/kept.go",
		"host/install/npm.go", "host/install/registry.go", "host/record/record.go", "host/review/store.go", "host/rewind/journal.go", "host/usage/usage.go",
	}
	decodes := regexp.MustCompile(`\bjson\.(Unmarshal|NewDecoder)\(`)
	found := 0
	for _, top := range []string{"acp", "host"} {
		err := filepath.WalkDir(filepath.Join(plugin(t), top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "acptest" || d.Name() == "internal") {
				return filepath.SkipDir
			}
			name, err := filepath.Rel(plugin(t), path)
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text := read(t, name)
			if !strings.Contains(text, "\t\"encoding/json\"\n") || !decodes.MatchString(text) {
				return nil
			}
			found++
			if !slices.Contains(ours, name) {
				t.Errorf("%s reads JSON with names in any case: acp.Unmarshal does not", name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found != len(ours) {
		t.Errorf("%d files read JSON of ours, and %d are known", found, len(ours))
	}
}
