package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
)

var checkpoints = []measure{
	{"checkpoint of 5 000 files, one changed", takeOne},
	{"checkpoint of a folder, the first", takeFirst},
}

// project makes a repository of n files in a folder, which the caller removes.
func project(n int) (root string, git func(args ...string)) {
	root, err := os.MkdirTemp("", "bench")
	check(err)
	return root, repository(root, n)
}

// repository fills a folder with n files, committed.
func repository(root string, n int) (git func(args ...string)) {
	git = func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=x", "-c", "user.email=x"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			fatal(fmt.Errorf("git %v: %w\n%s", args, err, out))
		}
	}
	for i := range n {
		check(os.MkdirAll(filepath.Join(root, fmt.Sprint(i/100)), 0o777))
		check(os.WriteFile(filepath.Join(root, fmt.Sprint(i/100), fmt.Sprint(i)), fmt.Appendf(nil, "file %d\n", i), 0o666))
	}

	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "all")
	return git
}

// since measures what a function takes.
func since(do func()) *row {
	began := time.Now()
	do()
	return &row{took: time.Since(began)}
}

// takeOne is what a turn waits for before its prompt is sent; the limit is what Git takes to look at the same files.
func takeOne(b *bench) {
	root, git := project(5000)
	defer func() { _ = os.RemoveAll(root) }() // it is in the folder for temporary files
	state, err := os.MkdirTemp("", "bench")
	check(err)
	defer func() { _ = os.RemoveAll(state) }() // as above

	store := checkpoint.Open(state, checkpoint.DefaultLimits)
	take := func() {
		if c := store.Take(context.Background(), []string{root}); len(c.Missing) > 0 {
			fatal(fmt.Errorf("no checkpoint: %v", c.Missing))
		}
	}

	take()
	store.Hold(context.Background(), store.Take(context.Background(), []string{root})) // as before a first prompt
	n := 0
	change := func() {
		n++
		check(os.WriteFile(filepath.Join(root, "0", "7"), fmt.Appendf(nil, "changed %d\n", n), 0o666))
	}

	limit := median(7, func() *row { change(); return since(func() { git("status", "--short") }) })
	limit.name = "git status"
	r := median(7, func() *row { change(); return since(take) })
	r.limit = limit
	b.named(r)
}

// takeFirst is what is done once for a folder, when an agent is ready; the limit is as many runs of Git that do nothing.
func takeFirst(b *bench) {
	root, git := project(100)
	defer func() { _ = os.RemoveAll(root) }() // as above
	const runs = 7
	limit := median(5, func() *row {
		return since(func() {
			for range runs {
				git("version")
			}
		})
	})
	limit.name = fmt.Sprintf("git version, %d times", runs)
	r := median(5, func() *row {
		state, err := os.MkdirTemp("", "bench")
		check(err)
		defer func() { _ = os.RemoveAll(state) }() // as above
		return since(func() {
			checkpoint.Open(state, checkpoint.DefaultLimits).Take(context.Background(), []string{root})
		})
	})
	r.limit = limit
	b.named(r)
}
