package reviewing

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/files"
	"github.com/nvim-acp/nvim-acp/host/review"
)

// rooted is a session with a folder.
type rooted struct {
	files.Session
	root string
}

func (r rooted) Roots() []string { return []string{r.root} }

// What the user has saved in the moment before Neovim leaves is theirs, though an agent is at work (behaviour 1206).
func TestSavedBeforeLeaving(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.txt")
	w := files.New(files.Options{
		Editor: unopened{}, Sessions: func() []files.Session { return []files.Session{rooted{root: root}} },
		Settings: func() files.Settings { return files.Settings{MaxRead: 1 << 20} },
	})
	defer w.Close()
	saves := 0
	save := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at, err := buffers.StatFile(path)
		if err != nil {
			t.Fatal(err)
		}
		saves++
		stat := files.Stat{Sec: at.ModTime.Unix(), Nsec: int64(at.ModTime.Nanosecond()), Size: at.Size, Ino: at.Inode}
		w.Loaded(files.Report{Number: saves, Path: path, Stat: stat, Wrote: true})
	}
	a := busy{id: "a", root: root}
	r := &Review{moves: unmoved(), host: program{sessions: []feature.Session{a}}, files: w, ledger: review.NewDesk(), dirty: newDirty()}

	r.ledger.Begin("a", "do it", time.Now())
	r.ledger.Changed([]string{"a"}, path, review.Parse("one\n"), review.Parse("one\ntwo\n"))
	save("one\ntwo\n")
	if _, ok := w.LastDisk(path); !ok {
		t.Fatal("what was saved is not known")
	}
	save("mine\none\ntwo\n")
	r.DetachEditor([]string{path})
	r.CatchUp()
	for _, h := range r.ledger.Hunks(path) {
		if len(h.Added) != 1 || h.Added[0] != "two" {
			t.Errorf("the agent has written %q", h.Added)
		}
	}
}
