package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// Journals are those of all sessions: what their turns have changed. They are safe for concurrent use.
type Journals struct {
	host      feature.Host
	appending feature.Warner

	mu   sync.Mutex                 // guards all below
	byID map[string]*rewind.Journal // by session, of those that are open
	uses map[string]*use            // by session

	holds holds
}

// holds are the records that are locked here for the sake of the journals beside them. They are safe for concurrent use.
type holds struct {
	mu   sync.Mutex       // guards all below, and is held while a record is opened
	byID map[string]*hold // by session
}

// hold is one record that is locked, for several holders.
type hold struct {
	file    *record.File
	holders int
}

// take locks a record, unless that is done already. It stays locked until all who have taken it have called release.
func (h *holds) take(dir, id string) (release func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()

	held := h.byID[id]
	if held == nil {
		f, err := record.Open(dir, id)
		if err != nil {
			return nil, err
		}
		if h.byID == nil {
			h.byID = map[string]*hold{}
		}
		held = &hold{file: f}
		h.byID[id] = held
	}

	held.holders++
	return func() { h.release(id, held) }, nil
}

func (h *holds) release(id string, held *hold) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if held.holders--; held.holders == 0 && h.byID[id] == held {
		delete(h.byID, id)
		_ = held.file.Close() // nothing is written
	}
}

// HandOver returns the record of a session that is opened here while its journal is held, locked; nil if it is not held. The caller
// closes it.
func (j *Journals) HandOver(id string) *record.File {
	h := &j.holds
	h.mu.Lock()
	defer h.mu.Unlock()

	held := h.byID[id]
	if held == nil {
		return nil
	}
	delete(h.byID, id)
	return held.file
}

// forget forgets the journal of a session that is closed.
func (j *Journals) forget(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.byID, id)
	delete(j.uses, id)
}

// Of calls a function with the journal of a session, by its id. It is read at first use, or if the session is not open each
// time. It waits for the disk.
func (j *Journals) Of(id string, do func(*rewind.Journal) error) error {
	use := j.use(id)
	use.take()
	defer use.leave()
	return j.locked(id, do)
}

// rewind is Of for a rewind, which may wait for a look for renamed files: that does not wait for the journal.
func (j *Journals) rewind(id string, do func(*rewind.Journal) error) error {
	use := j.use(id)
	use.take()
	defer use.leave()
	use.rewind()
	return j.locked(id, do)
}

// use returns the use of the journal of a session.
func (j *Journals) use(id string) *use {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.uses[id] == nil {
		j.uses[id] = newUse()
	}
	return j.uses[id]
}

// locked is Of for whoever has taken the journal.
func (j *Journals) locked(id string, do func(*rewind.Journal) error) error {
	open := j.host.Session(id) != nil
	j.mu.Lock()
	book := j.byID[id]
	j.mu.Unlock()

	if book == nil || !open {
		var err error
		book = &rewind.Journal{}
		if path := j.file(id); path != "" {
			if book, err = rewind.Open(path); err != nil {
				j.host.Say("warn", "some turns are no longer known: "+plain.Reason(err))
			}
		}
		j.mu.Lock()
		if open {
			j.byID[id] = book
		}
		j.mu.Unlock()
	}

	return do(book)
}

// append appends to the journal of a session.
func (j *Journals) append(id string, e rewind.Entry) {
	err := j.Of(id, func(book *rewind.Journal) error {
		_, err := book.Append(e)
		return err
	})
	j.appending.Warn(j.host, id, "a turn's changes are not recorded", err)
}

// hold keeps other processes from a session that is not open here, so that nobody else appends to its journal. Several may hold it at
// a time. It waits for the disk.
func (j *Journals) hold(id string) (release func(), err error) {
	if j.host.Session(id) != nil {
		return func() {}, nil
	}

	path, err := record.Path(j.host.Settings().RecordDir(), id)
	if err == nil {
		_, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the session of that turn was deleted")
	}
	if err != nil {
		return nil, err
	}

	if release, err = j.holds.take(j.host.Settings().RecordDir(), id); err != nil {
		return nil, fmt.Errorf("the session of that turn: %w", err)
	}
	return release, nil
}

// file is the path of a session's journal, "" if nothing is recorded.
func (j *Journals) file(id string) string {
	return feature.SessionFile(j.host, id, "turns.jsonl")
}

// moved notes in the journal of a session that a file was renamed, once no rewind uses it.
func (j *Journals) moved(id string, m rewind.Move) {
	write := func() {
		release, err := j.hold(id)
		if err != nil {
			return // its turns are not there, or another Neovim has them, which finds the file itself
		}
		defer release()
		if err := j.locked(id, func(book *rewind.Journal) error { return book.Moved(m) }); err != nil {
			j.host.Say("warn", ":AcpUndo will not know a rename after a restart: "+plain.Reason(err))
		}
	}

	use := j.use(id)
	if use.takeUnlessRewind() {
		defer use.leave()
		write()
		return
	}

	caught.Go(func() { // ends when the rewind that uses it does, which may wait for this look
		use.take()
		defer use.leave()
		write()
	})
}

// Files returns by path the files of which a session's turns can be taken back, as they have left them; none while a rewind is under
// way. It waits for the disk.
func (j *Journals) Files(id string) (files map[string]checkpoint.Version) {
	use := j.use(id)
	if !use.takeUnlessRewind() {
		return nil
	}
	defer use.leave()
	_ = j.locked(id, func(book *rewind.Journal) error {
		files = book.Files()
		return nil
	})
	return files
}
