package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// walk visits all files of the plugin, by their paths in it.
func walk(t *testing.T, visit func(path string)) {
	t.Helper()
	root := os.DirFS(plugin(t))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin") {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			visit(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func luaFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	walk(t, func(path string) {
		if strings.HasPrefix(path, "lua/") && filepath.Ext(path) == ".lua" {
			files = append(files, path)
		}
	})
	return files
}

// goFiles returns the files of Go below a folder, without tests.
func goFiles(t *testing.T, below string) []string {
	t.Helper()
	var files []string
	walk(t, func(path string) {
		if strings.HasPrefix(path, below+"/") && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
	})
	return files
}
