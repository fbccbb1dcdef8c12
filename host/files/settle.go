package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

const (
	settleStep    = 20 * time.Millisecond  // a version that lasts this long is whole
	maxChanging   = 300 * time.Millisecond // a file that changes all the time is read after this …
	maxCut        = time.Second            // … but a version that looks cut must last this long …
	maxCutForSave = 400 * time.Millisecond // … or this long if a save waits, which holds Neovim
	maxSettle     = 5 * time.Second        // for all of it
)

// errUnsteady is a file that is being written.
var errUnsteady = errors.New("the file is being written")

// readSteady reads a file that is not written meanwhile: what half a version lacks would be merged as deletions.
func (w *Workspace) readSteady(path string) (buffers.File, error) {
	if err := w.escapesRoots(path); err != nil {
		return buffers.File{}, err
	}
	f, err := buffers.ReadReal(path, nil, nil, w.options.Settings().MaxRead)
	if err != nil {
		return f, err
	}
	after, err := buffers.StatFile(path)
	if err == nil && (!after.Equal(f.Stat) || int64(len(f.Data)) != after.Size) {
		err = errUnsteady
	}
	return f, err
}

// steadyHas reports whether a version of a file has exactly the bytes of a text. It keeps nothing of what it reads.
func (w *Workspace) steadyHas(path string, stat buffers.Stat, text string) bool {
	if w.escapesRoots(path) != nil {
		return false
	}
	same, before, err := buffers.HasBytes(path, text)
	after, afterErr := buffers.StatFile(path)
	return same && err == nil && afterErr == nil && before.Equal(stat) && after.Equal(stat)
}

// escapesRoots returns an error if a file was replaced by a link to one outside of all sessions' folders: what that has is not the
// file's, and an agent in a sandbox could read it as text of the buffer.
func (w *Workspace) escapesRoots(path string) error {
	real, err := buffers.Real(path)
	if err != nil || real == path {
		return nil // a file that is not there is another error
	}
	for _, s := range w.options.Sessions() {
		if buffers.Inside(s.Roots(), real) {
			return nil
		}
	}
	return fmt.Errorf("%s leads to %s now, outside of the session's folders", path, real)
}

// settle waits until a file is not being written, as far as can be seen, and returns its version: one that lasts for a moment,
// or for a longer one if it looks like the first part of a version. A file may be missing for a moment as well.
func (w *Workspace) settle(ctx context.Context, real string) (buffers.Stat, error) {
	stat, err := buffers.StatFile(real)
	if err == nil && !w.versions.differsNow(real) {
		return stat, nil
	}

	began := time.Now()
	since := began // the version is there
	for {
		select {
		case <-time.After(settleStep):
		case <-ctx.Done():
			return stat, ctx.Err()
		}

		last, lastErr := stat, err
		stat, err = buffers.StatFile(real)
		lasts := err == nil && lastErr == nil && stat.Equal(last)
		if !lasts {
			since = time.Now()
		}

		cut := maxCut
		if w.versions.saveWaited(began.Add(-maxChanging)) {
			cut = maxCutForSave
		}
		switch over := time.Since(began) >= maxChanging; {
		case !lasts && !over:
			continue
		case err != nil || time.Since(since) >= cut || time.Since(began) >= maxSettle:
			return stat, err
		case !buffers.BeingWritten(real) && !w.looksCut(real, stat):
			return stat, nil
		}
	}
}

// looksCut reports whether a version of a file may be the first part of one: it has lost the line end at its end, or is the
// beginning of the version before.
func (w *Workspace) looksCut(path string, stat buffers.Stat) bool {
	if cut, known := w.versions.check(path, stat); known {
		return cut
	}

	cut := false
	old, _, ok := w.store.Disk(path)
	if ok && bytes.HasSuffix(old, []byte("\n")) {
		now, err := w.readSteady(path)
		if errors.Is(err, errUnsteady) {
			return true
		}
		cut = err == nil && (!bytes.HasSuffix(now.Data, []byte("\n")) || len(now.Data) < len(old) && bytes.HasPrefix(old, now.Data))
	}

	w.versions.setChecked(path, stat, cut)
	return cut
}
