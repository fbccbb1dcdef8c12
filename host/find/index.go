package find

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/junegunn/fzf/src/algo"
	"github.com/junegunn/fzf/src/util"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/git"
)

const (
	maxFiles = 100_000          // of a folder that are found at all
	maxFound = 60               // of them that one query answers with
	fresh    = 3 * time.Second  // that a list is used without being made again
	maxTime  = 10 * time.Second // that git may take for one, and a walk without it
)

// index is what a folder has below it: files as git knows them, else as they are found, and their folders. It is kept, and
// made again in the background when it is asked for and no longer fresh.
type index struct {
	root string

	mu   sync.Mutex // guards all below
	list []util.Chars
	made time.Time
	busy chan struct{} // closed when the list that is being made is there; nil if none is
}

// refresh has the list made again if it is not fresh. The channel is closed when there is a list, nil if there is one.
func (x *index) refresh() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.busy == nil && time.Since(x.made) > fresh {
		x.busy = make(chan struct{})
		busy := x.busy
		caught.Go(func() { x.make(busy) }) // ends within the times for listing
	}
	if !x.made.IsZero() {
		return nil
	}
	return x.busy
}

func (x *index) make(done chan struct{}) {
	paths, ok := gitFiles(x.root)
	if !ok {
		paths = walkFiles(x.root)
	}

	paths = slices.DeleteFunc(paths, func(p string) bool { return strings.ContainsFunc(p, unicode.IsControl) }) // no prompt can name it
	paths = append(paths, folders(paths)...)
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(depth(a), depth(b)), strings.Compare(a, b))
	})
	paths = slices.Compact(paths) // git names a file in conflict more than once
	list := make([]util.Chars, len(paths))
	for i, p := range paths {
		list[i] = util.ToChars([]byte(p))
	}

	x.mu.Lock()
	x.list, x.made, x.busy = list, time.Now(), nil
	x.mu.Unlock()

	close(done)
}

func depth(path string) int { return strings.Count(strings.TrimSuffix(path, "/"), "/") }

// find returns the paths that fit a query best, folders with a slash at the end. It waits for nothing.
func (x *index) find(query string) []string {
	x.mu.Lock()
	list := x.list
	x.mu.Unlock()
	return best(list, query)
}

// there are those of the paths that have not been deleted since the list was made. It waits for the disk.
func (x *index) there(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Lstat(filepath.Join(x.root, path))
		return err != nil
	})
}

// pathScheme makes the matcher prefer the beginnings of names.
var pathScheme = sync.OnceFunc(func() { algo.Init("path") })

func best(list []util.Chars, query string) []string {
	if query == "" {
		list = list[:min(len(list), maxFound)]
		paths := make([]string, len(list))
		for i := range list {
			paths[i] = list[i].ToString()
		}
		return paths
	}

	pathScheme()
	exact := strings.ContainsFunc(query, unicode.IsUpper)
	pattern := algo.NormalizeRunes([]rune(query))
	slab := util.MakeSlab(100<<10, 2048)
	type match struct{ i, score int }
	var all []match
	worse := func(a, b match) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(list[a.i].Length(), list[b.i].Length()), cmp.Compare(a.i, b.i))
	}
	for i := range list {
		r, _ := algo.FuzzyMatchV2(exact, true, true, &list[i], pattern, false, slab)
		if r.Start < 0 {
			continue
		}
		all = append(all, match{i, r.Score})
		if len(all) == 20*maxFound { // only the best are kept
			slices.SortFunc(all, worse)
			all = all[:maxFound]
		}
	}

	slices.SortFunc(all, worse)
	paths := make([]string, min(len(all), maxFound))
	for i := range paths {
		paths[i] = list[all[i].i].ToString()
	}

	return paths
}

// gitFiles are the files of a work tree that are there and not ignored; ok is false where there is no git or no work tree.
func gitFiles(root string) (paths []string, ok bool) {
	ctx, stop := context.WithTimeout(context.Background(), maxTime)
	defer stop()
	words := git.Words("ls-files", "-z", "-t", "--cached", "--deleted", "--others", "--exclude-standard")
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = root, git.Env()
	pipe, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil, false
	}

	names := bufio.NewScanner(pipe)
	names.Split(splitNUL)
	gone := map[string]bool{} // git knows them, and they were deleted
	for len(paths) < maxFiles && names.Scan() {
		if tag, path, _ := strings.Cut(names.Text(), " "); tag == "R" {
			gone[path] = true
		} else {
			paths = append(paths, path)
		}
	}

	full := len(paths) == maxFiles
	if full {
		_ = cmd.Process.Kill()
	}

	ok = cmd.Wait() == nil || full
	return slices.DeleteFunc(paths, func(path string) bool { return gone[path] }), ok
}

func splitNUL(data []byte, end bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// walkFiles are the files of a folder without git; hidden folders and those of packages are left out.
func walkFiles(root string) []string {
	ctx, stop := context.WithTimeout(context.Background(), maxTime)
	defer stop()
	var paths []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be read is left out
		switch {
		case len(paths) >= maxFiles || ctx.Err() != nil:
			return fs.SkipAll
		case err != nil || path == root:
			return nil
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0:
			if rel, err := filepath.Rel(root, path); err == nil {
				paths = append(paths, rel)
			}
		}

		return nil
	})
	return paths
}

// folders are those that the files are in, with a slash at the end.
func folders(paths []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, p := range paths {
		for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p[:i], '/') {
			if seen[p[:i]] {
				break
			}
			seen[p[:i]] = true
			out = append(out, p[:i+1])
		}
	}
	return out
}
