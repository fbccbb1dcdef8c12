package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/highlight"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/poke"
)

// reviewer joins the changes that agents have made to the files, to Neovim's marks and to the disk. Safe for concurrent use.
type reviewer struct {
	host *Host
	desk *review.Desk
	wake poke.Chan

	decisions buffers.Queue // of the user's
	heads     heads

	mu      sync.Mutex        // guards all below
	dirty   map[string]bool   // paths of files to be looked at
	drawing map[string]bool   // paths of files that a goroutine looks at
	gates   map[string]func() // by session, whoever waits for the decisions on its last turn
	listed  bool              // the list may have changed since Neovim has got it
	left    map[string]bool   // paths of files that were loaded in a Neovim that has left, and are not looked at since
}

func newReviewer(h *Host) *reviewer {
	return &reviewer{
		host: h, desk: review.NewDesk(), wake: poke.New(), dirty: map[string]bool{}, drawing: map[string]bool{}, gates: map[string]func(){},
	}
}

// reviewPause is the least time from one drawing of marks to the next.
const reviewPause = 50 * time.Millisecond

// savePause is the least time from one saving to the next.
const savePause = time.Second

// loop draws marks and the list, and saves, until the host closes.
func (r *reviewer) loop() {
	clock := time.NewTimer(time.Hour)
	clock.Stop()
	waits := false // the clock runs
	for {
		select {
		case <-r.wake:
		case <-clock.C:
			waits = false
			r.saveAll()
			continue
		case <-r.host.done:
			return
		}
		if !waits {
			waits = true
			clock.Reset(savePause)
		}
		caught.Run("host.(*reviewer).loop", r.desk.TakeIn) // while nobody waits for a file
		for _, path := range r.take() {
			caught.Go(func() { r.draw(path) }) // ends when Neovim answers or goes away
		}
		caught.Run("host.(*reviewer).loop", r.list)
		select {
		case <-time.After(reviewPause):
		case <-r.host.done:
			return
		}
	}
}

// poke has files looked at, and the list. It does not wait.
func (r *reviewer) poke(paths ...string) {
	r.mu.Lock()
	for _, path := range paths {
		r.dirty[path] = true
	}
	r.listed = true
	r.mu.Unlock()
	r.wake.Poke()
}

// take returns the files to be looked at that nobody looks at.
func (r *reviewer) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for path := range r.dirty {
		if !r.drawing[path] {
			out = append(out, path)
			delete(r.dirty, path)
			r.drawing[path] = true
		}
	}
	return out
}

// changed takes in what an agent has changed, in the order of the changes of each file. It does not wait.
func (r *reviewer) changed(c files.Change) {
	if r.host.settings().Review == "off" {
		return
	}
	var sessions []string
	if s := sessionOf(c); s != nil {
		sessions = []string{s.id}
	} else {
		sessions = r.working(c.Path)
	}
	if r.host.life.away() {
		r.drop(c.Path, true) // before the change is compared with it
	}
	r.desk.Changed(sessions, c.Path, review.Content(c.Before), review.Content(c.After))
	r.poke(c.Path)
}

// working returns the ids of the sessions whose agents may have changed a file on the disk just now.
func (r *reviewer) working(path string) []string {
	var out []string
	for _, s := range r.host.all() {
		if s.Merging() && buffers.Inside(s.Roots(), path) {
			out = append(out, s.id)
		}
	}
	slices.Sort(out)
	return out
}

// observe takes in what a file has. What differs is the user's doing, unless no buffer has it and an agent is at work.
func (r *reviewer) observe(path string, v files.View) {
	now := review.Content(v.Shown)
	if now.Missing && r.desk.Known(path) && !r.desk.Gone(path) && !r.host.moves.Looked(path) {
		return // it may have another name
	}
	if v.Buf == 0 {
		r.drop(path, len(r.working(path)) > 0)
	}
	switch {
	case v.Buf != 0 && r.desk.Gone(path):
		if _, err := buffers.StatFile(path); err != nil {
			return // its text is only in the buffer by now
		}
	case v.Buf == 0 && r.desk.Known(path):
		if before, ok := r.desk.Content(path); ok {
			r.desk.Changed(r.working(path), path, before, now)
		}
	}
	r.desk.Observe(path, now)
}

