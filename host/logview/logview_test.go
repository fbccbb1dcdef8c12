package logview

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/feature"
)

// fakeHost is a host without sessions that notes what Neovim and the user are told.
type fakeHost struct {
	feature.Host
	done chan struct{}

	mu    sync.Mutex // guards all below
	calls []call
	said  []string
}

// call is what the log's window is told: rows of it, or the text of a message.
type call struct {
	n     int // of the window
	rows  []row
	first bool
	text  []string
}

func (h *fakeHost) Done() <-chan struct{}          { return h.done }
func (h *fakeHost) Session(string) feature.Session { return nil }

func (h *fakeHost) Say(level, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, level+": "+text)
}

func (h *fakeHost) ExecLua(code string, _ any, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if code == luaLogText {
		h.calls = append(h.calls, call{text: args[1].([]string)})
	} else {
		h.calls = append(h.calls, call{n: args[0].(int), rows: args[1].([]row), first: args[2].(bool)})
	}
	return nil
}

// told returns what the windows were told since it was last called.
func (h *fakeHost) told() []call {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.calls = nil }()
	return h.calls
}

// heads returns the rows of calls, each without what comes before the agent's name.
func heads(calls []call) (list []string) {
	for _, c := range calls {
		for _, r := range c.rows {
			_, head, _ := strings.Cut(r.Head, " ")
			list = append(list, regexp.MustCompile(` +`).ReplaceAllString(head, " "))
		}
	}
	return list
}

func agent(name string) *agents.Agent {
	return &agents.Agent{Spec: agents.Spec{Name: name}, Key: name, Log: acp.NewLog(2000), Ready: make(chan struct{})}
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// add adds a message of some milliseconds after noon.
func add(a *agents.Agent, ms int, dir, method, text string) {
	a.Log.Add(acp.Entry{Time: noon.Add(time.Duration(ms) * time.Millisecond), Dir: dir, Method: method, Text: text})
}

// A window gets the messages of all agents in the order of their times, then each that is new, once; what it gets first clears it, also if
// nothing fits. One that another replaces, or that is closed, gets nothing more.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := agent("a"), agent("b")
		h := &fakeHost{done: make(chan struct{})}
		l := New(h, func() []*agents.Agent { return []*agents.Agent{a, b} })
		check := func(when string, window int, first bool, want ...string) {
			t.Helper()
			<-time.After(2 * pace) // of the bubble's clock
			synctest.Wait()        // the window may have been filled at this moment
			calls := h.told()
			if got := heads(calls); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", when, got, want)
			}
			for i, c := range calls {
				if c.n != window || c.first != (first && i == 0) {
					t.Errorf("%s: call %d is for window %d, the first: %v", when, i, c.n, c.first)
				}
			}
		}

		add(a, 1, acp.DirSend, "initialize", "1")
		add(b, 2, acp.DirSend, "initialize", "2")
		add(a, 3, acp.DirRecv, "initialize", "3")
		l.show(args{On: true, View: 1})
		check("at first", 1, true, "a send initialize 1 1", "b send initialize 1 2", "a recv initialize 1 3")
		add(b, 4, acp.DirStderr, "", "oh")
		check("one more", 1, false, "b stderr 2 oh")
		check("nothing new", 1, false)
		add(b, 5, acp.DirRecv, "initialize", "5")
		add(a, 4, acp.DirSend, "session/new", "4")
		check("two more", 1, false, "a send session/new 1 4", "b recv initialize 1 5")
		add(b, 6, acp.DirStderr, "", "no")
		check("as long as one before", 1, false, "b stderr 2 no")
		add(b, 7, acp.DirStderr, "", "ah")
		check("as long as the last", 1, false, "b stderr 2 ah")

		l.show(args{On: true, View: 2, Filter: "agent:b dir:send"})
		check("filtered", 2, true, "b send initialize 1 2")
		add(a, 6, acp.DirSend, "x", "6")
		add(b, 7, acp.DirSend, "x", "7")
		check("filtered, more", 2, false, "b send x 1 7")

		l.show(args{On: true, View: 3, Filter: "nowhere"})
		<-time.After(2 * pace)
		synctest.Wait()
		if calls := h.told(); len(calls) != 1 || calls[0].n != 3 || !calls[0].first || len(calls[0].rows) > 0 {
			t.Errorf("a filter that nothing fits: got %v", calls)
		}

		for i := range 2*slice + 1 {
			add(a, 10+i, acp.DirSend, "many", "")
		}
		l.show(args{On: true, View: 4, Filter: "method:many"})
		<-time.After(2 * pace)
		synctest.Wait()
		var sizes []int
		for _, c := range h.told() {
			sizes = append(sizes, len(c.rows))
		}
		if want := []int{slice, slice, 1}; !slices.Equal(sizes, want) {
			t.Errorf("many come in calls of %v, want %v", sizes, want)
		}

		l.Close()
		add(a, 5000, acp.DirSend, "many", "late")
		check("closed", 0, false)
	})
}

