package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// failing is a Neovim with one buffer, in which edits and saves succeed or not.
type failing struct {
	Editor
	path     string
	loaded   bool
	lines    []string
	tick     int
	modified bool
	outcomes []string // of the next edits
}

func (f *failing) Snapshot(context.Context, string, bool) (Snapshot, error) {
	if !f.loaded {
		return Snapshot{}, nil
	}
	text := strings.Join(f.lines, "\n")
	return Snapshot{
		Buf: 1, Tick: f.tick, Count: len(f.lines), Size: len(text), Text: text, EOL: true, Modified: f.modified, Encoding: "utf-8",
	}, nil
}

func (f *failing) DiskChanged(context.Context, string) error { return nil }

func (f *failing) Deleted(context.Context, string, string) error { return nil }

func (f *failing) Edit(_ context.Context, e *Edit) (Edited, error) {
	outcome := "ok"
	if len(f.outcomes) > 0 {
		outcome, f.outcomes = f.outcomes[0], f.outcomes[1:]
	}
	if outcome == "gone" {
		return Edited{}, errors.New("Neovim goes")
	}
	if outcome == "stale" || e.Tick != f.tick {
		f.tick++
		return Edited{Result: "stale"}, nil
	}
	f.lines = edited(f.lines, e.Disk)
	f.tick, f.modified = f.tick+1, true
	got := Edited{Result: "ok", Tick: f.tick}
	if outcome == "full" {
		got.Problem = "E514"
	} else if e.Save {
		if err := os.WriteFile(f.path, []byte(strings.Join(f.lines, "\n")+"\n"), 0o600); err != nil {
			return Edited{}, err
		}
		f.modified = false
	}
	f.lines = edited(f.lines, e.Top)
	if stat, err := buffers.StatFile(f.path); err == nil {
		got.Stat = statOf(stat)
	}
	return got, nil
}

// Whatever fails, and in whichever order: an agent has seen what was written and nothing else, a decision is settled when its text is on
// the disk and not before, and one that cannot be saved leaves the text as it was (behaviours 847, 848).
func TestNothingBeforeItIsSo(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		ed := &failing{path: filepath.Join(dir, "a.txt"), lines: []string{"one", "two", "three"}, tick: 1}
		disk := func() string {
			data, err := os.ReadFile(ed.path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			return string(data)
		}
		if err := os.WriteFile(ed.path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var said []string
		w := New(Options{
			Editor: ed, Settings: func() Settings { return Settings{MaxRead: 1 << 20} }, Sessions: func() []Session { return nil },
			Warn: func(string) {}, Refresh: func() {}, Changed: func(Change) {}, Gone: func(context.Context, string) bool { return false },
		})
		s := writer{id: "s", roots: []string{dir}, changed: &said}
		for n := range 12 {
			ed.loaded = r.IntN(3) > 0
			if !ed.loaded {
				ed.lines, ed.modified, ed.tick = strings.Split(strings.TrimSuffix(disk(), "\n"), "\n"), false, ed.tick+1
			}
			ed.outcomes = nil
			for range r.IntN(3) {
				ed.outcomes = append(ed.outcomes, []string{"ok", "stale", "full", "gone"}[r.IntN(4)])
			}
			blocked := !ed.loaded && r.IntN(2) == 0 // a folder with a file is in the place of the file
			if blocked {
				if err := errors.Join(os.Rename(ed.path, ed.path+".away"), os.Mkdir(ed.path, 0o700),
					os.WriteFile(filepath.Join(ed.path, "x"), nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			text := fmt.Sprintf("one\nline %d\nthree\n", n)
			seen, known := w.store.Agent("s", ed.path)
			before, settled := strings.Join(ed.lines, "\n"), 0
			ctx := context.Background()
			what := r.IntN(3)
			switch what {
			case 0:
				_, err = w.Write(s, &acp.WriteTextFileRequest{Path: ed.path, Content: text})(ctx)
			case 1:
				_, err = w.WriteFrom(s, &acp.WriteTextFileRequest{Path: ed.path, Content: text}, before+"\n")(ctx)
			default:
				err = w.Rewrite(ctx, ed.path, false, func(v View) (Text, Text, error) {
					before = strings.Join(v.Shown.Lines, "\n")
					return textOf(text), textOf(text), nil
				}, func() { settled++ })
			}
			if blocked {
				if err := errors.Join(os.RemoveAll(ed.path), os.Rename(ed.path+".away", ed.path)); err != nil {
					t.Fatal(err)
				}
			}

			step := fmt.Sprintf("seed %d, step %d of kind %d, loaded %v, blocked %v", seed, n, what, ed.loaded, blocked)
			now, has := w.store.Agent("s", ed.path)
			inEditor := ed.loaded && slices.Contains(ed.lines, fmt.Sprintf("line %d", n))
			switch {
			case err == nil && blocked:
				t.Fatalf("%s: nothing is written, and that is not said", step)
			case err == nil && !strings.Contains(disk(), fmt.Sprintf("line %d\n", n)):
				t.Fatalf("%s: it is said to be written, and the disk has %q", step, disk())
			case what == 2 && (settled == 1) != (err == nil) || settled > 1:
				t.Fatalf("%s: settled %d times with %v", step, settled, err)
			case what == 2 && (has != known || now != seen):
				t.Fatalf("%s: the agent has seen %q by a decision of the user's", step, now)
			case what == 2 && err != nil && !strings.Contains(err.Error(), saveFailed) && ed.loaded && strings.Join(ed.lines, "\n") != before:
				t.Fatalf("%s: %v, and there is %q, before %q", step, err, ed.lines, before)
			case what < 2 && err != nil && (has != known || now != seen) && !inEditor:
				t.Fatalf("%s: %v, and the agent has seen %q", step, err, now)
			}
		}
		_ = w.Close()
	}
}
