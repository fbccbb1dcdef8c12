package files

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// versions knows for each loaded file below the sessions' roots which version of it the buffer has. It is safe for concurrent
// use and never looks at the disk. Its mutex may be held while the store's is taken.
type versions struct {
	store *buffers.Store

	mu       sync.Mutex // guards all below
	files    map[string]*version
	reported map[string]int          // the number of the last report on each file that is noted
	arrived  int                     // the number of the last report that has come from Neovim
	noting   map[int]bool            // the reports that have come and are not noted yet
	marks    map[string]int          // how often each file was touched
	warned   map[string]buffers.Stat // the version of each file that the user was last warned of
	saving   time.Time               // when a save last waited for what is on the disk
}

// version is the version of a file that its buffer has.
type version struct {
	stat    buffers.Stat
	deleted bool         // the file is gone, and the buffer is marked; or it is not there yet
	merging bool         // a goroutine merges another version into the buffer
	stale   bool         // the buffer may have less than the disk, even if stat is the disk's
	owed    bool         // Neovim was kept from looking at the disk, so it is merged even if the window is closed by now
	checked buffers.Stat // the version on the disk that was last compared with the buffer's
	cut     bool         // that version looks like the first part of one
	binary  bool         // the disk has a version that is no text, and the buffer another
	earlier *onDisk      // what the disk had before an agent began to work
}

// onDisk is a version on the disk, or that there is none.
type onDisk struct {
	stat buffers.Stat
	gone bool
}

// there returns what still counts of it once the file is there: if it is gone again, that is another's doing.
func (d *onDisk) there() *onDisk {
	if d != nil && d.gone {
		return nil
	}
	return d
}

func newVersions(store *buffers.Store) *versions {
	return &versions{
		store: store, files: map[string]*version{}, reported: map[string]int{}, noting: map[int]bool{}, marks: map[string]int{},
		warned: map[string]buffers.Stat{},
	}
}

// knows reports whether a file is known to be loaded below a session's roots.
func (v *versions) knows(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.files[path] != nil
}

// touch says that a buffer has another version of its file, which is noted next.
func (v *versions) touch(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.marks[path]++
}

// mark returns a number that is another after each touch.
func (v *versions) mark(path string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.marks[path]
}

// allMarks returns the marks of all files.
func (v *versions) allMarks() map[string]int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.marks)
}

