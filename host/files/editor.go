package files

import (
	"context"
	"time"

	"github.com/nvim-acp/nvim-acp/buffers"
)

// Editor is what files need of Neovim. A method returns when Neovim answers, which may be never as long as it waits for a key,
// or with the context's error when that ends. In the latter case the effect may still come.
type Editor interface {
	// Snapshot describes the loaded buffer of a file; its Buf is 0 if there is none. edit says that the buffer is to be
	// edited, so that Neovim looks for what forbids it.
	Snapshot(ctx context.Context, real string, edit bool) (Snapshot, error)

	// Lines returns some lines of a buffer, from one on (0-based); nil if its changedtick is another. nul keeps NUL bytes.
	Lines(ctx context.Context, buf, tick, from int, nul bool) (*Lines, error)

	// Share appends some lines of a buffer to the file at path and returns the line after the last; 0 if it cannot.
	Share(ctx context.Context, buf, tick, from int, path string) (next int, err error)

	// Decode converts bytes to UTF-8; nil if they are not of that encoding.
	Decode(ctx context.Context, data, encoding string) (*string, error)

	// Stage sends lines for an edit ahead, after those that were sent before.
	Stage(ctx context.Context, id int64, lines []string) error

	// Unstage drops the lines that were sent ahead.
	Unstage(ctx context.Context, id int64) error

	// Edit edits a buffer in one undo step, and may save it.
	Edit(ctx context.Context, e *Edit) (Edited, error)

	// Watch says where merge windows are open. It returns the real paths of the files loaded below the sessions' roots.
	Watch(ctx context.Context, w Windows) ([]string, error)

	// Deleted marks the buffer of a file that is gone.
	Deleted(ctx context.Context, real string) error

	// DiskChanged has a buffer read its file again if it has no unsaved changes.
	DiskChanged(ctx context.Context, real string) error

	// Modified returns the names of the buffers of files with unsaved changes, without those that a BufWriteCmd writes.
	Modified(ctx context.Context) (names []string, err error)

	// Save saves the buffer of a file with the user's autocommands, if it is modified. It returns why it cannot, or "".
	Save(ctx context.Context, real string) (problem string, err error)
}

// Snapshot is a loaded buffer; its Buf is 0 if the file is not loaded. As it comes from Neovim it may have the first lines only.
type Snapshot struct {
	Buf      int    `msgpack:"buf"`
	Tick     int    `msgpack:"tick"`     // changedtick
	Count    int    `msgpack:"count"`    // lines
	Size     int    `msgpack:"size"`     // bytes, about
	Last     int    `msgpack:"last"`     // lines in Text
	Text     string `msgpack:"text"`     // lines joined by \n, without a final one
	Modified bool   `msgpack:"modified"` // 'modified'
	Reported int    `msgpack:"told"`     // number of the last report on the version that the buffer has, see Report
	CRLF     bool   `msgpack:"crlf"`     // 'fileformat' is "dos"
	Mac      bool   `msgpack:"mac"`      // it is "mac": lines end with carriage returns
	EOL      bool   `msgpack:"eol"`      // the file ends with a line end
	Encoding string `msgpack:"encoding"` // 'fileencoding'
	Empty    bool   `msgpack:"empty"`    // the file has, or will get, no bytes, though the buffer has one line
	Special  bool   `msgpack:"special"`  // the buffer's text is not the file's
	Refused  string `msgpack:"refused"`  // why it cannot be edited

	Unwritten bool `msgpack:"unwritten"` // the user's last save of it has begun and is not over

	ended string   // Text with a final line end
	split []string // the lines of Text, if it was split already
}

// Lines are some lines of a buffer.
type Lines struct {
	Next int    `msgpack:"last"` // the line after them
	Text string `msgpack:"text"`
}

