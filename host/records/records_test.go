package records

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"golang.org/x/sys/unix"
)

// program is the rest of the program, as far as records know it.
type program struct {
	feature.Host
	set  settings.Settings
	open []feature.Session
	said []string
}

func (p *program) Settings() *settings.Settings   { return &p.set }
func (p *program) Session(string) feature.Session { return nil }
func (p *program) Sessions() []feature.Session    { return p.open }
func (p *program) Say(_, text string)             { p.said = append(p.said, text) }

// talk is a session.
type talk struct {
	feature.Session
	fault chan error // what has failed it

	mu    sync.Mutex // guards what follows
	state *session.State
	back  []session.Prompt // that came back to the user
}

func newTalk() *talk {
	return &talk{fault: make(chan error, 1), state: session.New(session.Config{
		ID: "s", NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) },
	})}
}

func (t *talk) LocalID() string   { return "s" }
func (t *talk) Cwd() string       { return "/" }
func (t *talk) Spec() agents.Spec { return agents.Spec{} }
func (t *talk) Spawn(do func())   { caught.GoOr(do, func(fault *caught.Error) { t.fault <- fault }) }

func (t *talk) Do(step func(*session.State)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	step(t.state)
	t.back = append(t.back, t.state.Take().GiveBack...)
}

// What fails one session while its record is let go of keeps no other waiting.
func TestFaultWhileClosing(t *testing.T) {
	p := new(program)
	p.set.StateDir, p.set.Record.Enabled = t.TempDir(), true
	s := newTalk()
	r := New(p, nil, Hooks{})
	r.Keeper(s).Close()(func() { panic("what is done behind it") })

	over := make(chan struct{})
	go func() { // ends when nobody waits
		r.Last("/")
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		t.Error("the list of sessions waits")
	}
	if err := <-s.fault; err == nil {
		t.Error("nobody hears of the fault")
	}
}

// What could not be written, since the disk was full, is recorded once there is room, with what was said meanwhile (behaviour 1298).
func TestRecordedAgain(t *testing.T) {
	p := new(program)
	p.set.StateDir, p.set.Record.Enabled, p.set.Record.MaxMB = t.TempDir(), true, 1
	s := newTalk()
	r := New(p, nil, Hooks{})
	k := r.Keeper(s)
	say := func(text string) {
		s.Do(func(st *session.State) {
			st.Log().Prompt(text, nil)
			st.Log().EndTurn(acp.StopEndTurn)
		})
	}
	recorded := func() (list []string) {
		t.Helper()
		rec, err := record.Load(r.dir(), "s")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Entries {
			if e.Role == record.User {
				list = append(list, e.Text)
			}
		}
		return list
	}

	say("first")
	if wait := k.write(true); wait != 0 {
		t.Fatalf("%v remains: %q", wait, p.said)
	}

	signal.Ignore(unix.SIGXFSZ)
	t.Cleanup(func() { signal.Reset(unix.SIGXFSZ) })
	path, err := record.Path(r.dir(), "s")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var was unix.Rlimit
	limit := func(bytes uint64) {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: was.Max}); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	limit(uint64(info.Size()) + 10) // a line is cut
	t.Cleanup(func() { limit(was.Cur) })
	for _, text := range []string{"second", "third"} {
		say(text)
		if wait := k.write(true); wait != retryWrite {
			t.Fatalf("it is tried again in %v", wait)
		}
	}
	if len(p.said) != 1 {
		t.Errorf("said %q", p.said)
	}

	limit(was.Cur)
	say("fourth")
	if wait := k.write(true); wait != 0 {
		t.Fatalf("%v remains: %q", wait, p.said)
	}
	if got := recorded(); !slices.Equal(got, []string{"first", "second", "third", "fourth"}) {
		t.Errorf("recorded is %q", got)
	}
}