// see hands a file to a function while nothing else edits it, after what the user has made of it was taken in.
func (r *reviewer) see(path string, do func(loaded bool)) error {
	return r.host.files.Look(context.Background(), path, func(v files.View) error {
		if v.Buf != 0 {
			r.observe(path, v)
		}
		do(v.Buf != 0)
		return nil
	})
}

// maxPart is how many lines of marks go to Neovim in one call.
const maxPart = 150

// mark is a hunk as Neovim shows it.
type mark struct {
	Session string   `msgpack:"session"`
	ID      int      `msgpack:"id"`
	Sum     string   `msgpack:"sum"`
	Row     int      `msgpack:"row"`
	Added   int      `msgpack:"added"`
	Removed []string `msgpack:"removed"`
	More    int      `msgpack:"more"`    // removed lines that are not among these
	Words   [][3]int `msgpack:"words"`   // changed words of the added lines: line, from, to in bytes
	Gone    [][3]int `msgpack:"gone"`    // of the removed lines
	Unknown bool     `msgpack:"unknown"` // another session may have made it
}

// draw marks the changes in the buffer of a file. A buffer that has changed meanwhile is looked at again.
func (r *reviewer) draw(path string) {
	again := false
	err := r.host.files.Look(context.Background(), path, func(v files.View) error {
		r.observe(path, v)
		r.host.moves.Saw(path)
		if v.Buf == 0 {
			return nil
		}
		hunks := r.desk.Hunks(path)
		if r.desk.Gone(path) {
			hunks = nil
		}
		for first := true; first || len(hunks) > 0; first = false {
			part := []mark{} // Lua has a list, not nil
			for lines := 0; len(hunks) > 0 && lines < maxPart; hunks = hunks[1:] {
				m := marked(hunks[0])
				lines += m.Added + len(m.Removed) + 1
				part = append(part, m)
			}
			var current bool
			if err := r.host.ed.ExecLua(luaMarks, &current, v.Buf, v.Tick, part, first, len(hunks) == 0); err != nil {
				return err
			}
			if !current {
				again = true
				return nil
			}
		}
		return nil
	})

	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.drawing, path)
	if err == nil && again {
		r.dirty[path] = true
	}
	r.listed = true
	r.wake.Poke()
}

// maxCompared is how many lines a hunk may have whose changed words are marked.
const maxCompared = 300

// maxRemoved is how many removed lines of a hunk are shown.
const maxRemoved = 50

// marked returns a hunk as Neovim shows it.
func marked(h review.Owned) mark {
	m := mark{
		Session: h.Session, ID: h.ID, Sum: h.Sum, Row: h.Row, Added: len(h.Added), Removed: append([]string{}, h.Removed...),
		Words: [][3]int{}, Gone: [][3]int{}, Unknown: h.Unknown(),
	}
	if len(h.Added)+len(h.Removed) <= maxCompared {
		gone, words := highlight.Changes(h.Removed, h.Added, "", "")
		m.Gone, m.Words = places(gone[:min(len(gone), maxRemoved)]), places(words)
	}
	if more := len(m.Removed) - maxRemoved; more > 1 {
		m.Removed, m.More = m.Removed[:maxRemoved], more
	}
	return m
}

func places(lines [][]highlight.Span) [][3]int {
	out := [][3]int{}
	for i, spans := range lines {
		for _, s := range spans {
			out = append(out, [3]int{i, s.From, s.To})
		}
	}
	return out
}