// Edit is an edit of a buffer in one undo step: first what the disk gets, then what the user has on top of it.
type Edit struct {
	ID        int64   `msgpack:"id"`
	Buf       int     `msgpack:"buf"`
	Real      string  `msgpack:"real"` // path that was judged: the buffer is not saved if its name leads elsewhere by then
	Tick      int     `msgpack:"tick"`
	Disk      []Hunk  `msgpack:"disk"`
	Top       []Hunk  `msgpack:"top"`
	Direct    []Shift `msgpack:"direct"` // from the text before to the text after
	Save      bool    `msgpack:"save"`   // after Disk
	Format    bool    `msgpack:"format"`
	Empty     bool    `msgpack:"empty"` // the disk gets no line at all
	EOL       bool    `msgpack:"eol"`
	Form      string  `msgpack:"form"`     // 'fileformat' to set, "" to keep
	Encoding  string  `msgpack:"encoding"` // 'fileencoding' to set, "" to keep
	Force     bool    `msgpack:"force"`    // end a completion menu or a selection
	Conflicts int     `msgpack:"conflicts"`
	FromDisk  bool    `msgpack:"taken"`    // the text comes from the disk
	Stat      Stat    `msgpack:"stat"`     // of the version on the disk, if FromDisk
	Modified  bool    `msgpack:"modified"` // the buffer then has more than the disk, if FromDisk

	after   []string // the text of the buffer then
	whole   string   // the same with line ends, if it is known; ""
	saved   string   // what the disk has if it is saved
	created bool     // there was no file before
}

// Hunk replaces the lines First to Last (0-based, half open) by Lines, or by the staged lines From to To.
type Hunk struct {
	First  int      `msgpack:"first"`
	Last   int      `msgpack:"last"`
	Lines  []string `msgpack:"lines"`
	Staged bool     `msgpack:"staged"`
	From   int      `msgpack:"from"`
	To     int      `msgpack:"to"`
}

// Shift is the size of a hunk.
type Shift struct {
	First int `msgpack:"first"`
	Last  int `msgpack:"last"`
	Count int `msgpack:"count"` // lines in their place
}

// Edited is the outcome of an edit.
type Edited struct {
	Result    string `msgpack:"result"`    // "ok", "stale", "busy", "gone" or "encoding"
	Reason    string `msgpack:"reason"`    // of "busy"; for "encoding" its name
	Problem   string `msgpack:"problem"`   // the text is in the buffer, but saving it went wrong
	Conflicts int    `msgpack:"conflicts"` // in addition to those of the edit: with what autocommands changed when it was saved
	Tick      int    `msgpack:"tick"`      // changedtick, after
	Reported  int    `msgpack:"told"`      // number of the last report on the version that the buffer has, see Report
	Stat      Stat   `msgpack:"stat"`      // of the file, after
}

// Windows are the folders in which changes on the disk are merged.
type Windows struct {
	Run    string   `msgpack:"run"` // of the host
	Number int      `msgpack:"n"`   // counts these calls: a later one holds
	Live   []string `msgpack:"live"`
	Open   []string `msgpack:"open"` // those of Live with an open merge window
}

// Report says which version of its file a buffer has read or written.
type Report struct {
	Number    int    `msgpack:"word"` // counts the reports
	Path      string `msgpack:"path"`
	Stat      Stat   `msgpack:"stat"`
	Text      string `msgpack:"text"`      // of that version; "" if Neovim does not tell
	Overtaken bool   `msgpack:"overtaken"` // the disk already has another
	Wrote     bool   `msgpack:"wrote"`     // the buffer was written, else the file was read
}

// Stat is the version of a file in Neovim's words.
type Stat struct {
	Sec  int64  `msgpack:"sec"`
	Nsec int64  `msgpack:"nsec"`
	Size int64  `msgpack:"size"`
	Ino  uint64 `msgpack:"ino"`
}

func (s Stat) stat() buffers.Stat {
	return buffers.Stat{ModTime: time.Unix(s.Sec, s.Nsec), Size: s.Size, Inode: s.Ino}
}

func statOf(s buffers.Stat) Stat {
	return Stat{Sec: s.ModTime.Unix(), Nsec: int64(s.ModTime.Nanosecond()), Size: s.Size, Ino: s.Inode}
}
