package host

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// loadedArgs tells which version of a file a buffer has read or written.
type loadedArgs struct {
	Word int      `msgpack:"word"` // counts these words
	Path string   `msgpack:"path"`
	Stat fileStat `msgpack:"stat"`
	Text string   `msgpack:"text"` // what the buffer has read or written, if the disk has another text already
}

// heardMost is how long an edit waits for a word that is on its way.
const heardMost = time.Second

// loaded is the verb that says that a buffer has read or written its file. It does not wait for edits of the file: what the user
// saves meanwhile is what their buffer started from, not another's text.
func (w *watcher) loaded(a loadedArgs) {
	ticket := w.loads.Ticket(a.Path)
	go func() { // ends when the words on this file before it are heard
		defer ticket.Done()
		ctx := context.Background()
		if ticket.Wait(ctx) != nil {
			return
		}
		if a.Text != "" {
			w.overtaken(a)
		} else {
			text := ""
			if stat, err := buffers.StatFile(a.Path); err != nil || !stat.Equal(a.Stat.stat()) {
				text = w.host.original(ctx, a.Path)
			}
			w.remember(a.Path, a.Stat.stat(), text)
		}
		w.mu.Lock()
		w.told[a.Path] = a.Word
		w.mu.Unlock()
	}()
}

// overtaken notes that a buffer has read or written a version that the disk has no more.
func (w *watcher) overtaken(a loadedArgs) {
	_ = w.host.store.SetDisk(a.Path, []byte(a.Text), a.Stat.stat()) // a full store: see Session.served
	w.mu.Lock()
	old := w.files[a.Path]
	w.files[a.Path] = &loadedFile{stat: a.Stat.stat(), taking: old != nil && old.taking, behind: true}
	w.mu.Unlock()
	w.poke()
}

// heard waits until the word with that number on a file, which Neovim has sent, is heard.
func (w *watcher) heard(ctx context.Context, path string, n int) {
	for end := time.Now().Add(heardMost); time.Now().Before(end); {
		w.mu.Lock()
		known := w.files[path] == nil || w.told[path] >= n
		w.mu.Unlock()
		if known {
			return
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}