// A window gets nothing more once the program ends.
func TestWindowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := agent("a")
		h := &fakeHost{done: make(chan struct{})}
		l := New(h, func() []*agents.Agent { return []*agents.Agent{a} })
		l.show(args{On: true, View: 1})
		<-time.After(2 * pace)
		synctest.Wait()
		close(h.done)
		synctest.Wait()
		h.told()
		add(a, 1, acp.DirSend, "x", "1")
		<-time.After(2 * pace)
		synctest.Wait()
		if calls := h.told(); len(calls) > 0 {
			t.Errorf("got %v", calls)
		}
		l.Close()
	})
}

// Each word of a filter must fit: by what it names, else by what is in the message, in any case of letters.
func TestFilter(t *testing.T) {
	a := agent("claude")
	e := acp.Entry{Dir: acp.DirRecv, Method: "session/prompt", Text: `{"sessionId":"S-1","text":"Hello"}`}
	l := New(&fakeHost{}, nil)
	for filter, want := range map[string]bool{
		"": true, "hello": true, "HELLO world": false, "Hello session/PROMPT": true,
		"dir:recv": true, "dir:send": false, "dir:rec": false,
		"method:prompt": true, "method:new": false, "method:Hello": false,
		"agent:claude": true, "agent:claud": false, "agent:Hello": false,
		"session:S-1": true, "session:S": false, "session:s-1": false,
		"dir:recv method:new": false, "dir:send method:prompt": false, "agent:claude dir:recv hello": true,
		"colon:recv": false, `sessionid":"s-1`: true,
	} {
		if got := l.fits(strings.Fields(filter), a, e); got != want {
			t.Errorf("%q: got %v, want %v", filter, got, want)
		}
	}
}

// A row is one line, whatever is in the message, and not long.
func TestRow(t *testing.T) {
	e := acp.Entry{
		Time: noon, Dir: acp.DirRecv, Method: "a\nb", ID: "1\n2", Size: 7, Took: 1500 * time.Microsecond, Text: "x\ny\x1b[m" + strings.Repeat("z", 1000),
	}
	row := head("claude", e)
	if strings.ContainsAny(row, "\n\x1b") || len(row) > 400 || !strings.HasPrefix(row, "12:00:00.000 claude   recv   a") {
		t.Errorf("got %q", row)
	}
	if !strings.Contains(row, " 7     1 ms  x") {
		t.Errorf("size and time are missing: %q", row)
	}
	if row := head("claude", acp.Entry{Time: noon, Dir: acp.DirInfo, Text: "x"}); strings.Contains(row, "ms") {
		t.Errorf("what is no answer took a time: %q", row)
	}
	if row := head("claude", acp.Entry{Time: noon, Dir: acp.DirInfo}); strings.HasSuffix(row, " ") {
		t.Errorf("it ends in blanks: %q", row)
	}
}

// A row says how long a call took within 80 columns, also of the longest method that agents call (behaviour 1312).
func TestRowFits(t *testing.T) {
	got := head("opencode", acp.Entry{Dir: "recv", Method: "session/request_permission", ID: "123456", Size: 12345678, Took: 12345 * time.Millisecond, Text: "{"})
	at := strings.Index(got, " ms")
	if at < 0 || at+len(" ms") > 80 {
		t.Errorf("%q: the time ends at column %d", got, at+len(" ms"))
	}
}

