package reviewing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/history"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// unopened is a Neovim without buffers.
type unopened struct{ files.Editor }

func (unopened) Snapshot(context.Context, string, bool) (files.Snapshot, error) {
	return files.Snapshot{}, nil
}
func (unopened) DiskChanged(context.Context, string) error { return nil }

// busy is a session whose agent may have changed what is on the disk.
type busy struct {
	feature.Session
	id, root string
}

func (b busy) LocalID() string { return b.id }
func (b busy) Roots() []string { return []string{b.root} }
func (b busy) Merging() bool   { return true }
func (b busy) Writing() bool   { return true }
func (b busy) AtWork() bool    { return true }

func (b busy) Spec() agents.Spec       { return agents.Spec{} }
func (b busy) Spawn(func())            {}
func (b busy) Do(func(*session.State)) {}

// idle is a session whose agent does nothing.
type idle struct{ busy }

func (idle) Merging() bool { return false }
func (idle) Writing() bool { return false }
func (idle) AtWork() bool  { return false }

// A change on the disk may be that of each session in the folder whose agent is at work, and of no other (behaviour 55).
func TestWorking(t *testing.T) {
	at := func(id, root string) busy { return busy{id: id, root: root} }
	r := Review{host: program{sessions: []feature.Session{
		at("works", "/a"), idle{at("rests", "/a")}, at("elsewhere", "/b"), at("above", "/"), idle{at("rests above", "/")},
	}}}
	if got, want := r.working("/a/file"), []string{"above", "works"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// program is one with two such sessions.
type program struct {
	feature.Host
	sessions []feature.Session
}

func (d program) Sessions() []feature.Session  { return d.sessions }
func (d program) Settings() *settings.Settings { return &settings.Settings{Review: "auto"} }

// What a decision of the user's leaves of a file that is not open is no agent's change, whoever is at work and whoever looks before it is
// settled; what is written over it is (behaviour 1160).
func TestDecidedIsNoAgents(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name    string
		after   string // "": only the decision has written
		fails   string // what a decision that fails has written
		unknown bool
	}{
		{"decided", "", "", false},
		{"decided, and it could not be told", "", "mine\n", false},
		{"failed before it was written", "", "three\n", true},
		{"written over", "three\n", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := files.New(files.Options{
				Editor: unopened{}, Sessions: func() []files.Session { return nil },
				Settings: func() files.Settings { return files.Settings{} },
			})
			defer w.Close()
			a, b := busy{id: "a", root: root}, busy{id: "b", root: root}
			r := &Review{moves: unmoved(), host: program{sessions: []feature.Session{a, b}}, files: w, ledger: review.NewDesk(), dirty: newDirty()}
			write("two\n")
			r.ledger.Begin("a", "do it", time.Now())
			r.ledger.Begin("b", "and this", time.Now())
			r.ledger.Changed([]string{"a"}, path, review.Parse("one\n"), review.Parse("two\n"))

			var err error
			if tt.unknown { // by one of them, which nobody has seen
				write("three\n")
			}
			if tt.fails != "" {
				err = w.Exclusively(context.Background(), path, func() error {
					write(tt.fails)
					return errors.New("no")
				})
			} else {
				err = w.Rewrite(context.Background(), path, false, func(files.View) (shown, disk files.Text, err error) {
					text := files.Text(review.Parse("mine\n"))
					return text, text, nil
				}, func() {}) // it is settled later
			}
			if (err != nil) != (tt.fails != "") {
				t.Fatal(err)
			}
			if tt.after != "" {
				write(tt.after)
			}

			if err := r.see(path, func(v files.View) { r.observe(path, v) }); err != nil {
				t.Fatal(err)
			}
			got := false
			for _, h := range r.ledger.Hunks(path) {
				got = got || h.Unknown()
			}
			if got != tt.unknown {
				t.Errorf("unknown: got %v, want %v: %+v", got, tt.unknown, r.ledger.Hunks(path))
			}
		})
	}
}

// What checkpoints have found of a turn is compared with what the file has by now: what was changed back meanwhile does not come again
// (behaviour 1160).
func TestFoundLate(t *testing.T) {
	one, two, three := review.Parse("one\n"), review.Parse("two\n"), review.Parse("three\n")
	for _, tt := range []struct {
		name  string
		known *review.Content // what the file is known to have
		now   review.Content
		hunks int
	}{
		{"not known before", nil, two, 1},
		{"not known, and changed back", nil, one, 0},
		{"not known, and changed since", nil, three, 1},
		{"known", &one, two, 1},
		{"known to have it", &two, two, 0},
		{"known, and reverted since", &three, three, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := review.NewDesk()
			d.Begin("s", "do it", time.Now())
			if tt.known != nil { // it is followed, and has no hunk
				d.Changed([]string{"s"}, "/f", *tt.known, review.Parse("agent\n"))
				d.Revert("s", "/f", review.Pick{}, "", time.Now())
			}
			d.Found("s", "/f", one, two, tt.now, false)
			if got := len(d.Hunks("/f")); got != tt.hunks {
				t.Errorf("got %d hunks, want %d: %+v", got, tt.hunks, d.Hunks("/f"))
			}
		})
	}
}

