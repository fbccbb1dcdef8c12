package reviewing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/moves"
	"github.com/nvim-acp/nvim-acp/host/review"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// begun is a session whose turn begins.
type begun struct {
	busy
	state *session.State
}

func (b begun) Do(step func(*session.State)) { step(b.state) }

// held is a Neovim without buffers that does not answer until it does.
type held struct {
	files.Editor
	asked   chan struct{} // has room for one
	answers chan struct{}
}

func (h held) Snapshot(ctx context.Context, _ string, _ bool) (files.Snapshot, error) {
	select {
	case h.asked <- struct{}{}:
	default:
	}
	select {
	case <-h.answers:
		return files.Snapshot{}, nil
	case <-ctx.Done():
		return files.Snapshot{}, ctx.Err()
	}
}

// What has become of a file that no buffer has is the user's doing if no agent has been at work before the turn that begins (behaviours
// 1209, 1210), also where Neovim does not answer as it begins (behaviour 1440).
func TestBegin(t *testing.T) {
	log := func() *transcript.Transcript { return transcript.New(transcript.Options{}) }
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	for _, tt := range []struct {
		name  string
		other feature.Session // beside that of the turn
		held  bool            // Neovim does not answer
		looks bool            // something looks at the file already
		want  int             // lines that an agent has added
	}{
		{"nobody was at work", idle{busy{id: "b", root: root}}, false, false, 1},
		{"another was at work", busy{id: "b", root: root}, false, false, 2},
		{"another was at work elsewhere", busy{id: "b", root: t.TempDir()}, false, false, 1},
		{"nobody was at work, Neovim is held up", idle{busy{id: "b", root: root}}, true, false, 1},
		{"nobody was at work, Neovim holds a look up", idle{busy{id: "b", root: root}}, true, true, 1},
		{"another was at work, Neovim holds a look up", busy{id: "b", root: root}, true, true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			editor := held{asked: make(chan struct{}, 1), answers: make(chan struct{})}
			if !tt.held {
				close(editor.answers)
			}
			w := files.New(files.Options{
				Editor: editor, Sessions: func() []files.Session { return nil },
				Settings: func() files.Settings { return files.Settings{} },
			})
			defer w.Close()
			s := begun{busy{id: "a", root: root}, session.New(session.Config{ID: "a", NewLog: log})}
			r := &Review{moves: unmoved(), host: program{sessions: []feature.Session{s, tt.other}}, files: w,
				ledger: review.NewDesk(), dirty: newDirty(),
				commits: commits{host: program{}, ledger: review.NewDesk()}}
			r.ledger.Begin("a", "do it", time.Now())
			r.ledger.Changed([]string{"a"}, path, review.Parse("one\n"), review.Parse("one\ntwo\n"))
			if err := os.WriteFile(path, []byte("one\ntwo\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			look := func() error { return r.see(path, func(v files.View) { r.observe(path, v) }) }
			looked := make(chan error, 1)
			if tt.looks {
				go func() { looked <- look() }()
				<-editor.asked
			} else {
				looked <- nil
			}
			if err := os.WriteFile(path, []byte("one\ntwo\nmine\n"), 0o600); err != nil {
				t.Fatal(err)
			}

			r.Begin(s, "and this")
			if tt.held {
				close(editor.answers)
			}
			if err := errors.Join(<-looked, look()); err != nil { // while the agent is at work
				t.Fatal(err)
			}
			got := 0
			for _, h := range r.ledger.Hunks(path) {
				got += len(h.Added)
			}
			if got != tt.want {
				t.Errorf("got %d lines of agents, want %d: %+v", got, tt.want, r.ledger.Hunks(path))
			}
		})
	}
}

// What was known of a file when its session was last open is compared with the file first, and the difference is the user's doing
// (behaviour 1209).
func TestOpenLater(t *testing.T) {
	d := review.NewDesk()
	d.Begin("a", "do it", time.Now())
	d.Changed([]string{"a"}, "/f", review.Parse("one\n"), review.Parse("one\ntwo\n"))
	saved := d.Close("a")
	restored, err := review.Restore(saved)
	if err != nil {
		t.Fatal(err)
	}
	d.Begin("b", "and this", time.Now())
	d.Changed([]string{"b"}, "/f", review.Parse("one\ntwo\nmine\n"), review.Parse("one\ntwo\nmine\nthree\n"))
	d.Open("a", restored)
	for range 20 {
		if now, _ := d.Content("/f"); !now.Equal(review.Parse("one\ntwo\nmine\nthree\n")) {
			t.Fatalf("it is known to have %q", now.Lines)
		}
	}
	for _, h := range d.Hunks("/f") {
		for _, line := range h.Added {
			if want := map[string]string{"a": "two", "b": "three"}[h.Session]; line != want {
				t.Errorf("%s has added %q, want %q", h.Session, line, want)
			}
		}
	}
}

// unmoved are moves of no file.
func unmoved() *moves.Moves { return moves.New(nil, nil, nil, nil, moves.Hooks{}) }
