package checkpoint

import (
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// The objects of the user's repository are borrowed, and a turn can remove them together with the files: `rm -rf -- * .git`, or a
// `git gc --prune=now` of what nothing refers to any more. So each object file that is there is also below the folder held of the
// private repository, its second alternate: as a copy where that is cheap, else as a hard link, which costs no space while the user's
// Git has the file too. What the user's Git has no longer becomes an object of the private repository, which prune bounds.

const (
	held     = "held"
	takenOut = "taken" // a file that says that objects were taken over since the private repository was packed
)

// The bounds of one pass over the user's objects.
const (
	maxCopied = 1 << 20 // bytes of a file that is copied where a link would do: a link shares its bytes with the user's file
	maxCopies = 2000    // such files
	maxHeld   = 100_000 // files
	maxMoved  = 256 << 20
)

// errHeld says that not all objects are held.
var errHeld = errors.New("not all objects of its repository are held yet")

// errHeldLate says that the user's repository went while its objects were copied.
var errHeldLate = errors.New("it went before all of it was held")

// beginHold starts a pass over the objects of the user's repository.
func (s *Store) beginHold(ctx context.Context, r *repository) {
	r.mu.Lock()
	objects := r.from.objects
	r.mu.Unlock()
	if objects == "" {
		return
	}
	h := &r.hold
	done := make(chan struct{})
	h.under.Lock()
	h.done = done
	h.under.Unlock()
	caught.Go(func() { // ends with ctx at the latest
		s.calls.RLock()
		defer s.calls.RUnlock()
		h.mu.Lock()
		err := r.holdAll(ctx, objects)
		if errors.Is(err, fs.ErrNotExist) { // a file has gone meanwhile
			err = r.holdAll(ctx, objects)
		}
		if err == nil && !regular.Exists(objects) { // a pass over what has gone finds nothing missing
			err = errHeldLate
		}
		h.mu.Unlock()
		h.under.Lock()
		h.err = err
		h.under.Unlock()
		close(done)
	})
}

// awaitHold waits for the last pass, and returns its error.
func (r *repository) awaitHold(ctx context.Context) error {
	h := &r.hold
	h.under.Lock()
	done := h.done
	h.under.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
	case <-ctx.Done():
		return errHeld
	}
	h.under.Lock()
	defer h.under.Unlock()
	return h.err
}

// Hold waits until all objects that a checkpoint borrows are held, so that what removes them takes nothing from it. The folders of
// which that cannot be said are returned, with the reasons.
func (s *Store) Hold(ctx context.Context, c Checkpoint) []Missing {
	s.calls.RLock()
	defer s.calls.RUnlock()
	var list []Missing
	for _, tree := range c.Trees {
		if err := s.repository(tree.Top).awaitHold(ctx); err != nil {
			list = append(list, Missing{Root: tree.Top, Reason: err.Error()})
		}
	}
	return list
}

// pass is one look at the user's objects.
type pass struct {
	ctx    context.Context
	to     string // the folder held
	files  int    // that are new
	copies int    // of them, those that were copied
	bytes  int64  // that were copied because they cannot be linked
}

// holdAll has each object file of the user's below held, and takes over those that the user has no longer.
func (r *repository) holdAll(ctx context.Context, objects string) error {
	sources := alternates(objects)
	p := &pass{ctx: ctx, to: filepath.Join(r.dir, held)}
	if r.hold.looks == nil {
		r.hold.looks = map[string]time.Time{}
	}
	names := []string{"pack"}
	for i := range 256 {
		names = append(names, fmt.Sprintf("%02x", i))
	}
	for _, name := range names {
		changed := false
		looks := map[string]time.Time{}
		for _, source := range sources {
			dir := filepath.Join(source, name)
			info, err := os.Stat(dir)
			if err == nil {
				looks[dir] = info.ModTime()
			}
			last, looked := r.hold.looks[dir]
			changed = changed || err == nil != looked || err == nil && !last.Equal(info.ModTime())
		}
		if !changed {
			continue
		}
		theirs := map[string]bool{}
		for dir := range looks {
			if err := p.carryFolder(dir, name, theirs); err != nil {
				return err
			}
		}
		if err := r.takeOver(name, theirs); err != nil {
			return err
		}
		for _, source := range sources {
			dir := filepath.Join(source, name)
			delete(r.hold.looks, dir)
			if at, ok := looks[dir]; ok {
				if time.Since(at) < time.Second { // more may come in the same moment
					at = time.Time{}
				}
				r.hold.looks[dir] = at
			}
		}
	}
	return nil
}

