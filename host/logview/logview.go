// Package logview shows and saves what was said between us and agents.
package logview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/internal/caught"
	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// The functions of lua/nvim-acp/host.lua that are called here.
const (
	luaLogRows = `require("nvim-acp.host").log_rows(...)`
	luaLogText = `require("nvim-acp.host").log_text(...)`
)

// Log shows the messages of agents in a window. It is safe for concurrent use.
type Log struct {
	host   feature.Host
	recent func() []*agents.Agent // whose logs are kept, the latest last

	mu     sync.Mutex // guards window
	window *window    // nil: none is open
}

// New returns a log of the agents that recent returns, the latest last, which no window shows.
func New(h feature.Host, recent func() []*agents.Agent) *Log { return &Log{host: h, recent: recent} }

type args struct {
	N       int    `msgpack:"n"`
	On      bool   `msgpack:"on"`      // a window shows it
	View    int    `msgpack:"view"`    // number of the window, or of its filter
	Filter  string `msgpack:"filter"`  // words that the messages are to have
	Key     string `msgpack:"key"`     // of a message to unfold
	Session string `msgpack:"session"` // whose agent's log is saved; "": the last one's
	Path    string `msgpack:"path"`    // … to this file
}

// Verbs are what a user can ask, by their names.
func (l *Log) Verbs() map[string]any {
	return map[string]any{
		"log":       l.show,
		"log_entry": func(a args) { caught.Go(func() { l.unfold(a) }) }, // ends when Neovim answers or goes away
		"log_save":  func(a args) { caught.Go(func() { l.save(a) }) },   // ends when the file is written
	}
}

// Close ends what fills the window.
func (l *Log) Close() { l.show(args{}) }

// window is the window on the log: which messages it is to show, and how far it has been told. It belongs to the goroutine
// that fills it.
type window struct {
	n      int // Lua's number of it
	filter []string
	done   chan struct{} // closed when the window is gone or another one takes its place
	seen   map[*agents.Agent]uint64
	tail   map[*agents.Agent]int // size of the last message, which may grow if it is of stderr
}

// row is a message in the window.
type row struct {
	Key  string `msgpack:"key"`
	Head string `msgpack:"head"`
	Dir  string `msgpack:"dir"`

	at time.Time
}

const (
	pace    = 200 * time.Millisecond // between two looks at the logs while the window is open
	slice   = 500                    // rows in one call
	excerpt = 160                    // bytes of a message's text that its row shows
)

// show fills the log's window with what fits the filter, and goes on until it is closed.
func (l *Log) show(a args) {
	v := &window{
		n: a.View, filter: strings.Fields(a.Filter), done: make(chan struct{}), seen: map[*agents.Agent]uint64{},
		tail: map[*agents.Agent]int{},
	}
	l.mu.Lock()
	if l.window != nil {
		close(l.window.done)
	}

	l.window = v
	if !a.On {
		l.window = nil
	}

	l.mu.Unlock()

	if a.On {
		caught.Go(func() { l.fill(v) }) // until the window is gone or the host closes
	}
}

func (l *Log) fill(v *window) {
	clock := time.NewTicker(pace)
	defer clock.Stop()
	for first := true; ; first = false {
		rows := l.rows(v)
		for part := range slices.Chunk(rows, slice) {
			select {
			case <-v.done:
				return
			default:
			}
			_ = l.host.ExecLua(luaLogRows, nil, v.n, part, first)
			first = false
		}

		if first {
			_ = l.host.ExecLua(luaLogRows, nil, v.n, []row{}, true)
		}
		select {
		case <-clock.C:
		case <-v.done:
			return
		case <-l.host.Done():
			return
		}
	}
}

// rows are the messages that the window has not been told of, in the order of their times. The last one of stderr may
// have grown, and is told again.
func (l *Log) rows(v *window) []row {
	var rows []row
	for _, a := range l.recent() {
		for _, e := range a.Log.Since(v.seen[a]) {
			if e.Dir != acp.DirStderr {
				v.seen[a], v.tail[a] = e.Seq, 0
			} else if e.Seq == v.seen[a]+1 && e.Size == v.tail[a] {
				continue // it has not grown
			} else {
				v.seen[a], v.tail[a] = e.Seq-1, e.Size
			}
			if l.fits(v.filter, a, e) {
				rows = append(rows, row{Key: keyOf(a, e), Head: head(a.Spec.Name, e), Dir: e.Dir, at: e.Time})
			}
		}
	}

	slices.SortStableFunc(rows, func(x, y row) int { return x.at.Compare(y.at) })
	return rows
}