// A message unfolds by its key, which no other has: JSON with its lines, other text as it is; of what was cut that is said, and of what is
// gone too.
func TestUnfold(t *testing.T) {
	a, b := agent("a"), agent("a")
	add(a, 1, acp.DirSend, "x", `{"a":{"b":1}}`)
	add(a, 1, acp.DirStderr, "", "no {json\x1b[m\n\n")
	add(a, 1, acp.DirSend, "x", strings.Repeat("[", 100_000))
	const deep = 9000 // with its lines it would take 160 MB
	add(a, 1, acp.DirSend, "x", strings.Repeat("[", deep)+strings.Repeat("]", deep))
	add(b, 1, acp.DirSend, "x", `{"b":2}`)
	h := &fakeHost{}
	l := New(h, func() []*agents.Agent { return []*agents.Agent{a, b} })
	keys := map[string]bool{}
	for _, r := range l.rows(&window{seen: map[*agents.Agent]uint64{}, tail: map[*agents.Agent]int{}}) {
		keys[r.Key] = true
	}
	if len(keys) != 5 {
		t.Errorf("5 messages have the keys %v", keys)
	}
	text := func(from *agents.Agent, i int) string {
		l.unfold(args{Key: keyOf(from, from.Log.Snapshot()[i])})
		return strings.Join(h.told()[0].text, "|")
	}
	if got, want := text(a, 0), `    {|      "a": {|        "b": 1|      }|    }`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := text(a, 1); strings.Contains(got, "\x1b") || strings.Contains(got, "|") || !strings.HasPrefix(got, "    no {json") {
		t.Errorf("got %q", got)
	}
	if got, said := text(a, 2), `\|    … 65536 bytes are kept of 100000$`; !regexp.MustCompile(said).MatchString(got) {
		t.Errorf("got %.20s…%s, want %s", got, got[max(0, len(got)-80):], said)
	}
	if got := text(a, 3); len(got) != len("    ")+2*deep {
		t.Errorf("what is nested %d deep has %d bytes", deep, len(got))
	}
	if got := text(b, 0); !strings.Contains(got, `"b": 2`) {
		t.Errorf("got %s", got)
	}
	l.unfold(args{Key: keyOf(b, acp.Entry{Seq: 2})})
	if got := strings.Join(h.told()[0].text, "|"); !strings.Contains(got, "not kept any more") {
		t.Errorf("got %s", got)
	}
}

// A recording has the messages of the agent that was started last, with their times from the first one on, and before them those of the
// process before if that has crashed; a cut one is a remark, and a file that is there stays.
func TestSave(t *testing.T) {
	first, other, last := agent("a"), agent("b"), agent("a")
	add(first, 0, acp.DirSend, "x", `{"n":1}`)
	add(other, 1, acp.DirSend, "x", `{"n":"of another"}`)
	last.Began = noon.Add(2 * time.Millisecond)
	add(last, 3, acp.DirStderr, "", "oh\n")
	last.Log.Add(acp.Entry{Time: noon.Add(5 * time.Millisecond), Dir: acp.DirRecv, Method: "m", ID: "7", Text: strings.Repeat("x", 1<<17)})

	h := &fakeHost{}
	list := []*agents.Agent{first, last}
	l := New(h, func() []*agents.Agent { return list })
	saved := func() string {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		l.save(args{Path: path})
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	const (
		own   = `{"t":%d,"dir":"stderr","raw":"oh"}` + "\n" + `{"t":%d,"dir":"info","raw":"recv m 7: 131072 bytes, not all of which were kept"}` + "\n"
		crash = `{"t":0,"dir":"send","raw":"{\"n\":1}"}` + "\n" + `{"t":2,"dir":"info","raw":"that process has ended; what follows is of the one after it"}` + "\n"
	)
	if got, want := saved(), fmt.Sprintf(own, 0, 2); got != want {
		t.Errorf("of the last one: got %s, want %s", got, want)
	}
	first.Err = errors.New("it has ended")
	close(first.Ready)
	if got, want := saved(), crash+fmt.Sprintf(own, 3, 5); got != want {
		t.Errorf("after a crash: got %s, want %s", got, want)
	}
	list = []*agents.Agent{first, other, last}
	other.Err = first.Err
	close(other.Ready)
	if got, want := saved(), fmt.Sprintf(own, 0, 2); got != want {
		t.Errorf("after a crash and another agent: got %s, want %s", got, want)
	}

	path := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.said = nil
	l.save(args{Path: path})
	text, _ := os.ReadFile(path)
	if string(text) != "mine" || len(h.said) != 1 || !strings.HasPrefix(h.said[0], "error: save the log: ") {
		t.Errorf("a file that is there has %q, and it is said: %q", text, h.said)
	}
	list, h.said = nil, nil
	l.save(args{Path: filepath.Join(t.TempDir(), "none")})
	if want := []string{"error: save the log: no agent has run yet"}; !slices.Equal(h.said, want) {
		t.Errorf("without an agent: got %q, want %q", h.said, want)
	}
}
