package host

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// snapshot is a loaded buffer as Lua describes it; Buf 0 means that the file is not loaded.
type snapshot struct {
	Buf      int    `msgpack:"buf"`
	Tick     int    `msgpack:"tick"`
	Count    int    `msgpack:"count"` // lines
	Size     int    `msgpack:"size"`  // bytes, about
	Last     int    `msgpack:"last"`  // lines that Text has
	Text     string `msgpack:"text"`  // lines joined by \n, without a final one
	ended    string // the same with one
	Modified bool   `msgpack:"modified"`
	Told     int    `msgpack:"told"` // the last word on which version the buffer has, see loadedArgs
	CRLF     bool   `msgpack:"crlf"`
	EOL      bool   `msgpack:"eol"`      // the file ends with a line end
	Encoding string `msgpack:"encoding"` // 'fileencoding'
	Empty    bool   `msgpack:"empty"`    // the one line is none: the file has, or will get, no bytes
	Special  bool   `msgpack:"special"`  // what the buffer holds is not what the file holds
	Refused  string `msgpack:"refused"`  // why it cannot be edited
}

// fileStat is a file's version as Lua tells it.
type fileStat struct {
	Sec  int64  `msgpack:"sec"`
	Nsec int64  `msgpack:"nsec"`
	Size int64  `msgpack:"size"`
	Ino  uint64 `msgpack:"ino"`
}

func (s fileStat) stat() buffers.Stat {
	return buffers.Stat{ModTime: time.Unix(s.Sec, s.Nsec), Size: s.Size, Inode: s.Ino}
}

func luaStat(s buffers.Stat) fileStat {
	return fileStat{Sec: s.ModTime.Unix(), Nsec: int64(s.ModTime.Nanosecond()), Size: s.Size, Ino: s.Inode}
}

// snapshot returns the loaded buffer of a file. A long one comes in slices, and anew if it changes meanwhile. write says
// that it is to be edited, so that Lua looks for what forbids that.
func (h *Host) snapshot(ctx context.Context, real string, write bool) (snapshot, error) {
	snap, err := h.buffer(ctx, real, write)
	if err == nil && snap.Buf != 0 {
		h.disk.heard(ctx, real, snap.Told)
	}
	return snap, err
}

// buffer is snapshot without what Neovim has said before on the version that the buffer has.
func (h *Host) buffer(ctx context.Context, real string, write bool) (snapshot, error) {
	for {
		snap, err := call[snapshot](ctx, h.ed, luaSnapshot, real, write)
		if err != nil || snap.Buf == 0 {
			return snap, err
		}
		if whole, err := h.complete(ctx, &snap); whole || err != nil {
			return snap, err
		}
	}
}

// complete brings the rest of a buffer's text. It is not whole if the buffer has changed.
func (h *Host) complete(ctx context.Context, snap *snapshot) (whole bool, err error) {
	long := snap.Last < snap.Count
	text, known := "", false
	if long {
		text, known = h.texts.find(*snap)
	}
	if !known {
		text, whole, err = h.rest(ctx, *snap, snap.Text+"\n", snap.Last, false)
		if whole && strings.Count(text, "\n") != snap.Count { // there are NUL bytes, which Neovim has as line breaks
			text, whole, err = h.rest(ctx, *snap, "", 0, true)
		}
		if !whole || err != nil {
			return false, err
		}
	}
	snap.ended, snap.Text = text, text[:len(text)-1]
	if long && !known {
		h.texts.keep(*snap)
	}
	return true, nil
}

// slice is a part of a buffer's lines.
type slice struct {
	Last int    `msgpack:"last"` // the line after it
	Text string `msgpack:"text"`
}

// rest appends the lines of a buffer from at on to text, each with its end. It is not whole if the buffer has changed.
func (h *Host) rest(ctx context.Context, snap snapshot, text string, at int, nul bool) (_ string, whole bool, err error) {
	if at >= snap.Count {
		return text, true, nil
	}
	shared, whole, err := h.share(ctx, snap, text, at)
	if whole || err != nil {
		return shared, whole, err
	}
	var b strings.Builder
	b.Grow(snap.Size + 1)
	b.WriteString(text)
	for at < snap.Count {
		part, err := call[*slice](ctx, h.ed, luaLines, snap.Buf, snap.Tick, at, nul)
		if err != nil || part == nil {
			return "", false, err
		}
		b.WriteString(part.Text)
		b.WriteByte('\n')
		at = part.Last
	}
	return b.String(), true, nil
}

// share is rest for a long text: Neovim writes it, each line with its end, to memory that the host has too. That takes a
// quarter of the time of msgpack-RPC. If it is not whole there is no text.
func (h *Host) share(ctx context.Context, snap snapshot, text string, at int) (_ string, whole bool, err error) {
	memory, path, err := newScratch()
	if err != nil {
		return "", false, nil // not on this system
	}
	defer memory.Close()
	for at < snap.Count {
		last, err := call[int](ctx, h.ed, luaShare, snap.Buf, snap.Tick, at, path)
		if err != nil || last == 0 {
			return "", false, err
		}
		at = last
	}
	info, err := memory.Stat()
	if err != nil {
		return "", false, err
	}
	data := append(make([]byte, 0, len(text)+int(info.Size())), text...)
	data = data[:cap(data)]
	_, err = io.ReadFull(memory, data[len(text):])
	return buffers.View(data), err == nil, err
}

func (b snapshot) lines() []string { return strings.Split(b.Text, "\n") }

// content is the text that lines of the buffer make in its file, in UTF-8.
func (b snapshot) content(lines []string) string {
	if len(lines) == 1 && lines[0] == "" && b.Empty {
		return ""
	}
	return buffers.Text{Lines: lines, EOL: b.EOL, CRLF: b.CRLF}.String()
}

// whole is content of the buffer as it is.
func (b snapshot) whole() string {
	switch {
	case b.CRLF:
		return b.content(b.lines())
	case b.Text == "" && b.Empty:
		return ""
	case b.EOL:
		return b.ended
	}
	return b.Text
}

// parse splits the text of a file into lines as the buffer would have them: at least one. What line ends the text has
// itself, the result says.
func (b snapshot) parse(content string) buffers.Text {
	t := buffers.Parse(content)
	switch {
	case len(t.Lines) == 0:
		t.Lines, t.EOL = []string{""}, true
	case t.CRLF && !b.CRLF && strings.Contains(b.Text+"\n", "\r\n"): // the buffer has carriage returns as text
		t.CRLF = false
		t.Lines = strings.Split(strings.Join(t.Lines, "\r\n"), "\n")
		if t.EOL {
			t.Lines[len(t.Lines)-1] += "\r"
		}
	case !t.CRLF && b.CRLF:
		for i, l := range t.Lines {
			t.Lines[i] = strings.TrimSuffix(l, "\r")
		}
	}
	return t
}

// decode returns the text of a file's bytes in the encoding that the buffer has, unless they are UTF-8 by now.
func (h *Host) decode(ctx context.Context, snap snapshot, f buffers.File) (string, error) {
	if !snap.narrow() || snap.Encoding == "latin1" || buffers.IsUTF8(f.Data) {
		return f.Text, nil
	}
	text, err := call[*string](ctx, h.ed, luaDecode, string(f.Data), snap.Encoding)
	if err != nil || text == nil {
		return f.Text, err
	}
	return *text, nil
}

// narrow reports whether the buffer is stored in an encoding that is none of Unicode.
func (b snapshot) narrow() bool {
	return b.Encoding != "" && !strings.HasPrefix(b.Encoding, "utf") && !strings.HasPrefix(b.Encoding, "ucs")
}
