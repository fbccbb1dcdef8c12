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

	// Inspect says where merge windows are open, and returns what a prompt needs of Neovim: one call for all of it.
	Inspect(ctx context.Context, i Inspection) (Inspected, error)

	// Deleted marks the buffer of a file that is gone, or was moved to another path if that is not empty.
	Deleted(ctx context.Context, real, to string) error

	// DiskChanged has a buffer read its file again if it has no unsaved changes.
	DiskChanged(ctx context.Context, real string) error

	// Save saves the buffer of a file with the user's autocommands, if it is modified. It returns why it cannot, or "".
	Save(ctx context.Context, real string) (problem string, err error)
}

// Snapshot is a loaded buffer; its Buf is 0 if the file is not loaded, and Refused then speaks of changes for the user. A long text does
// not come with it.
type Snapshot struct {
	Buf      int    `msgpack:"buf"`
	Tick     int    `msgpack:"tick"`     // of its text and name
	Count    int    `msgpack:"count"`    // lines
	Size     int    `msgpack:"size"`     // bytes, about
	Long     bool   `msgpack:"long"`     // Text is yet to be asked for
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

	// Waits says for what to wait: what the buffer has may not be its text. Only Buf and Modified are known then.
	Waits string `msgpack:"waits"`

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
	Was       *Stat   `msgpack:"was"`    // version on the disk that the edit was made for, zero if there is no file; nil: any
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

	earlier func() bool // see [Change]
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
	Exact     bool   `msgpack:"exact"`     // nothing but the edit has changed the lines
	Tick      int    `msgpack:"tick"`      // of its text and name, after
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

// Inspection is what is said and asked at once. What is zero is neither.
type Inspection struct {
	Windows  Windows  `msgpack:"windows"`
	Unsaved  bool     `msgpack:"unsaved"` // which files have unsaved changes
	Roots    []string `msgpack:"roots"`   // below which their texts are wanted too
	Question Question `msgpack:"question"`
}

// Question is one that Neovim answers later, by its number.
type Question struct {
	ID   int            `msgpack:"id"`
	Text string         `msgpack:"text"`
	Args map[string]any `msgpack:"args"`
}

// Inspected is the answer to an Inspection.
type Inspected struct {
	Loaded  []LoadedFile    `msgpack:"loaded"`  // those below the sessions' roots, if there were Windows
	Unsaved []InspectedFile `msgpack:"unsaved"` // in the order of their buffers, without those that a BufWriteCmd writes
	Asked   bool            `msgpack:"asked"`   // the Question will be answered
	Told    bool            `msgpack:"-"`       // the Windows are known for all buffers
}

// LoadedFile is a file that a buffer has.
type LoadedFile struct {
	Path     string `msgpack:"path"` // real
	Has      *Stat  `msgpack:"has"`  // the version that the buffer had as its merge window opened; none of the disk if it is zero
	Reported int    `msgpack:"told"` // number of the last report on the version that the buffer has, see Report
}

// InspectedFile is a file with unsaved changes. Real and Snapshot are only there for those that were wanted, and not for all of these
// if they are many or long.
type InspectedFile struct {
	Name     string   `msgpack:"name"` // of its buffer
	Real     string   `msgpack:"real"`
	Snapshot Snapshot `msgpack:"snapshot"`
}

// Report says which version of its file a buffer has read or written.
type Report struct {
	Number    int    `msgpack:"word"` // counts the reports
	Path      string `msgpack:"path"`
	Stat      Stat   `msgpack:"stat"`
	Text      string `msgpack:"text"`      // of that version; "" if Neovim does not tell
	Overtaken bool   `msgpack:"overtaken"` // the disk already has another
	Wrote     bool   `msgpack:"wrote"`     // the buffer was written, else the file was read
	Opened    bool   `msgpack:"opened"`    // no buffer had the file before
	Own       bool   `msgpack:"own"`       // it was written for an agent
	Missing   bool   `msgpack:"missing"`   // there is no file yet, and all of the others but the path are unset
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
