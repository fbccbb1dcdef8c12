// Package programs finds the programs that this process itself runs: Git, bubblewrap, ssh and others.
//
// An agent in a sandbox writes a project, and folders of a project can be in $PATH, as of a Python environment: a program there could be
// the agent's, and would run outside. Folders that such agents write are avoided from then on, for as long as the process lives. All is
// safe for concurrent use.
package programs

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

var (
	mu      sync.Mutex // guards avoided
	avoided []string   // real paths
)

// Avoid has no program be found in some folders from now on. They are real paths.
func Avoid(dirs ...string) {
	mu.Lock()
	defer mu.Unlock()
	for _, dir := range dirs {
		if !slices.Contains(avoided, dir) {
			avoided = append(avoided, dir)
		}
	}
}

// Path returns $PATH without relative folders, and without those that are avoided.
func Path() string {
	mu.Lock()
	defer mu.Unlock()
	var list []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && !within(dir) {
			list = append(list, dir)
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}

// within reports whether a path is in a folder that is avoided, or leads there. mu is held.
func within(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path // where there is nothing, nothing is found; the path itself may still be avoided
	}
	for _, dir := range avoided {
		for _, p := range []string{path, real} {
			if rel, err := filepath.Rel(dir, p); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// Find returns the absolute path of a program. A path stays as it is, if it is not in a folder that is avoided.
func Find(name string) (string, error) {
	if strings.Contains(name, "/") {
		mu.Lock()
		defer mu.Unlock()
		if within(name) {
			return "", &exec.Error{Name: name, Err: errAvoided}
		}
		return name, nil
	}

	var avoid error
	for _, dir := range filepath.SplitList(Path()) {
		path := filepath.Join(dir, name)
		if _, err := exec.LookPath(path); err != nil {
			continue
		}
		mu.Lock()
		ours := !within(path)
		mu.Unlock()
		if ours {
			return path, nil
		}
		avoid = errAvoided // a link leads there
	}

	if avoid == nil {
		avoid = exec.ErrNotFound
	}

	return "", &exec.Error{Name: name, Err: avoid}
}

// errAvoided is the error for a program that an agent could have written.
var errAvoided = fmt.Errorf("it is in a folder that an agent in a sandbox writes: %w", fs.ErrPermission)

// Word returns what a command line begins with to run a program: its path, or a name by which none is found.
func Word(name string) string {
	path, err := Find(name)
	switch {
	case err == nil:
		return path
	case Path() == os.Getenv("PATH") && !strings.Contains(name, "/"):
		return name
	}
	return name + "\x00" // no file has such a name
}

// Env returns an environment with [Path] in it.
func Env(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH="+Path())
}
