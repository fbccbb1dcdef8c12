package checkpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// takeNow makes a checkpoint of the folder path of the working tree, and calls look before it looks at the files. It returns the
// repositories within it. r.mu is held.
func (r *repository) takeNow(ctx context.Context, path string, look func()) (Tree, []string, error) {
	if r.refused != nil {
		return Tree{}, nil, r.refused
	}
	if r.opened { // there is nothing to prepare meanwhile, and other processes need not wait too
		look()
	}

	tree, nested, err := r.attempt(ctx, path, look)
	if broken(err) && !r.renewed {
		r.renewed = true
		if aside := r.setAside(); aside != nil {
			return Tree{}, nil, errors.Join(err, aside)
		}
		tree, nested, err = r.attempt(ctx, path, look)
	}
	if errors.Is(err, errTooSlow) {
		if name := r.pipe(); name != "" { // it may go again
			return tree, nested, fmt.Errorf("%s, for which Git waits, is no file", name)
		}
	}
	if errors.Is(err, errTooSlow) || errors.Is(err, errTooLarge) {
		r.refused = err
	}

	return tree, nested, err
}

// maxPipes is how many files and folders are looked at for a pipe.
const maxPipes = 200_000

// pipe returns the path of something that Git reads and that is no file, as a pipe in place of a .gitignore, "" if there is none. Git waits
// for what it says, which may never come.
func (r *repository) pipe() (found string) {
	left := maxPipes
	_ = filepath.WalkDir(r.top, func(path string, e fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil || e.IsDir() && e.Name() == ".git":
			return nil
		case strings.HasPrefix(e.Name(), ".git") && isOther(path):
			found = path
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// broken reports whether an error may come from a damaged private repository.
func broken(err error) bool {
	var failed *gitError
	return errors.As(err, &failed) && !strings.Contains(failed.stderr, "No space left") &&
		!strings.Contains(failed.stderr, "Permission denied")
}

// attempt makes a checkpoint with the repository locked against other processes.
func (r *repository) attempt(ctx context.Context, path string, look func()) (Tree, []string, error) {
	lock, err := r.lock(ctx, syscall.LOCK_EX)
	if err != nil {
		return Tree{}, nil, err
	}

	defer func() { _ = lock.Close() }()

	if err := r.unlock(); err != nil {
		return Tree{}, nil, err
	}
	if err := r.open(ctx, lock); err != nil {
		return Tree{}, nil, err
	}

	look()
	return r.snapshot(ctx, lock, path)
}

// open makes the private repository if there is none, or anew if the user's repository is another than it was made for.
func (r *repository) open(ctx context.Context, lock *os.File) error {
	if r.opened && regular.Exists(r.dir) && regular.Exists(filepath.Join(r.top, ".git")) == (r.from != source{}) {
		return errors.Join(r.ignore(), r.readHead(ctx, lock))
	}

	var global string
	said := make(chan error, 1)
	caught.Go(func() { // ends with that run of Git
		var err error
		global, err = globalExcludes(ctx, r.top)
		said <- err
	})
	from, err := userRepository(ctx, r.top)
	if err != nil {
		return err
	}

	r.from, r.orphaned = from, false

	kept, err := regular.ReadFile(filepath.Join(r.dir, "objects", "info", "alternates"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	switch {
	case !regular.Exists(filepath.Join(r.dir, "complete")):
		if err := os.RemoveAll(r.dir); err != nil {
			return err
		}
		if err := r.create(ctx, lock); err != nil {
			return err
		}
	case r.from == source{} && strings.Count(string(kept), "\n") > 1: // its repository has gone
		r.orphaned = true
		fallthrough
	case string(kept) != r.borrowed(): // the folder has become a repository, or is none any more
		if err := errors.Join(r.makeHeld(), r.put("objects/info/alternates", r.borrowed())); err != nil {
			return err
		}
	}

	if err := <-said; err != nil {
		return err
	}

	r.global, r.opened = global, true
	clear(r.pinned)
	return errors.Join(r.ignore(), r.readHead(ctx, lock))
}

// readHead finds out which tree HEAD has, if another process may have moved it.
func (r *repository) readHead(ctx context.Context, lock *os.File) error {
	commit, err := regular.ReadFile(filepath.Join(r.dir, "HEAD"))
	if err != nil || string(commit) == r.at {
		return err
	}
	tree, err := r.treesOnly(ctx, lock, nil, "rev-parse", "HEAD^{tree}")
	if err != nil {
		return err
	}
	r.head, r.at = strings.TrimSpace(string(tree)), string(commit)
	return nil
}

// ignore brings the lists of ignored files that are not in the working tree up to date.
func (r *repository) ignore() error {
	var text string
	kept := r.orphaned // the list of before stays in effect
	for _, dir := range r.private {
		if paths.Below(dir, r.top) && dir != r.top {
			text += "/" + strings.TrimPrefix(dir, r.top+"/") + "/\n"
		}
	}

	for _, path := range []string{r.global, r.from.exclude} {
		if path == "" {
			continue
		}
		list, err := regular.ReadFile(path)
		kept = kept || err != nil && !errors.Is(err, os.ErrNotExist) // something else is in its place
		text += string(list) + "\n"
	}

	have, err := regular.ReadFile(filepath.Join(r.dir, "info", "exclude"))
	if err == nil && kept {
		text = string(have)
	}

	sum := sha256.Sum256([]byte(text))
	r.ignored = hex.EncodeToString(sum[:8])
	if name := rulesDir + "/" + r.ignored; !regular.Exists(filepath.Join(r.dir, name)) {
		if err := r.put(name, text); err != nil {
			return err
		}
	}
	if err == nil && string(have) == text {
		return nil
	}

	return r.put("info/exclude", text)
}

// setAside moves the private repository out of the way, in place of the one that was moved before.
func (r *repository) setAside() error {
	r.opened, r.at = false, ""
	aside := r.dir + ".broken"
	if err := os.RemoveAll(aside); err != nil {
		return err
	}
	return os.Rename(r.dir, aside)
}

// take makes a checkpoint of the folder path of the working tree, or waits for one that another caller makes and has not looked at the
// files for; if that fails, it makes one. It returns the repositories within it.
func (r *repository) take(ctx context.Context, path string, ready <-chan struct{}) (Tree, []string, error) {
	w, own := r.queue.join(path, ready)
	if !own {
		select {
		case <-w.done:
		case <-ctx.Done():
			return Tree{}, nil, context.Cause(ctx)
		}
		if w.err == nil {
			return w.tree, slices.Clone(w.nested), nil
		}
		if ready != nil { // that caller may have given up
			await(ctx, ready)
		}
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if !own {
		return r.takeNow(ctx, path, func() {})
	}

	defer func() {
		r.queue.shut(w) // where it has not come to that
		close(w.done)
	}()
	w.tree, w.nested, w.err = r.takeNow(ctx, path, func() { await(ctx, r.queue.shut(w)...) })
	return w.tree, slices.Clone(w.nested), w.err
}