// alternates returns a folder of objects and those that it borrows from.
func alternates(objects string) []string {
	list := []string{objects}
	for i := 0; i < len(list) && len(list) < 20; i++ {
		text, err := regular.Read(filepath.Join(list[i], "info", "alternates"), 1<<16)
		if err != nil {
			continue // it borrows nothing
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case line == "" || line[0] == '#' || line[0] == '"':
				continue
			case !filepath.IsAbs(line):
				line = filepath.Join(list[i], line)
			}
			list = append(list, line)
		}
	}
	return list
}

// carryFolder has the files of a folder of objects below held, and adds their names to those that the user has.
func (p *pass) carryFolder(dir, name string, theirs map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	to := filepath.Join(p.to, name)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	old, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, e := range old {
		have[e.Name()] = true
	}
	var last []string // an index comes after its pack: Git takes packs by their indexes
	for _, e := range entries {
		file := e.Name()
		if !e.Type().IsRegular() || name == "pack" && !isPack(file) || name != "pack" && !isLoose(file) {
			continue
		}
		theirs[file] = true
		switch {
		case have[file]:
		case strings.HasSuffix(file, ".idx"):
			last = append(last, file)
		default:
			if err := p.carry(filepath.Join(dir, file), filepath.Join(to, file)); err != nil {
				return err
			}
		}
	}
	for _, file := range last {
		if err := p.carry(filepath.Join(dir, file), filepath.Join(to, file)); err != nil {
			return err
		}
	}
	return nil
}

// isPack reports whether a file is a pack or its index.
func isPack(name string) bool {
	return strings.HasPrefix(name, "pack-") &&
		(strings.HasSuffix(name, ".pack") || strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, ".rev"))
}

// isLoose reports whether a file in a folder of loose objects is one.
func isLoose(name string) bool { return len(name) == 38 || len(name) == 62 }

// carry has a file also at another path.
func (p *pass) carry(from, to string) error {
	if err := p.ctx.Err(); err != nil {
		return context.Cause(p.ctx)
	}
	if p.files++; p.files > maxHeld {
		return fmt.Errorf("%w: they are more than %d files", errHeld, maxHeld)
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	small := info.Size() <= maxCopied && p.copies < maxCopies
	if !small {
		err := os.Link(from, to)
		if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return unlessExists(err)
		}
		if !errors.Is(err, syscall.EXDEV) && !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.EMLINK) {
			return err
		}
		if p.bytes += info.Size(); p.bytes > maxMoved { // on another disk
			return fmt.Errorf("%w: they are on another disk, and more than %d MB", errHeld, maxMoved>>20)
		}
	}
	p.copies++
	return copyFile(from, to)
}

// unlessExists returns an error, but none where what was to be made is there.
func unlessExists(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// copyFile copies a file, all of it or nothing. Another process may do the same.
func copyFile(from, to string) error {
	in, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "tmp_")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) // which shares the bytes where the file system can
	err = errors.Join(err, out.Chmod(0o400), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), to)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}

// takeOver makes the held files of a folder that the user has no longer objects of the private repository: checkpoints may need them.
func (r *repository) takeOver(name string, theirs map[string]bool) error {
	from, to := filepath.Join(r.dir, held, name), filepath.Join(r.dir, "objects", name)
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var last []string
	gone := false
	move := func(file string) error {
		if name != "pack" && !isBlobFile(filepath.Join(from, file)) { // the private repository has trees and commits of its own
			return unlessGone(os.Remove(filepath.Join(from, file)))
		}
		gone = true
		err := os.MkdirAll(to, 0o700)
		if err == nil {
			err = os.Rename(filepath.Join(from, file), filepath.Join(to, file))
		}
		return unlessGone(err)
	}
	for _, e := range entries {
		file := e.Name()
		switch {
		case theirs[file] || strings.HasPrefix(file, "tmp_"):
		case strings.HasSuffix(file, ".idx"):
			last = append(last, file)
		default:
			if err := move(file); err != nil {
				return err
			}
		}
	}
	for _, file := range last {
		if err := move(file); err != nil {
			return err
		}
	}
	if gone {
		return r.put(takenOut, "")
	}
	return nil
}

// unlessGone returns an error, but none where another process has done what was to be done.
func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isBlobFile reports whether a file is a loose object that says it is a blob.
func isBlobFile(path string) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return false
	}
	head := make([]byte, len("blob "))
	_, err = io.ReadFull(z, head)
	return err == nil && string(head) == "blob "
}

// makeHeld makes the folder for held objects: Git complains of a missing one.
func (r *repository) makeHeld() error { return os.MkdirAll(filepath.Join(r.dir, held), 0o700) }

// borrowed is the list of folders that the private repository borrows objects from. Git takes an object from the first that has it,
// whatever its bytes are by now: those that are held come before those that a turn can change.
func (r *repository) borrowed() string {
	list := filepath.Join(r.dir, held) + "\n"
	if r.from.objects != "" {
		list += r.from.objects + "\n"
	}
	return list
}
