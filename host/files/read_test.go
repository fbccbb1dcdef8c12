package files

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// movingEditor is an editor that merges another version of the file right after it was first asked for the buffer.
type movingEditor struct {
	Editor
	merge func()
	texts *[]string // the text of each snapshot
}

func (e movingEditor) Snapshot(context.Context, string, bool) (Snapshot, error) {
	text := (*e.texts)[0]
	if len(*e.texts) > 1 {
		*e.texts = (*e.texts)[1:]
		e.merge()
	}
	return Snapshot{Buf: 1, Count: 2, Last: 2, Text: text, Modified: true}, nil
}

// A buffer into which a version of the disk is merged while it is read is read again (behaviour 29).
func TestReadDuringMerge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write := func(text string) buffers.File {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := buffers.ReadFile(path, nil, nil, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	old, now := write("old\n"), write("newer\n")
	var w *Workspace
	merge := func() { w.versions.merged(path, diskEdit{stat: now.Stat, data: now.Data}, 0) }
	w = New(Options{
		Editor:   movingEditor{texts: &[]string{"old\ntyped", "newer\ntyped"}, merge: merge},
		Settings: func() Settings { return Settings{MaxRead: 1 << 20} },
	})
	defer w.Close()
	_ = w.store.SetDisk(path, old.Data, old.Stat)
	w.versions.set(path, old.Stat, false)

	if _, got, err := w.current(t.Context(), path); err != nil || got != "newer\ntyped" {
		t.Errorf("read %q, %v; want the text with the merged version", got, err)
	}
}