// keyOf names a message among those of all agents.
func keyOf(a *agents.Agent, e acp.Entry) string { return fmt.Sprintf("%p %d", a, e.Seq) }

func head(agent string, e acp.Entry) string {
	took := ""
	if e.Took > 0 {
		took = fmt.Sprintf("%d ms", e.Took.Milliseconds())
	}
	return strings.TrimRight(fmt.Sprintf("%s %-8s %-6s %-26s %-6s %8d %8s  %s", e.Time.Format("15:04:05.000"), agent, e.Dir,
		plain.OneLine(e.Method), plain.OneLine(e.ID), e.Size, took, plain.OneLine(plain.Short(e.Text, excerpt))), " ")
}

// fits reports that a message is wanted: each word of the filter is in its text or method, or in what the word names:
// dir:, method:, agent: or session:.
func (l *Log) fits(filter []string, a *agents.Agent, e acp.Entry) bool {
	for _, word := range filter {
		what, value, named := strings.Cut(word, ":")
		switch {
		case named && what == "dir":
			if e.Dir != value {
				return false
			}
		case named && what == "method":
			if !strings.Contains(e.Method, value) {
				return false
			}
		case named && what == "agent":
			if a.Spec.Name != value {
				return false
			}
		case named && what == "session":
			if !strings.Contains(e.Text, strconv.Quote(l.remoteOf(value))) {
				return false
			}
		case !strings.Contains(strings.ToLower(e.Text+" "+e.Method), strings.ToLower(word)):
			return false
		}
	}

	return true
}

// remoteOf is the agent's id of the session with a local one; any other is returned as it is.
func (l *Log) remoteOf(id string) string {
	s := l.host.Session(id)
	if s == nil {
		return id
	}
	return feature.Ask(s, func(st *session.State) string { return st.Link().Remote() })
}

// unfold tells the window the whole of a message, JSON with its lines.
func (l *Log) unfold(a args) {
	for _, agent := range l.recent() {
		for _, e := range agent.Log.Snapshot() {
			if keyOf(agent, e) == a.Key {
				_ = l.host.ExecLua(luaLogText, nil, a.Key, textOf(e))
				return
			}
		}
	}
	_ = l.host.ExecLua(luaLogText, nil, a.Key, []string{"    it is not kept any more"})
}

func textOf(e acp.Entry) []string {
	text := e.Text
	var pretty bytes.Buffer
	if !plain.Deep([]byte(text)) && json.Indent(&pretty, []byte(text), "", "  ") == nil {
		text = pretty.String()
	}

	if e.Cut {
		text += fmt.Sprintf("\n… %d bytes are kept of %d", len(e.Text), e.Size)
	}

	lines := strings.Split(strings.TrimRight(plain.Visible(text), "\n"), "\n")
	for i, line := range lines {
		lines[i] = "    " + line
	}

	return lines
}

// save writes the messages of a session's agent, or of the one that was started last, as a recording that
// `nvim-acp agent --replay` plays. A message of which not all is kept becomes a remark. If the process before it ended by itself,
// its messages come first: they are what a report is about.
func (l *Log) save(a args) {
	var before, from *agents.Agent
	s := l.host.Session(a.Session)
	for _, agent := range l.recent() {
		if s == nil || agent.Key == s.Spec().Key(s.Cwd()) {
			before, from = from, agent
		}
	}

	var entries []acp.Entry
	if from != nil {
		entries = from.Log.Snapshot()
	}

	if before != nil && before.Key == from.Key && before.Crashed() {
		entries = append(append(before.Log.Snapshot(), acp.Entry{
			Time: from.Began, Dir: acp.DirInfo, Text: "that process has ended; what follows is of the one after it",
		}), entries...)
	}

	if len(entries) == 0 {
		l.host.Say("error", "save the log: no agent has run yet")
		return
	}

	var b bytes.Buffer
	for _, e := range entries {
		dir, text := e.Dir, strings.TrimRight(e.Text, "\n")
		if e.Cut {
			dir, text = acp.DirInfo, fmt.Sprintf("%s %s %s: %d bytes, not all of which were kept", e.Dir, e.Method, e.ID, e.Size)
		}

		line, err := json.Marshal(struct {
			T   int64  `json:"t"`
			Dir string `json:"dir"`
			Raw string `json:"raw"`
		}{e.Time.Sub(entries[0].Time).Milliseconds(), dir, text})
		if err != nil {
			continue // a struct of strings can be written
		}

		b.Write(append(line, '\n'))
	}

	if err := regular.WriteText(a.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, b.String()); err != nil {
		l.host.Say("error", "save the log: "+plain.Reason(err))
		return
	}

	l.host.Say("info", "saved to "+a.Path)
}
