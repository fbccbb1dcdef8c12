// Package paths relates paths to folders by their names alone. No function reads the disk.
package paths

import (
	"os"
	"path/filepath"
	"strings"
)

// Below reports whether path is folder or something in it. Both are absolute and clean.
func Below(path, folder string) bool {
	_, ok := Within(path, folder)
	return ok || path == folder
}

// Within returns a path relative to a folder, and whether it is something in it. Both are absolute and clean.
func Within(path, folder string) (string, bool) {
	return strings.CutPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// Short returns a path relative to a folder if it is something in it, else as it is.
func Short(path, folder string) string {
	rest, _ := Within(path, folder)
	return rest
}

// Home returns a path as the user writes it, with ~ for their home.
func Home(path string) string {
	home, err := os.UserHomeDir()
	home = filepath.Clean(home)
	if err != nil || home == "/" || !Below(path, home) {
		return path
	}
	return "~" + strings.TrimPrefix(path, home)
}

// Expand returns a path with the user's home for a ~ at its beginning. Without a home it stays as it is.
func Expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !ok || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

// Absolute returns a path that may be relative to a folder. An absolute one stays as it is.
func Absolute(path, folder string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}
