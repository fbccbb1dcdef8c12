package host

import (
	"context"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// snapshot is a loaded buffer as Lua describes it; Buf 0 means that the file is not loaded.
type snapshot struct {
	Buf      int    `msgpack:"buf"`
	Tick     int    `msgpack:"tick"`
	Count    int    `msgpack:"count"` // lines
	Slice    int    `msgpack:"slice"` // lines in one answer
	Text     string `msgpack:"text"`  // lines joined by \n, without a final one
	Modified bool   `msgpack:"modified"`
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
	for {
		snap, err := call[snapshot](ctx, h.ed, luaSnapshot, real, write)
		if err != nil || snap.Buf == 0 {
			return snap, err
		}
		text, whole, err := h.rest(ctx, snap, snap.Text, snap.Slice, false)
		if whole && strings.Count(text, "\n") != snap.Count-1 { // there are NUL bytes, which Neovim has as line breaks
			text, whole, err = h.rest(ctx, snap, "", 0, true)
		}
		if err != nil || whole {
			snap.Text = text
			return snap, err
		}
	}
}

// rest appends the lines of a buffer from at on to text. It is not whole if the buffer has changed.
func (h *Host) rest(ctx context.Context, snap snapshot, text string, at int, nul bool) (_ string, whole bool, err error) {
	if at >= snap.Count {
		return text, true, nil
	}
	var b strings.Builder
	b.WriteString(text)
	for ; at < snap.Count; at += snap.Slice {
		part, err := call[*string](ctx, h.ed, luaLines, snap.Buf, snap.Tick, at, nul)
		if err != nil || part == nil {
			return "", false, err
		}
		if at > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(*part)
	}
	return b.String(), true, nil
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
		return b.Text + "\n"
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

// decode returns the text of a file's bytes in the encoding that the buffer has.
func (h *Host) decode(ctx context.Context, snap snapshot, f buffers.File) (string, error) {
	switch enc := snap.Encoding; {
	case enc == "" || enc == "latin1" || strings.HasPrefix(enc, "utf") || strings.HasPrefix(enc, "ucs"):
		return f.Text, nil
	default:
		text, err := call[*string](ctx, h.ed, luaDecode, string(f.Data), enc)
		if err != nil || text == nil {
			return f.Text, err
		}
		return *text, nil
	}
}