// A record that cannot be read, or that another Neovim has, is looked for again at the next start, and is then the session's; one that was
// read is not read again. What waits in it comes back to the user then, and only then.
func TestRecalledAgain(t *testing.T) {
	p := new(program)
	p.set.StateDir, p.set.Record.Enabled, p.set.Record.MaxMB = t.TempDir(), true, 1
	recalled := 0
	r := New(p, nil, Hooks{
		Recalled: func(feature.Session) { recalled++ },
		Held:     func(string) *record.File { return nil },
	})
	s := newTalk()
	k := r.Keeper(s)
	path, err := record.Path(r.dir(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := k.Recall(); err == nil || recalled != 0 {
		t.Fatalf("a folder is read: %v", err)
	}

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f, err := record.Open(r.dir(), "s")
	if err != nil {
		t.Fatal(err)
	}
	waiting := record.Session{Agent: "a", Waiting: []record.Prompt{{ID: "p", Text: "and then"}}}
	if err := f.Append(about(waiting, ""), record.Entry{Time: 1, ID: "1", Role: record.User, Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	if err := k.Recall(); !errors.Is(err, record.ErrInUse) || recalled != 0 || len(s.back) > 0 {
		t.Errorf("what another has is read: %v, and %v comes back", err, s.back)
	}

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := k.Recall(); err != nil || recalled != 1 {
			t.Errorf("it is recalled %d times: %v", recalled, err)
		}
	}
	if _, said := s.state.Summary(); !said {
		t.Error("nothing is shown")
	}
	if len(s.back) != 1 || s.back[0].ID != "p" || s.back[0].Text != "and then" {
		t.Errorf("what comes back is %v", s.back)
	}
	if _, err := record.Open(r.dir(), "s"); !errors.Is(err, record.ErrInUse) {
		t.Errorf("another can have it: %v", err)
	}
}

// A record that is locked here for another purpose is the session's when that is opened.
func TestRecalledHeld(t *testing.T) {
	p := new(program)
	p.set.StateDir, p.set.Record.Enabled, p.set.Record.MaxMB = t.TempDir(), true, 1
	var held *record.File
	r := New(p, nil, Hooks{Recalled: func(feature.Session) {}, Held: func(string) *record.File { return held }})
	held, err := record.Open(r.dir(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Append(record.Entry{Time: 1, ID: "1", Role: record.User, Text: "hello"}); err != nil {
		t.Fatal(err)
	}

	s := newTalk()
	if err := r.Keeper(s).Recall(); err != nil {
		t.Fatal(err)
	}
	if _, said := s.state.Summary(); !said {
		t.Error("nothing is shown")
	}
	_ = held.Close() // nothing more is written
}

// A conversation that goes on from an earlier point has its last prompt before that, and what it loses, by times that are known: those of
// prompts that only a replay has brought are not.
func TestInheritUndated(t *testing.T) {
	p := new(program)
	p.set.StateDir, p.set.Record.Enabled, p.set.Record.MaxMB = t.TempDir(), true, 1
	r := New(p, nil, Hooks{})
	f, err := record.Open(r.dir(), "other")
	if err == nil {
		user := func(id string, at int64, undated bool) record.Entry {
			return record.Entry{Time: at, ID: id, Role: record.User, Text: id, Data: record.Data{Undated: undated}}
		}
		// What is replayed is recorded last.
		err = errors.Join(f.Append(user("first", 1, false), user("second", 9, true), user("third", 3, false), user("fourth", 9, true)), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct {
		cut, before string
		since       int64 // 0: now
	}{
		{"first", "", 1}, {"second", "first", 3}, {"third", "first", 3}, {"fourth", "third", 0},
	} {
		began := time.Now()
		cut, before, err := r.Keeper(newTalk()).InheritUntil("other", "", tt.cut)
		if err != nil || cut.Key != tt.cut || before.Key != tt.before {
			t.Errorf("%s: got %q, before it %q: %v", tt.cut, cut.Key, before.Key, err)
		}
		if tt.since != 0 && cut.Time.UnixMilli() != tt.since || tt.since == 0 && cut.Time.Before(began) {
			t.Errorf("%s: lost is what was done since %v", tt.cut, cut.Time)
		}
	}
}

// A session in which something was said has a record in the list only if that has any of it: the disk may have been full.
func TestListedRecord(t *testing.T) {
	p := new(program)
	p.set.StateDir = t.TempDir()
	s := newTalk()
	s.Do(func(st *session.State) { st.Log().Prompt("hello", nil) })
	p.open = []feature.Session{s}
	var r *Records
	r = New(p, agents.NewPool(nil, agents.Config{}, nil), Hooks{Keeper: func(s feature.Session) *Keeper { return r.Keeper(s) }})
	f, err := record.Open(r.dir(), "s")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, tt := range []struct {
		name     string
		entry    record.Entry
		recorded bool
	}{
		{"what it is", about(record.Session{Agent: "a"}, "hello"), false},
		{"a prompt", record.Entry{Time: 1, ID: "1", Role: record.User, Text: "hello"}, true},
	} {
		if err := f.Append(tt.entry); err != nil {
			t.Fatal(err)
		}
		if rows := r.rows(&listing{}); len(rows) != 1 || rows[0].Recorded != tt.recorded {
			t.Errorf("%s: got %+v, want one, recorded %v", tt.name, rows, tt.recorded)
		}
	}
}

// A session that an agent lists in the folder that is looked for, by another name, is in that; one elsewhere stays there.
func TestListedFolder(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	l := listing{cwd: link}
	for cwd, want := range map[string]string{link: link, dir: link, "/elsewhere": "/elsewhere"} {
		if got := l.folder(cwd); got != want {
			t.Errorf("%s: got %s, want %s", cwd, got, want)
		}
	}
	if got := new(listing).folder(dir); got != dir {
		t.Errorf("got %s where no folder is looked for", got)
	}
}

// Agents write times in these forms; of another nothing is known.
func TestTimes(t *testing.T) {
	for text, want := range map[string]int64{
		"2020-02-03T12:00:00Z": 1580731200, "2020-02-03T12:00:00.123+01:00": 1580727600,
		"2020-02-03T12:00:00": 1580731200, "2020-02-03 12:00:00": 1580731200, "yesterday": 0, "": 0,
	} {
		if got := timeOf(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
