package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// logView is the window on the log: which messages it is to show, and how far it has been told. It belongs to the goroutine
// that fills it.
type logView struct {
	n      int // Lua's number of it
	filter []string
	done   chan struct{} // closed when the window is gone or another one takes its place
	seen   map[*agents.Agent]uint64
	tail   map[*agents.Agent]int // size of the last message, which may grow if it is of stderr
}

// logRow is a message in the window.
type logRow struct {
	Key  string `msgpack:"key"`
	Head string `msgpack:"head"`
	Dir  string `msgpack:"dir"`

	at time.Time
}

const (
	logPace    = 200 * time.Millisecond // between two looks at the logs while the window is open
	logSlice   = 500                    // rows in one call
	logExcerpt = 160                    // bytes of a message's text that its row shows
)

// showLog fills the log's window with what fits the filter, and goes on until it is closed.
func (h *Host) showLog(a logArgs) {
	v := &logView{n: a.View, filter: strings.Fields(a.Filter), done: make(chan struct{}), seen: map[*agents.Agent]uint64{}, tail: map[*agents.Agent]int{}}
	h.mu.Lock()
	if h.logWindow != nil {
		close(h.logWindow.done)
	}
	h.logWindow = v
	if !a.On {
		h.logWindow = nil
	}
	h.mu.Unlock()
	if a.On {
		caught.Go(func() { h.fillLog(v) }) // until the window is gone or the host closes
	}
}

func (h *Host) fillLog(v *logView) {
	clock := time.NewTicker(logPace)
	defer clock.Stop()
	for first := true; ; first = false {
		rows := h.logRows(v)
		for part := range slices.Chunk(rows, logSlice) {
			select {
			case <-v.done:
				return
			default:
			}
			_ = h.ed.ExecLua(luaLogRows, nil, v.n, part, first)
			first = false
		}
		if first {
			_ = h.ed.ExecLua(luaLogRows, nil, v.n, []logRow{}, true)
		}
		select {
		case <-clock.C:
		case <-v.done:
			return
		case <-h.done:
			return
		}
	}
}

// logRows are the messages that the window has not been told of, in the order of their times. The last one of stderr may
// have grown, and is told again.
func (h *Host) logRows(v *logView) []logRow {
	var rows []logRow
	for _, a := range h.agents.Recent() {
		for _, e := range a.Log.Since(v.seen[a]) {
			if e.Dir != acp.DirStderr {
				v.seen[a], v.tail[a] = e.Seq, 0
			} else if e.Seq == v.seen[a]+1 && e.Size == v.tail[a] {
				continue // it has not grown
			} else {
				v.seen[a], v.tail[a] = e.Seq-1, e.Size
			}
			if h.logFits(v.filter, a, e) {
				rows = append(rows, logRow{Key: logKey(a, e), Head: logHead(a.Spec.Name, e), Dir: e.Dir, at: e.Time})
			}
		}
	}
	slices.SortStableFunc(rows, func(x, y logRow) int { return x.at.Compare(y.at) })
	return rows
}

// logKey names a message among those of all agents.
func logKey(a *agents.Agent, e acp.Entry) string { return fmt.Sprintf("%p %d", a, e.Seq) }

func logHead(agent string, e acp.Entry) string {
	took := ""
	if e.Took > 0 {
		took = fmt.Sprintf("%d ms", e.Took.Milliseconds())
	}
	return strings.TrimRight(fmt.Sprintf("%s %-8s %-6s %-28s %-6s %8d %8s  %s", e.Time.Format("15:04:05.000"), agent, e.Dir,
		plain.OneLine(e.Method), plain.OneLine(e.ID), e.Size, took, plain.OneLine(plain.Short(e.Text, logExcerpt))), " ")
}

// logFits reports that a message is wanted: each word of the filter is in its text or method, or in what the word names:
// dir:, method:, agent: or session:.
func (h *Host) logFits(filter []string, a *agents.Agent, e acp.Entry) bool {
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
			if !strings.Contains(e.Text, strconv.Quote(h.remoteOf(value))) {
				return false
			}
		case !strings.Contains(strings.ToLower(e.Text+" "+e.Method), strings.ToLower(word)):
			return false
		}
	}
	return true
}

// remoteOf is the agent's id of the session with a local one; any other is returned as it is.
func (h *Host) remoteOf(id string) string {
	s := h.session(id)
	if s == nil {
		return id
	}
	_, remote := s.connection()
	return remote
}

// unfoldLog tells the window the whole of a message, JSON with its lines.
func (h *Host) unfoldLog(a logArgs) {
	for _, agent := range h.agents.Recent() {
		for _, e := range agent.Log.Snapshot() {
			if logKey(agent, e) == a.Key {
				_ = h.ed.ExecLua(luaLogText, nil, a.Key, logText(e))
				return
			}
		}
	}
	_ = h.ed.ExecLua(luaLogText, nil, a.Key, []string{"    it is not kept any more"})
}

func logText(e acp.Entry) []string {
	text := e.Text
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(text), "", "  ") == nil {
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

// saveLog writes the messages of a session's agent, or of the one that was started last, as a recording that
// `nvim-acp agent --replay` plays. A message of which not all is kept becomes a remark. If the process before it ended by itself,
// its messages come first: they are what a report is about.
func (h *Host) saveLog(a logArgs) {
	var before, from *agents.Agent
	s := h.session(a.Session)
	for _, agent := range h.agents.Recent() {
		if s == nil || agent.Key == s.spec().Key(s.cwd) {
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
		h.say("error", "save the log: no agent has run yet")
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
	if err := writeText(a.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, b.String()); err != nil {
		h.say("error", "save the log: "+err.Error())
		return
	}
	h.say("info", "saved to "+a.Path)
}
