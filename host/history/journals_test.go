package history

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/rewind"
	"github.com/nvim-acp/nvim-acp/host/settings"
)

// program is the rest of the program, in which no session is open.
type program struct {
	feature.Host
	set settings.Settings
}

func (p *program) Settings() *settings.Settings   { return &p.set }
func (p *program) Session(string) feature.Session { return nil }
func (p *program) SessionDir(id string) string    { return filepath.Join(p.set.StateDir, "changes", id) }

// recorded returns journals, of which that of the session "s" has a turn with a change of a file.
func recorded(t *testing.T) *Journals {
	t.Helper()
	p := new(program)
	p.set.StateDir = t.TempDir()
	j := &Journals{host: p, byID: map[string]*rewind.Journal{}, uses: map[string]*use{}}

	f, err := record.Open(p.set.RecordDir(), "s")
	if err == nil {
		err = errors.Join(f.Append(record.Entry{Time: 1, ID: "1", Role: record.User, Text: "hello"}), f.Close())
	}
	if err == nil {
		err = os.MkdirAll(p.SessionDir("s"), 0o700)
	}
	if err == nil {
		err = j.Of("s", func(book *rewind.Journal) error {
			after := checkpoint.Version{Blob: "b", Mode: "100644"}
			_, err := book.Append(rewind.Entry{Turn: "1", Changes: []rewind.Change{{Path: "/from", After: after}}})
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A rename is noted in the journal of a closed session while a rewind holds that, which keeps other processes away until all have let go
// (behaviour 843).
func TestMovedWhileHeld(t *testing.T) {
	j := recorded(t)
	dir := j.host.Settings().RecordDir()
	release, err := j.hold("s")
	if err != nil {
		t.Fatal(err)
	}

	j.moved("s", rewind.Move{From: "/from", To: "/to"})
	_ = j.Of("s", func(book *rewind.Journal) error {
		if _, ok := book.Files()["/to"]; !ok {
			t.Errorf("the rename is lost: %v", book.Files())
		}
		return nil
	})
	if _, err := record.Open(dir, "s"); !errors.Is(err, record.ErrInUse) {
		t.Errorf("another process can have it while the rewind goes on: %v", err)
	}

	release()
	f, err := record.Open(dir, "s")
	if err != nil {
		t.Fatalf("nobody can have it after the rewind: %v", err)
	}
	if _, err := j.hold("s"); !errors.Is(err, record.ErrInUse) {
		t.Errorf("what another process has is held: %v", err)
	}
	_ = f.Close() // nothing was written
}

// A look for renamed files waits for whoever reads a journal, and not for a rewind, which may wait for the look (behaviour 843).
func TestFilesWhileUsed(t *testing.T) {
	for _, test := range []struct {
		name   string
		use    func(*Journals, string, func(*rewind.Journal) error) error
		during bool // Files returns while the journal is used
		want   int
	}{
		{"read", (*Journals).Of, false, 1},
		{"rewind", (*Journals).rewind, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := recorded(t)
			synctest.Test(t, func(t *testing.T) {
				j.uses = map[string]*use{}
				var files map[string]checkpoint.Version
				returned := false
				_ = test.use(j, "s", func(*rewind.Journal) error {
					go func() {
						files = j.Files("s")
						returned = true
					}()
					synctest.Wait()
					if returned != test.during {
						t.Errorf("it returned meanwhile: %v", returned)
					}
					return nil
				})
				synctest.Wait()
				if len(files) != test.want {
					t.Errorf("it knows of %d files, not %d", len(files), test.want)
				}
			})
		})
	}
}

// A session that is opened while a rewind holds its record gets that, and keeps it when the rewind ends.
func TestOpenedWhileHeld(t *testing.T) {
	j := recorded(t)
	if f := j.HandOver("s"); f != nil {
		t.Error("a record is handed over that nobody holds")
	}
	release, err := j.hold("s")
	if err != nil {
		t.Fatal(err)
	}

	f := j.HandOver("s")
	if f == nil {
		t.Fatal("the record is not handed over")
	}
	release()
	if err := f.Append(record.Entry{Time: 2, ID: "2", Role: record.User, Text: "more"}); err != nil {
		t.Error(err)
	}
	if rec, err := f.Read(); err != nil || len(rec.Entries) != 2 {
		t.Errorf("the record has %d entries: %v", len(rec.Entries), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
