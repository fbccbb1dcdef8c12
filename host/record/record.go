// Package record keeps conversations in files: one for each session, a line of JSON for each thing said or done.
//
// The host writes them as it goes and reads them after a crash, to list and to search. A file is appended to by the one
// process that holds its lock; anyone may read it at any time. Nothing here starts a goroutine; a [File] is safe for
// concurrent use.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Role is what a line is.
type Role string

// The roles of lines.
const (
	User       Role = "user"
	Reasoning  Role = "reasoning"
	Assistant  Role = "assistant"
	Tool       Role = "tool"
	Command    Role = "command"
	Plan       Role = "plan"
	Permission Role = "permission"
	Status     Role = "status"
)

// SessionID is the id of the lines that say what the session is; they have the role Status, and their text is the title.
const SessionID = "session"

// Entry is one line. A later line of the same id takes the place of an earlier one, where that stands.
type Entry struct {
	Version int    `json:"v"`
	Time    int64  `json:"t"` // unix, in milliseconds
	ID      string `json:"id"`
	Role    Role   `json:"role"`
	Text    string `json:"text"`
	Data    Data   `json:"data"`
}

// Data is what a line has beside its text; which fields are set depends on its role.
type Data struct {
	*Session

	Clear  bool   `json:"clear,omitempty"`     // nothing before this line counts any more, but for what the session is
	Part   bool   `json:"continues,omitempty"` // the text goes on where that of the line before ends
	Kind   string `json:"kind,omitempty"`      // of a tool call
	Status string `json:"status,omitempty"`    // of a tool call
	Call   string `json:"call,omitempty"`      // the agent's id of a tool call
	Parent string `json:"parent,omitempty"`    // that of the call whose subagent made it
	Diffs  []Diff `json:"diffs,omitempty"`     // of a tool call
	Steps  []Step `json:"steps,omitempty"`     // of a plan
	Tone   string `json:"tone,omitempty"`      // highlight group of a line of ours
	Fault  bool   `json:"error,omitempty"`     // a line of ours that says what failed
	Answer string `json:"answer,omitempty"`    // to a permission
}

// Session is what a session is.
type Session struct {
	Agent   string   `json:"agent"` // name in the configuration
	Remote  string   `json:"session,omitempty"`
	Cwd     string   `json:"cwd"`
	Dirs    []string `json:"directories,omitempty"` // further ones
	Title   string   `json:"title,omitempty"`       // the agent's
	Name    string   `json:"name,omitempty"`        // the user's title
	Created int64    `json:"created"`               // unix, in milliseconds
	Fork    bool     `json:"fork,omitempty"`        // it began as a copy of another one
	Skills  string   `json:"skills,omitempty"`      // what the agent was last told of skills, as a hash
}

// Diff is a change of a file; Old is nil for a new one.
type Diff struct {
	Path string  `json:"path"`
	Old  *string `json:"old"`
	New  string  `json:"new"`
}

// Step is one step of a plan.
type Step struct {
	Text   string `json:"text"`
	Status string `json:"status"`
}

// Record is what a file says.
type Record struct {
	Session Session
	Title   string // to show
	Entries []Entry
}

// Append adds the line of an entry to text.
func Append(text []byte, e Entry) []byte {
	e.Version = 1
	line, err := json.Marshal(e)
	if err != nil {
		return text // strings and numbers can be written
	}
	return append(append(text, line...), '\n')
}

// Read reads a record. Lines that are torn or no entries are left out.
func Read(r io.Reader) (Record, error) {
	var rec Record
	at := map[string]int{}
	err := each(r, func(line []byte) {
		e, ok := parse(line)
		if !ok {
			return
		}
		if e.ID == SessionID {
			rec.take(e)
			return
		}
		if e.Data.Clear {
			rec.Entries = nil
			clear(at)
			return
		}
		i, known := at[e.ID]
		if !known {
			at[e.ID] = len(rec.Entries)
			rec.Entries = append(rec.Entries, e)
			return
		}
		rec.Entries[i] = e
	})
	return rec, err
}

func (r *Record) take(e Entry) {
	if e.Data.Session != nil {
		r.Session = *e.Data.Session
	}
	r.Title = e.Text
}

func parse(line []byte) (Entry, bool) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil || e.ID == "" {
		return e, false
	}
	return e, true
}

// each calls take for every whole line.
func each(r io.Reader, take func(line []byte)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
			continue
		case errors.Is(err, io.EOF):
			return nil // what is left was torn
		case err != nil:
			return err
		}
		if long != nil {
			part, long = append(long, part...), nil
		}
		if line := bytes.TrimSpace(part); len(line) > 0 {
			take(line)
		}
	}
}

// backwards calls take for every whole line from the last on, until it returns true. Few records are read whole for that.
func backwards(f io.ReaderAt, size int64, take func(line []byte) bool) error {
	var text []byte // from the end, lines that are not taken yet
	step := int64(64 << 10)
	torn := true // what stands behind the last line end
	for from := size; from > 0; step *= 2 {
		n := min(step, from)
		from -= n
		part := make([]byte, n, n+int64(len(text)))
		if _, err := f.ReadAt(part, from); err != nil {
			return err
		}
		text = append(part, text...)
		for {
			end := bytes.LastIndexByte(text, '\n')
			if end < 0 && from > 0 {
				break
			}
			line := bytes.TrimSpace(text[end+1:])
			text = text[:max(end, 0)]
			if !torn && len(line) > 0 && take(line) {
				return nil
			}
			torn = false
			if end < 0 {
				break
			}
		}
	}
	return nil
}