// entry is a file of the list.
type entry struct {
	Session string        `msgpack:"session"`
	Path    string        `msgpack:"path"`
	From    string        `msgpack:"from"`
	Kind    string        `msgpack:"kind"`
	All     review.Counts `msgpack:"all"`
	Turn    review.Counts `msgpack:"turn"` // of the last one
	Unknown bool          `msgpack:"unknown"`
	Rows    []int         `msgpack:"rows"`
	Heads   []string      `msgpack:"heads"` // how much of each hunk was added and removed, and its first line
	IDs     []int         `msgpack:"ids"`   // of the hunks
	Sums    []string      `msgpack:"sums"`
}

// list gives Neovim the list of files, if it may have changed.
func (r *reviewer) list() {
	r.mu.Lock()
	listed := r.listed
	r.listed = false
	r.mu.Unlock()
	if !listed {
		return
	}
	out := []entry{}
	for _, e := range r.desk.List("") {
		out = append(out, entry{
			Session: e.Session, Path: e.Path, From: e.From, Kind: string(e.Kind), All: e.Counts, Turn: e.Last,
			Unknown: e.Unknown, Rows: append([]int{}, e.Rows...), Heads: append([]string{}, e.Heads...),
			IDs: append([]int{}, e.IDs...), Sums: append([]string{}, e.Sums...),
		})
	}
	_ = r.host.ed.ExecLua(luaReview, nil, out) // Neovim goes
	r.lookAtGates()
}

// saveAll writes what has changed in all sessions. It waits for the disk.
func (r *reviewer) saveAll() {
	for _, s := range r.host.all() {
		r.save(s)
	}
}

// sweep removes what is saved for sessions that have no record any more. It waits for the disk.
func (r *reviewer) sweep() {
	if !r.host.records() {
		return
	}
	dir := r.host.reviewDir("")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is none
	}
	for _, e := range entries {
		path, err := record.Path(r.host.recordDir(), e.Name())
		if err != nil {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !recent(e) {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// recent reports whether a folder was changed within a day: its session may not have said anything yet.
func recent(e os.DirEntry) bool {
	info, err := e.Info()
	return err != nil || time.Since(info.ModTime()) < 24*time.Hour
}

// reviewDir is the folder that the changes of a session are saved in; "" if nothing is recorded.
func (h *Host) reviewDir(session string) string {
	if !h.records() {
		return ""
	}
	return filepath.Join(h.settings().StateDir, "review", session)
}

// reviewFile is a file in that folder, "" if nothing is recorded. The review's own files end in ".json".
func (h *Host) reviewFile(session, name string) string {
	dir := h.reviewDir(session)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// begin notes that a turn of a session begins. It does not wait.
func (r *reviewer) begin(s *Session, prompt string) {
	r.desk.Begin(s.id, session.FirstLine(prompt), time.Now())
	r.lookAtCommits(turnBegin)
}

// close ends the review of a session. It waits for the disk.
func (r *reviewer) close(s *Session) {
	paths := r.desk.Paths() // its marks go
	r.write(s, r.desk.Close(s.id))
	r.poke(paths...)
}

// save writes what of a session's changes has changed. It waits for the disk.
func (r *reviewer) save(s *Session) { r.write(s, r.desk.Unsaved(s.id)) }

func (r *reviewer) write(s *Session, saved review.Saved) {
	dir := r.host.reviewDir(s.id)
	if dir == "" {
		saved.Discard()
		return
	}
	if err := saved.Write(dir); err != nil {
		r.host.say("warn", "the changes to review are not saved: "+err.Error())
	}
}

// restore reads the changes that a session has made before. It waits for the disk.
func (r *reviewer) restore(s *Session) {
	var restored *review.Changes
	if dir := r.host.reviewDir(s.id); dir != "" {
		saved, err := review.Read(dir)
		if err == nil && len(saved) > 0 {
			restored, err = review.Restore(saved)
		}
		if err != nil {
			r.host.say("warn", "earlier changes are not shown: "+err.Error())
		}
	}
	r.desk.Open(s.id, restored)
	if restored != nil {
		r.poke(restored.Paths()...)
	}
}

// errStale says that a decision was on what is not there any more.
var errStale = errors.New("it has changed meanwhile: look again")
