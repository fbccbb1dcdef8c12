// Package record stores sessions in files, a JSON line for each entry.
// The host writes records while sessions run, and reads them after a crash, for lists and for searches. Only the process that
// holds the lock of a file appends to it; any process may read it at any time. The package starts no goroutines.
package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
)

// Role is the kind of a line.
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

// SessionID is the id of the lines about the session itself; their role is Status, and their text is the title.
const SessionID = "session"

// Entry is one line. A later line of the same id replaces an earlier one in its place.
type Entry struct {
	Version int    `json:"v"`
	Time    int64  `json:"t"` // unix, in milliseconds
	ID      string `json:"id"`
	Role    Role   `json:"role"`
	Text    string `json:"text"`
	Data    Data   `json:"data"`
}

// Data has the fields of a line beside its text; which are set depends on its role.
type Data struct {
	*Session

	Clear   bool   `json:"clear,omitempty"`     // it replaces all earlier lines, except those about the session
	Part    bool   `json:"continues,omitempty"` // the text continues that of the previous line
	Kind    string `json:"kind,omitempty"`      // of a tool call
	Status  string `json:"status,omitempty"`    // of a tool call
	Call    string `json:"call,omitempty"`      // the agent's id of a tool call
	Parent  string `json:"parent,omitempty"`    // id of the call whose subagent made it
	Diffs   []Diff `json:"diffs,omitempty"`     // of a tool call
	Steps   []Step `json:"steps,omitempty"`     // of a plan
	Tone    string `json:"tone,omitempty"`      // highlight group of a notice
	Fault   bool   `json:"error,omitempty"`     // a notice about an error
	Told    bool   `json:"told,omitempty"`      // what the agent was told, below a summary of one line
	Steer   bool   `json:"steered,omitempty"`   // a prompt that was sent into a running turn
	Undated bool   `json:"undated,omitempty"`   // a prompt of which it is not known when it was sent: its time is that of the recording
	Own     int    `json:"own,omitempty"`       // bytes of a prompt that are the user's own text, if names of its context follow
	Message string `json:"message,omitempty"`   // the agent's id of a message
	Answer  string `json:"answer,omitempty"`    // to a permission
	After   string `json:"after,omitempty"`     // id of the entry that it follows, if that is not the one before it
	End     bool   `json:"end,omitempty"`       // a line that sums a turn up
	Gone    bool   `json:"gone,omitempty"`      // the entry of this id was taken back
}

// Session describes a session.
type Session struct {
	Agent   string   `json:"agent"` // name in the configuration
	Remote  string   `json:"session,omitempty"`
	Cwd     string   `json:"cwd"`
	Dirs    []string `json:"directories,omitempty"` // further ones
	Title   string   `json:"title,omitempty"`       // the agent's
	Name    string   `json:"name,omitempty"`        // the user's title
	Created int64    `json:"created"`               // unix, in milliseconds
	Fork    bool     `json:"fork,omitempty"`        // it is a copy of another session
	Skills  string   `json:"skills,omitempty"`      // hash of the agent's last message about skills
	Past    []Past   `json:"past,omitempty"`        // where its beginning comes from, the nearest first
	Untold  bool     `json:"untold,omitempty"`      // the agent does not know that beginning yet
	Notes   []string `json:"notes,omitempty"`       // that the agent is still to be told
	Rewinds []Rewind `json:"rewinds,omitempty"`     // that the agent is still to be told, if they are in effect then
	Place   *Place   `json:"place,omitempty"`       // the lines that it is about, if it was begun in a file
	Options Options  `json:"options,omitempty"`     // its mode, model and options, as far as they were chosen
	Rules   []Rule   `json:"rules,omitempty"`       // that were made for it
	Waiting []Prompt `json:"waiting,omitempty"`     // while no Neovim has it
	Cost    *Cost    `json:"cost,omitempty"`        // that was counted so far, if it is known
}

