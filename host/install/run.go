package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// ErrBusy means that another process installs something.
var ErrBusy = errors.New("another Neovim is installing an agent")

// Do carries out a plan below root and returns what is installed then. Until it is whole it is in a folder that nothing looks
// for, and a process that is killed leaves no more than that, which the next one removes. progress is called with lines of
// progress. A version that is installed already stays as it is.
func (p *Plan) Do(ctx context.Context, root string, progress func(string)) (*Manifest, error) {
	if err := p.Check(root); err != nil {
		return nil, err
	}

	unlock, err := lock(root)
	if err != nil {
		return nil, err
	}

	defer unlock()
	if m, err := readManifest(p.Folder); err == nil {
		return m, nil
	}

	home := filepath.Dir(p.Folder)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}

	sweep(root)
	temp := p.temp()
	defer func() { _ = os.RemoveAll(temp) }() // what cannot be removed now, the next installation removes
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, err
	}

	m, err := p.fill(ctx, temp, progress)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = m.write(temp)
	}
	if err == nil {
		err = replace(temp, p.Folder)
	}
	if err != nil {
		if context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
		_ = os.RemoveAll(temp)
		_ = os.Remove(home) // if nothing else is in it
		return nil, err
	}

	return m, nil
}

// fill installs into an empty folder.
func (p *Plan) fill(ctx context.Context, folder string, progress func(string)) (*Manifest, error) {
	m := p.manifest()
	switch p.How {
	case NPM:
		return m, p.fillNPM(ctx, folder, m, progress)
	case Archive:
		return m, p.fillArchive(ctx, folder, m, progress)
	}
	if _, err := exec.LookPath(p.Needs); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Needs, errNoProgram)
	}
	return m, nil
}

// replace puts a whole folder in the place of one that is not whole.
func replace(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Remove removes a version of an agent.
func Remove(root, id, version string) error {
	if err := checkVersion(version); err != nil || !idForm().MatchString(id) {
		return fmt.Errorf("%q %q is not an agent with a version", id, version)
	}

	unlock, err := lock(root)
	if err != nil {
		return err
	}

	defer unlock()
	home := filepath.Join(root, id)
	free, err := alone(filepath.Join(home, version))
	if err != nil {
		return err
	}

	defer free()
	old := filepath.Join(home, oldPrefix+version)
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(home, version), old); err != nil {
		return err
	}

	err = os.RemoveAll(old)
	_ = os.Remove(home) // if nothing else is in it
	return err
}

// ErrRunning means that a process runs from what is to be removed.
var ErrRunning = errors.New("it is running, perhaps in another Neovim")

// Hold keeps the version that a program is installed with from being removed, until release is called or this process ends. For a
// program that is not installed by this package it does nothing.
func Hold(program string) (release func()) {
	for dir, up := filepath.Dir(program), 0; filepath.IsAbs(dir) && up < maxDepth; dir, up = filepath.Dir(dir), up+1 {
		f, err := regular.Open(filepath.Join(dir, ManifestName))
		if err != nil {
			continue
		}
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) // if it is being removed, the agent does not start
		return func() { _ = f.Close() }
	}
	return func() {}
}

// maxDepth is how many folders a program may be below that of its version.
const maxDepth = 8

// alone makes sure that nobody holds a version, and waits a moment for one that is ending. Without a manifest it is not whole, and nobody
// can.
func alone(folder string) (release func(), err error) {
	f, err := regular.Open(filepath.Join(folder, ManifestName))
	if err != nil {
		return func() {}, nil
	}
	for end := time.Now().Add(stopPatience); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(end) {
			_ = f.Close()
			return nil, ErrRunning
		}
	}
}

// sweep removes what killed processes have left.
func sweep(root string) {
	for _, prefix := range []string{newPrefix, oldPrefix} {
		left, _ := filepath.Glob(filepath.Join(root, "*", prefix+"*")) // the pattern is well-formed
		for _, folder := range left {
			_ = os.RemoveAll(folder) // the next installation tries again
		}
	}
}

// lock keeps other processes from changing what is below root. It does not wait.
func lock(root string) (unlock func(), err error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}

	f, err := regular.OpenFile(filepath.Join(root, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, err
	}

	return func() { _ = f.Close() }, nil
}

// stopPatience is how long a stopped command may take before it is killed.
const stopPatience = 2 * time.Second

// lines is a writer that hands on what it gets line by line.
type lines struct {
	take func(string)
	rest string
}

func (l *lines) Write(data []byte) (int, error) {
	parts := strings.Split(l.rest+string(data), "\n")
	for _, line := range parts[:len(parts)-1] {
		l.take(strings.TrimRight(line, "\r"))
	}
	l.rest = parts[len(parts)-1]
	if len(l.rest) > 64<<10 { // no line of anybody's
		l.rest = ""
	}
	return len(data), nil
}