// below returns the files below roots.
func (v *versions) below(roots []string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var paths []string
	for path := range v.files {
		if buffers.Inside(roots, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// all returns all files.
func (v *versions) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Collect(maps.Keys(v.files))
}

// idle returns the files that no goroutine merges: those below roots, and those that are owed a look.
func (v *versions) idle(roots []string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var paths []string
	for path, f := range v.files {
		if !f.merging && (f.owed || buffers.Inside(roots, path)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// merging notes whether a goroutine merges a file.
func (v *versions) merging(path string, on bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.files[path]; f != nil {
		f.merging = on
	}
}

// differsNow reports whether the disk has something else than the buffer of a file is known to have. It waits for the disk.
func (v *versions) differsNow(path string) bool {
	stat, err := buffers.StatFile(path)
	return v.differs(path, stat, err)
}

// differs reports whether a version on the disk is another than the buffer's. With err the file is gone.
func (v *versions) differs(path string, stat buffers.Stat, err error) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	switch {
	case f == nil:
		return false
	case err != nil:
		return !f.deleted
	}
	return f.stale || f.deleted || !f.stat.Equal(stat)
}

// noteEarlier notes which version the disk has before an agent begins to work, whether the buffer of the file has it by then, will get it
// or is just getting it. With err the file is gone.
func (v *versions) noteEarlier(path string, stat buffers.Stat, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.files[path]; f != nil {
		f.earlier = &onDisk{stat, err != nil}
	}
}

// isEarlier reports whether a version on the disk is the one that was noted before an agent began to work.
func (v *versions) isEarlier(path string, stat buffers.Stat, err error) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	return f != nil && f.earlier != nil && f.earlier.gone == (err != nil) && (err != nil || f.earlier.stat.Equal(stat))
}

// newer reports whether a version that a buffer is said to have is not the one that it is known to have. Without a text of that
// version a stale one stays unless the other was written later.
func (v *versions) newer(path string, stat buffers.Stat, text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	switch {
	case f == nil:
		return true
	case f.stat.Equal(stat):
		return false
	}
	return !f.stale || text != "" || stat.ModTime.After(f.stat.ModTime)
}

// hadOther reports whether a buffer is known to have had another version than one that it has read, or may have had.
func (v *versions) hadOther(path string, stat buffers.Stat) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	return f != nil && !f.deleted && (f.stale || !f.stat.Equal(stat))
}

// set notes the version that a buffer has; stale says that it may have less than the disk.
func (v *versions) set(path string, stat buffers.Stat, stale bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := &version{stat: stat, stale: stale}
	if old := v.files[path]; old != nil {
		f.merging, f.earlier = old.merging, old.earlier.there()
	}
	v.files[path] = f
}

// isStale reports whether a buffer may have less than the disk.
func (v *versions) isStale(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	return f != nil && f.stale
}

// suspect notes that a buffer may have less than the disk, even if its version is known, and that Neovim does not look itself.
func (v *versions) suspect(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	switch {
	case f != nil:
		f.stale, f.owed = true, true
	case path != "": // Neovim has not said yet that it is loaded
		v.files[path] = &version{stale: true, owed: true}
	}
}

// skip gives up a version on the disk that cannot be merged.
func (v *versions) skip(path string, stat buffers.Stat) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.files[path]; f != nil {
		f.stat, f.stale, f.owed = stat, false, false
	}
}

// setBinary notes whether the version on the disk that was skipped is no text.
func (v *versions) setBinary(path string, binary bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.files[path]; f != nil {
		f.binary = binary
	}
}

// isBinary reports whether the disk has a version that is no text, which the buffer of a file does not have.
func (v *versions) isBinary(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	return f != nil && f.binary
}

// merged notes that a buffer has a version from the disk, and reports whether that is new text. The version does not count if a
// report after the given one says that the buffer has another.
func (v *versions) merged(path string, d diskEdit, report int) bool {
	before, _, ok := v.store.Disk(path)
	changed := !ok || string(before) != string(d.data)

	v.mu.Lock()
	defer v.mu.Unlock()

	if v.reported[path] > report {
		return changed
	}

	_ = v.store.SetDisk(path, d.data, d.stat) // for the error see setBase
	v.marks[path]++
	if f := v.files[path]; f != nil {
		f.stat, f.deleted, f.stale, f.owed, f.binary, f.earlier = d.stat, false, false, false, false, f.earlier.there()
	}

	return changed
}

// absent notes a loaded file that is not there yet, unless it is known to be.
func (v *versions) absent(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.files[path]; f == nil {
		v.files[path] = &version{deleted: true}
	} else if f.deleted {
		f.stat = buffers.Stat{}
	}
}

// isAbsent reports whether a loaded file was not there yet, as far as is known.
func (v *versions) isAbsent(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	return f != nil && f.deleted && f.stat == buffers.Stat{}
}

// delete notes that a file is gone, and reports whether that is new.
func (v *versions) delete(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	if f == nil || f.deleted {
		return false
	}
	f.deleted, f.owed, f.binary = true, false, false
	return true
}

// forget forgets a file that is no longer loaded.
func (v *versions) forget(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.store.DropDisk(path)
	delete(v.files, path)
	delete(v.reported, path)
}

// leave forgets which files are loaded. Their texts on the disk are kept.
func (v *versions) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.files, v.reported, v.noting, v.arrived = map[string]*version{}, map[string]int{}, map[int]bool{}, 0
}

// check returns what setChecked has noted of a version on the disk.
func (v *versions) check(path string, stat buffers.Stat) (cut, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.files[path]
	if f == nil || !f.checked.Equal(stat) {
		return false, false
	}
	return f.cut, true
}

// setChecked notes whether a version on the disk looks like the first part of one.
func (v *versions) setChecked(path string, stat buffers.Stat, cut bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.files[path]; f != nil {
		f.checked, f.cut = stat, cut
	}
}

// arrives notes that a report has come from Neovim, and is noted next.
func (v *versions) arrives(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.arrived = n
	v.noting[n] = true
}

// setReported notes the number of the last report on a file, which is noted.
func (v *versions) setReported(path string, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.reported[path] = n
	delete(v.noting, n)
}

// lastReport returns the number of the last report on a file that is noted.
func (v *versions) lastReport(path string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.reported[path]
}

// hasReport reports whether a report, on any file, has come and is noted.
func (v *versions) hasReport(n int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.arrived >= n && !v.noting[n]
}

// warn notes that the user is warned of a version on the disk, and reports whether that is new.
func (v *versions) warn(path string, stat buffers.Stat) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	before, ok := v.warned[path]
	v.warned[path] = stat
	return !ok || !before.Equal(stat)
}

// saveWaits notes that a save waits for what is on the disk.
func (v *versions) saveWaits() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.saving = time.Now()
}

// saveWaited reports whether a save has waited after a time.
func (v *versions) saveWaited(after time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.saving.After(after)
}

// diskEdit is a version of a file on the disk, merged with the text of a buffer that has another.
type diskEdit struct {
	stat     buffers.Stat
	data     []byte
	text     string // in UTF-8
	encoding string // 'fileencoding' to set, "" to keep the buffer's
	parsed   buffers.Text
	merged   buffers.Merged
}
