package acp

import (
	"sync"
	"time"
)

const (
	logEntries = 2000     // default number of messages
	logText    = 64 << 10 // bytes kept of one message
	logBytes   = 16 << 20 // bytes kept of all; older texts are dropped first
)

// The directions of an [Entry].
const (
	DirSend   = "send"
	DirRecv   = "recv"
	DirStderr = "stderr"
	DirInfo   = "info" // a remark about an ignored message
)

// Entry is one line of a [Log].
type Entry struct {
	Seq    uint64 // counts from 1 without gaps
	Time   time.Time
	Dir    string
	Method string        // of answers, the method they answer; "ignored" for a line that is not a message
	ID     string        // as on the wire; empty for a notification
	Size   int           // in bytes, of the whole message
	Took   time.Duration // of answers, since the request
	Text   string        // at most 64 KiB; empty once newer texts needed the room
	Cut    bool          // not all of the message is in Text; secrets in it may be masked in either case
}

// Log keeps the last messages of a connection, both ways, and the agent's stderr. It is safe for
// concurrent use. Secrets stay in memory and are masked in what [Log.Snapshot] returns.
type Log struct {
	mu      sync.Mutex // guards the fields below
	size    uint64     // the most entries
	ring    []Entry    // entry Seq is at (Seq-1) % size
	last    uint64     // Seq of the newest entry
	dropped uint64     // entries up to this Seq have no text
	bytes   int        // of all texts
	secrets secrets
}

// NewLog returns an empty log that keeps that many messages; 0: 2000.
func NewLog(messages int) *Log {
	if messages <= 0 {
		messages = logEntries
	}
	return &Log{size: uint64(messages)}
}

// Add appends an entry; Seq, Time and Size are filled in if they are zero. A text too long is cut.
func (l *Log) Add(e Entry) { l.add(e, nil) }

// Info appends a remark.
func (l *Log) Info(text string) { l.Add(Entry{Dir: DirInfo, Text: text}) }

// add is Add with the text given in bytes, which are copied.
func (l *Log) add(e Entry, text []byte) {
	if text == nil {
		text = []byte(e.Text)
	}
	if e.Size == 0 {
		e.Size = len(text)
	}

	e.Text, e.Cut = string(text[:min(len(text), logText)]), len(text) > logText
	if e.Time.IsZero() {
		e.Time = time.Now()
	}

	l.mu.Lock()
	defer l.mu.Unlock()

	l.push(e)
}

// push puts e into the ring; l.mu is held.
func (l *Log) push(e Entry) {
	l.last++
	e.Seq = l.last
	if slot := int((e.Seq - 1) % l.size); slot < len(l.ring) {
		l.bytes -= len(l.ring[slot].Text)
		l.ring[slot] = e
	} else {
		l.ring = append(l.ring, e)
	}

	l.bytes += len(e.Text)
	for l.bytes > logBytes {
		l.dropped = max(l.dropped+1, e.Seq-uint64(len(l.ring))+1)
		old := &l.ring[(l.dropped-1)%l.size]
		l.bytes -= len(old.Text)
		old.Text, old.Cut = "", old.Cut || old.Text != ""
	}
}

// addStderr appends text from stderr, to the newest entry if that is stderr too and has room, so that an agent that writes a
// lot does not push the messages out.
func (l *Log) addStderr(text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) > 0 {
		newest := &l.ring[(l.last-1)%l.size]
		if newest.Dir == DirStderr && newest.Seq > l.dropped && len(newest.Text)+len(text) <= logText {
			newest.Text += string(text)
			newest.Size += len(text)
			l.bytes += len(text)
			return
		}
	}
	l.push(Entry{Dir: DirStderr, Time: time.Now(), Size: len(text), Text: string(text)})
}

// Snapshot returns the entries from old to new, with secrets masked.
func (l *Log) Snapshot() []Entry { return l.Since(0) }

// Since is Snapshot without the entries up to that Seq.
func (l *Log) Since(seq uint64) []Entry {
	entries, _ := l.some(seq, func(Entry) bool { return true })
	return entries
}

// Stderr returns the entries of stderr after that Seq, with secrets masked, and the Seq of the newest entry of all.
func (l *Log) Stderr(seq uint64) (entries []Entry, last uint64) {
	return l.some(seq, func(e Entry) bool { return e.Dir == DirStderr })
}

// Ignored is like Stderr, for the lines of the agent's output that are no messages.
func (l *Log) Ignored(seq uint64) (entries []Entry, last uint64) {
	return l.some(seq, func(e Entry) bool { return e.Dir == DirInfo && e.Method == "ignored" })
}

// some returns those entries after that Seq that are wanted, with secrets masked, and the Seq of the newest entry of all.
func (l *Log) some(seq uint64, wanted func(Entry) bool) (entries []Entry, last uint64) {
	l.mu.Lock()
	first := max(l.last-uint64(len(l.ring)), seq) + 1
	for seq := first; seq <= l.last; seq++ {
		if e := l.ring[(seq-1)%l.size]; wanted(e) {
			entries = append(entries, e)
		}
	}

	mask, last := l.secrets.masker(), l.last
	l.mu.Unlock()

	for i := range entries {
		e := &entries[i]
		e.Text = mask(e.Text, e.Cut)
	}

	return entries, last
}

// hide masks the secrets in a text that is no entry.
func (l *Log) hide(text string) string {
	l.mu.Lock()
	mask := l.secrets.masker()
	l.mu.Unlock()
	return mask(text, false)
}

// Mask hides a literal of 8 bytes or more wherever it stands, also in what was logged before, and as JSON writes it.
// Shorter ones would hide too much; they are hidden where we send them (see mask.go).
func (l *Log) Mask(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secrets.add(secret)
}