// Cost is one of package acp.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// Prompt is one that waits, to be sent or to come back to the user.
type Prompt struct {
	ID      string       `json:"id"`
	Text    string       `json:"text"`
	Context []Attachment `json:"context,omitempty"`
}

// Attachment is one of package session.
type Attachment struct {
	Path      string `json:"path,omitempty"`
	Name      string `json:"name"`
	Kind      string `json:"kind,omitempty"`
	Text      string `json:"text,omitempty"`
	Loaded    bool   `json:"loaded,omitempty"`
	Large     bool   `json:"large,omitempty"`
	Mentioned bool   `json:"mentioned,omitempty"`
	Word      string `json:"word,omitempty"`
	As        string `json:"as,omitempty"`
	Record    string `json:"record,omitempty"`
	First     int    `json:"first,omitempty"`
	Last      int    `json:"last,omitempty"`
}

// Rule is one of package rules, by its conditions.
type Rule struct {
	Kind    string `json:"kind,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Path    string `json:"path,omitempty"`
	Command string `json:"command,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Action  string `json:"action"`
	From    string `json:"-"`
}

// Options are the values of options by their ids, strings and booleans.
type Options map[string]any

// UnmarshalJSON leaves out what is no such value.
func (o *Options) UnmarshalJSON(text []byte) error {
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil // the rest of the line is read
	}
	maps.DeleteFunc(all, func(_ string, v any) bool {
		_, isText := v.(string)
		_, isSwitch := v.(bool)
		return !isText && !isSwitch
	})
	*o = all
	return nil
}

// Place is what a session is about that was begun in a file.
type Place struct {
	Kind string `json:"kind" msgpack:"kind"` // "edit" or "ask"
	Path string `json:"path,omitempty" msgpack:"path"`
}

// Past is a session at an earlier point of which another one was begun.
type Past struct {
	Session string `json:"session"` // local id
	Until   int64  `json:"until"`   // when the other one was begun: unix, in milliseconds
}

// Rewind is one in files, of the history of a session.
type Rewind struct {
	Session  string   `json:"session"` // local id
	Entry    int      `json:"entry,omitempty"`
	Restored bool     `json:"restored,omitempty"` // it has taken back another one
	Folders  []string `json:"folders,omitempty"`  // that came back

	// Until is not 0 where the conversation has gone back: its agent does not know the entry, nor any later one until then (unix, in ms).
	Until int64 `json:"until,omitempty"`
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

// Record is the content of a file.
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
		return text // strings and numbers always encode
	}
	return append(append(text, line...), '\n')
}

// Read reads a record. Incomplete and invalid lines are left out.
func Read(r io.Reader) (Record, error) {
	var rec Record
	at := map[string]int{}
	err := each(r, func(line []byte) {
		e, ok := parse(line)
		if !ok {
			return
		}
		if e.ID == SessionID {
			rec.add(e)
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
	rec.Entries = ordered(slices.DeleteFunc(rec.Entries, func(e Entry) bool { return e.Data.Gone }))
	return rec, err
}

// ordered puts entries that were added later where they belong.
func ordered(entries []Entry) []Entry {
	if !slices.ContainsFunc(entries, func(e Entry) bool { return e.Data.After != "" }) {
		return entries
	}

	var list []Entry
	for _, e := range entries {
		at := len(list)
		if e.Data.After != "" {
			i := slices.IndexFunc(list, func(o Entry) bool { return o.ID == e.Data.After })
			for i++; i > 0 && i < len(list) && (list[i].Data.Part || list[i].Data.After == e.Data.After); {
				i++
			}
			if i > 0 {
				at = i
			}
		}
		list = slices.Insert(list, at, e)
	}

	return list
}

func (r *Record) add(e Entry) {
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

// backwards calls take for every whole line, beginning with the last, until it returns true. It rarely reads the whole file.
func backwards(f io.ReaderAt, size int64, take func(line []byte) bool) error {
	var text []byte // lines before the last taken one
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
