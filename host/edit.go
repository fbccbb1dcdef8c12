package host

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/session"
)

const (
	patience  = 2 * time.Second        // after this a completion menu or a selection no longer holds an edit up
	retry     = 250 * time.Millisecond // some modes end without an event
	stageSize = 128 << 10              // bytes of lines in one call to Neovim
	splitSize = 1 << 20                // from here on a call saves that does not edit
)

// edit is what Lua is to do to a buffer, in one undo step: first what the disk gets, saved, then what the user had on top.
type edit struct {
	ID        int64    `msgpack:"id"`
	Buf       int      `msgpack:"buf"`
	Tick      int      `msgpack:"tick"`
	Disk      []hunk   `msgpack:"disk"`
	Top       []hunk   `msgpack:"top"`
	Direct    []shift  `msgpack:"direct"` // from the text before to the text after
	Save      bool     `msgpack:"save"`
	Format    bool     `msgpack:"format"`
	Empty     bool     `msgpack:"empty"` // the disk gets no line at all
	EOL       bool     `msgpack:"eol"`
	Form      string   `msgpack:"form"`     // 'fileformat' to set, "" to keep
	Encoding  string   `msgpack:"encoding"` // 'fileencoding' to set, "" to keep
	Force     bool     `msgpack:"force"`
	Conflicts int      `msgpack:"conflicts"`
	Taken     bool     `msgpack:"taken"`    // the text has come from the disk …
	Stat      fileStat `msgpack:"stat"`     // … where this is its version …
	Modified  bool     `msgpack:"modified"` // … and the buffer has more than that
}

// hunk replaces the lines First to Last (0-based, half open) by Lines, or by the staged lines From to To.
type hunk struct {
	First  int      `msgpack:"first"`
	Last   int      `msgpack:"last"`
	Lines  []string `msgpack:"lines"`
	Staged bool     `msgpack:"staged"`
	From   int      `msgpack:"from"`
	To     int      `msgpack:"to"`
}

// shift is a hunk of which only the size counts.
type shift struct {
	First int `msgpack:"first"`
	Last  int `msgpack:"last"`
	Count int `msgpack:"count"`
}

// edited is Lua's answer.
type edited struct {
	Result  string   `msgpack:"result"`  // "ok", "stale", "busy", "gone" or "encoding"
	Reason  string   `msgpack:"reason"`  // of busy; for encoding its name
	Problem string   `msgpack:"problem"` // the text is in the buffer, and saving it went wrong
	Tick    int      `msgpack:"tick"`    // of the buffer, after
	Told    int      `msgpack:"told"`    // the last word on which version the buffer has, see loadedArgs
	Stat    fileStat `msgpack:"stat"`    // of the file, after
}

// editN numbers the edits.
var editN atomic.Int64

func hunks(edits []buffers.Edit) []hunk {
	out := make([]hunk, len(edits))
	for i, e := range edits {
		out[i] = hunk{First: e.Start, Last: e.End, Lines: e.Lines}
		if out[i].Lines == nil {
			out[i].Lines = []string{}
		}
	}
	return out
}

func shifts(edits []buffers.Edit) []shift {
	out := make([]shift, len(edits))
	for i, e := range edits {
		out[i] = shift{e.Start, e.End, len(e.Lines)}
	}
	return out
}

// apply makes an edit. It waits while the user is in the middle of what an edit would spoil, and the status line says so.
func (h *Host) apply(ctx context.Context, real string, e *edit) (edited, error) {
	e.ID = editN.Add(1)
	staged, err := h.stage(ctx, e)
	if staged {
		defer func() { go func() { _ = h.ed.ExecLua(luaUnstage, nil, e.ID) }() }() // ends when Neovim answers or goes away
	}
	if err != nil {
		return edited{}, err
	}
	defer h.hold(real, "")
	began := time.Now()
	for {
		safe := h.safe.wait()
		e.Force = time.Since(began) >= patience
		got, err := call[edited](ctx, h.ed, luaEdit, e)
		if err != nil || got.Result != "busy" {
			return got, err
		}
		h.hold(real, got.Reason)
		select {
		case <-safe:
		case <-time.After(retry):
		case <-ctx.Done():
			return edited{}, ctx.Err()
		}
	}
}

// applySaved is apply for an edit of any size: a very large one is saved in a call of its own, so that neither holds
// Neovim's loop for long. If the user types in between, the edit is made up anew, and finds its text there.
func (h *Host) applySaved(ctx context.Context, real string, e *edit) (edited, error) {
	if len(e.Top) > 0 || size(e.Disk) < splitSize {
		return h.apply(ctx, real, e)
	}
	save := *e
	save.Disk, save.Direct, save.Empty = []hunk{}, []shift{}, false
	e.Save = false
	got, err := h.apply(ctx, real, e)
	if err != nil || got.Result != "ok" || got.Problem != "" {
		return got, err
	}
	e.Save, save.Tick = true, got.Tick
	return h.apply(ctx, real, &save)
}

// stage sends the lines of a large edit ahead, a slice at a time, so that no call holds Neovim's loop for long.
func (h *Host) stage(ctx context.Context, e *edit) (bool, error) {
	if size(e.Disk)+size(e.Top) <= stageSize {
		return false, nil
	}
	var slice []string
	held, sent := 0, 0
	flush := func() error {
		if len(slice) == 0 {
			return nil
		}
		_, err := call[any](ctx, h.ed, luaStage, e.ID, slice)
		slice, held = nil, 0
		return err
	}
	for _, list := range [][]hunk{e.Disk, e.Top} {
		for i := range list {
			k := &list[i]
			k.Staged, k.From, k.To = true, sent, sent+len(k.Lines)
			sent = k.To
			for _, l := range k.Lines {
				slice = append(slice, l)
				held += len(l) + 16
				if held < stageSize {
					continue
				}
				if err := flush(); err != nil {
					return true, err
				}
			}
			k.Lines = []string{}
		}
	}
	return true, flush()
}

func size(list []hunk) int {
	n := 0
	for _, k := range list {
		for _, l := range k.Lines {
			n += len(l) + 16
		}
	}
	return n
}

// hold notes what an edit of a file waits for; "" when it waits no more.
func (h *Host) hold(real, reason string) {
	h.mu.Lock()
	was := h.held[real]
	if reason == "" {
		delete(h.held, real)
	} else {
		h.held[real] = reason
	}
	h.mu.Unlock()
	if was == reason {
		return
	}
	for _, s := range h.all() {
		s.do((*session.State).Refresh)
	}
}

// waitsFor is what an edit waits for, if one does.
func (h *Host) waitsFor() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, reason := range h.held {
		return reason
	}
	return ""
}
