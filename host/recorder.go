package host

import (
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// recorder writes to the records of all sessions what has happened in them, on one goroutine, so that nobody else waits
// for the disk.
type recorder struct {
	dirty *poke.Set[*Session]
	host  *Host
	done  chan struct{} // closed by stop
	over  chan struct{} // closed when the last of it is written
}

// recordPause is the least time from one writing to the next: each wakes the program up. What is growing is written once a second anyway,
// and what comes after a quiet moment at once.
const recordPause = 300 * time.Millisecond

func newRecorder(h *Host) *recorder {
	return &recorder{dirty: poke.NewSet[*Session](), host: h, done: make(chan struct{}), over: make(chan struct{})}
}

// stop has everything written, and waits for it, but not for a disk that hangs.
func (r *recorder) stop() {
	close(r.done)
	select {
	case <-r.over:
	case <-time.After(time.Second):
	}
}

// loop is the recorder's goroutine, until stop.
func (r *recorder) loop() {
	defer close(r.over)
	clock := time.NewTimer(time.Hour)
	clock.Stop()
	for {
		select {
		case <-r.dirty.Wake:
		case <-clock.C:
		case <-r.done:
			r.write(true)
			return
		}
		if wait := r.write(false); wait > 0 {
			clock.Reset(wait)
		}
		select {
		case <-time.After(recordPause):
		case <-r.done:
			r.write(true)
			return
		}
	}
}

// write records what is due, or all there is, and returns when it is to be called again, 0 for not before a poke.
func (r *recorder) write(all bool) (wait time.Duration) {
	for _, s := range r.dirty.Take() {
		var left time.Duration
		s.within("host.(*recorder).write", func() { left = s.kept.write(s, all) })
		if left == 0 {
			continue
		}
		r.dirty.Add(s)
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return wait
}

// keeper writes the record of one session. It is made when there is something said to record.
type keeper struct {
	mu      sync.Mutex // guards all below; taken before Session.mu, and held while the disk is waited for
	file    *record.File
	about   record.Entry // what the session is, as last written
	waiting []record.Entry
	read    bool // the record was looked for
	off     bool // nothing is recorded, any more
}

func (h *Host) recordDir() string {
	return h.settings().RecordDir()
}

func (h *Host) records() bool {
	return h.settings().Records()
}

// settle waits until the records of closed sessions have been let go of: of one, or with "" of all.
func (h *Host) settle(id string) {
	h.mu.Lock()
	var wait []chan struct{}
	for closing, kept := range h.closing {
		if id == "" || id == closing {
			wait = append(wait, kept)
		}
	}
	h.mu.Unlock()
	for _, kept := range wait {
		<-kept
	}
}

// write records what is due. It returns how long the rest may wait, 0 if there is none.
func (k *keeper) write(s *Session, all bool) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.off || !s.host.records() {
		return 0
	}
	unsaved := ask(s, func(st *session.State) session.Unsaved { return st.Unsaved(all) })
	entries, wait, about := unsaved.Entries, unsaved.Wait, s.about(unsaved.About, unsaved.Title)
	if unsaved.Replace {
		k.waiting = nil
		none := record.Entry{Time: about.Time, ID: "clear", Role: record.Status, Data: record.Data{Clear: true}}
		entries = slices.Insert(entries, 0, none)
	}
	k.waiting = append(k.waiting, entries...)
	if k.file == nil && !k.create(s) {
		return wait
	}
	if !sameAbout(about, k.about) {
		k.waiting = slices.Insert(k.waiting, 0, about)
		k.about = about
	}
	if err := k.file.Append(k.waiting...); err != nil {
		s.host.say("error", "the session is no longer recorded: "+err.Error())
		k.off = true
	}
	k.waiting = nil
	return wait
}

// create makes the record once something was said that is worth one.
func (k *keeper) create(s *Session) bool {
	said := slices.ContainsFunc(k.waiting, func(e record.Entry) bool { return e.Role != record.Status && !e.Data.Clear })
	if !said {
		return false
	}
	dir := s.host.recordDir()
	file, err := record.Open(dir, s.id)
	if err != nil {
		s.host.say("error", "the session is not recorded: "+err.Error())
		k.off = true
		return false
	}
	k.file, file.Hide = file, s.host.keys.Hide
	if err := record.Prune(dir, s.host.maxRecorded()); err != nil {
		s.host.say("warn", "old records: "+err.Error())
	}
	return true
}

func (h *Host) maxRecorded() int64 {
	return int64(h.settings().Record.MaxMB * (1 << 20))
}

// close writes what is left and lets go of the record.
func (k *keeper) close(s *Session) {
	k.write(s, true)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.off = true
	if k.file != nil {
		_ = k.file.Close() // there is nothing more to write
	}
}

// about is the line that says what the session is.
func (s *Session) about(is record.Session, title string) record.Entry {
	is.Cwd, is.Dirs = s.cwd, s.dirs
	return record.Entry{
		Time: time.Now().UnixMilli(), ID: record.SessionID, Role: record.Status, Text: title, Data: record.Data{Session: &is},
	}
}

func sameAbout(a, b record.Entry) bool {
	x, y := a.Data.Session, b.Data.Session
	return y != nil && a.Text == b.Text && x.Remote == y.Remote && x.Title == y.Title && x.Name == y.Name && x.Skills == y.Skills &&
		x.Untold == y.Untold && slices.Equal(x.Notes, y.Notes)
}

// recall shows what the session's record says, if there is one, and goes on with that record. It waits for the disk. If
// another Neovim has the session open, the error is record.ErrInUse, and the record is shown nevertheless.
func (s *Session) recall() error {
	s.host.settle(s.id)
	k := &s.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read || k.file != nil {
		return nil
	}
	dir := s.host.recordDir()
	path, err := record.Path(dir, s.id)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		k.read = true
		return nil // it has none
	}
	var rec record.Record
	file, inUse := record.Open(dir, s.id)
	if inUse == nil {
		k.read = true
		rec, err = file.Read()
	} else {
		rec, err = record.Load(dir, s.id)
	}
	switch {
	case err != nil && inUse == nil:
		k.read = false // the next start tries again
		_ = file.Close()
		return err
	case err != nil:
		return err
	case inUse != nil && !errors.Is(inUse, record.ErrInUse):
		return inUse
	case inUse == nil && s.host.records():
		k.file, file.Hide = file, s.host.keys.Hide
		s.host.review.Restore(featured{s})
		s.host.history.Complete(featured{s})
	case inUse == nil:
		_ = file.Close() // it is not written to
	}
	s.do(func(st *session.State) {
		is, title := st.Restore(rec)
		k.about = s.about(is, title)
	})
	return inUse
}