// shows is a Neovim with a buffer.
type shows struct {
	files.Editor
	text string
}

func (e shows) Snapshot(context.Context, string, bool) (files.Snapshot, error) {
	return files.Snapshot{Buf: 1, Text: e.text, Count: 1, EOL: true}, nil
}

// What a turn has done to a file that the user has opened since is reviewed, though its checkpoint is compared only then; not what it has
// done to one that it knew to be open, nor what the user has changed since.
func TestFoundOpened(t *testing.T) {
	one, two := review.Parse("one\n"), review.Parse("two\n")
	for _, tt := range []struct {
		name  string
		shown string
		known bool // to the turn
		kept  bool
		hunks int
	}{
		{"opened since", "two", false, false, 1},
		{"open before", "two", true, false, 0},
		{"changed since", "three", false, false, 0},
		{"opened since, and kept", "two", false, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := busy{id: "a", root: "/a"}
			w := files.New(files.Options{
				Editor: shows{text: tt.shown}, Sessions: func() []files.Session { return nil },
				Settings: func() files.Settings { return files.Settings{} },
			})
			defer w.Close()
			r := &Review{moves: unmoved(), host: program{sessions: []feature.Session{a}}, files: w, ledger: review.NewDesk(), dirty: newDirty()}
			r.ledger.Begin("a", "do it", time.Now())
			if tt.kept {
				r.ledger.Changed([]string{"a"}, "/a/f", one, two)
				r.ledger.Keep("a", "/a/f", review.Pick{}, time.Now())
			}
			if err := r.Found(a, "/a/f", one, two, tt.known, false); err != nil {
				t.Fatal(err)
			}
			if got := len(r.ledger.Hunks("/a/f")); got != tt.hunks {
				t.Errorf("got %d hunks, want %d", got, tt.hunks)
			}
		})
	}
}

// What a file has as a buffer has just opened it is an agent's doing also where that changes it before the file was looked at
// (behaviour 1291).
func TestChangedAsOpened(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	if err := os.WriteFile(path, []byte("UNO\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := busy{id: "a", root: root}
	r := &Review{moves: unmoved(), host: program{sessions: []feature.Session{a}}, ledger: review.NewDesk(), dirty: newDirty()}
	r.ledger.Begin("a", "do it", time.Now())
	r.ledger.Changed([]string{"a"}, path, review.Parse("one\ntwo\nthree\n"), review.Parse("one\ntwo\n"))

	r.reports.add(heard{Report: files.Report{Path: path, Text: "UNO\ntwo\n"}})
	text := func(s string) files.Text { return files.Text(review.Parse(s)) }
	r.Changed(a, files.Change{Path: path, Before: text("UNO\ntwo\n"), After: text("UNO\ntwo\nFOUR\n")})
	if base, _ := r.ledger.Base("a", path); !base.Equal(review.Parse("one\ntwo\nthree\n")) {
		t.Errorf("without the agent the file would have %q", base.Lines)
	}
}

// What a turn has heard of a file says nothing of it once the user has kept the last of its changes: what is met on the disk is not
// compared with it (behaviour 1371).
func TestKeptMeanwhile(t *testing.T) {
	const path = "/a/file"
	one, two := review.Parse("one\n"), review.Parse("two\n")
	for _, kept := range []bool{false, true} {
		a := busy{id: "a", root: "/a"}
		host := program{sessions: []feature.Session{a}}
		w := files.New(files.Options{
			Editor: unopened{}, Sessions: func() []files.Session { return nil },
			Settings: func() files.Settings { return files.Settings{} },
		})
		defer w.Close()
		r := &Review{moves: unmoved(), host: host, files: w, ledger: review.NewDesk(), history: history.New(host, w, history.Hooks{})}
		r.history.Begin(t.Context(), a, &session.Turn{}, nil, true)
		r.history.Keep(path, files.Text(one)) // it has heard of that
		r.ledger.Begin("a", "do it", time.Now())
		r.ledger.Changed([]string{"a"}, path, one, two)

		h := r.history.Heard(host.sessions, path)
		if kept {
			r.ledger.Keep("a", path, review.Pick{}, time.Now())
		}
		if was, ok := r.was(h, path, time.Now()); ok == kept || ok && !review.Content(was.Text).Equal(one) {
			t.Errorf("kept meanwhile: %v; it had %q, known: %v", kept, was.Text.Lines, ok)
		}
		r.meet(path, two, time.Now(), h)
		if n := len(r.ledger.Hunks(path)); kept && n > 0 {
			t.Errorf("%d hunks of what was kept", n)
		}
	}
}
