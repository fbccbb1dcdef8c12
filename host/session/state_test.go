package session

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

func newState() *State { return stateWith(transcript.Options{}) }

func stateWith(opts transcript.Options) *State {
	return New(Config{
		ID: "s", Agent: Agent{Name: "agent", Title: "Agent"},
		NewLog: func() *transcript.Transcript { return transcript.New(opts) },
	})
}

// opened is a session that an agent serves.
func opened(t *testing.T) (*State, *agents.Agent) {
	t.Helper()
	return openedWith(t, transcript.Options{})
}

func openedWith(t *testing.T, opts transcript.Options) (*State, *agents.Agent) {
	t.Helper()
	s, agent := stateWith(opts), new(agents.Agent)
	if !s.link.Claim() {
		t.Fatal("the session is claimed")
	}
	s.Connect(agent)
	if !s.Began(agent, "remote", Opened{}) {
		t.Fatal("the session is not the agent's")
	}
	s.Ready(agent, Capabilities{Steer: true}, nil, nil)
	s.Take()
	return s, agent
}

func texts(list []Prompt) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Text)
	}
	return out
}

// Steps in, effects out: each step follows the ones before it (behaviour 1203).
func TestSteps(t *testing.T) {
	login := &LoginNeeded{Methods: []string{"m"}, How: "somehow", Automatic: true}
	var turn *Turn
	steps := []struct {
		name  string
		do    func(s *State, agent Connection) any
		want  any
		phase Phase
		begin string // prompt of the turn that begins
		back  []string
	}{
		{"a prompt begins a turn", func(s *State, _ Connection) any { return s.Prompt(Prompt{Text: "one"}) }, false, Busy, "one", nil},
		{"it is sent", func(s *State, _ Connection) any { return s.Send(turn, Skills{}, unsaved.Message{}).Stopped }, false, Busy, "", nil},
		{"a second one waits", func(s *State, _ Connection) any { return s.Prompt(Prompt{Text: "two"}) }, false, Busy, "", nil},
		{"the end of the turn sends it", func(s *State, _ Connection) any {
			return s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil).Lost
		}, false, Busy, "two", nil},
		{"a stop", func(s *State, _ Connection) any { got, _ := s.Cancel(); return got == turn }, true, Cancelling, "", nil},
		{"comes before it is sent", func(s *State, _ Connection) any { return s.Send(turn, Skills{}, unsaved.Message{}).Stopped }, true, Cancelling, "", nil},
		{"an error after a stop is the stop", func(s *State, _ Connection) any {
			return s.EndTurn(turn, "", io.EOF, nil, nil).Lost
		}, false, Idle, "", nil},
		{"a prompt", func(s *State, _ Connection) any { return s.Prompt(Prompt{Text: "three"}) }, false, Busy, "three", nil},
		{"that wants a login waits for it", func(s *State, _ Connection) any {
			return s.EndTurn(turn, "", errors.New("who are you"), login, nil).TryLogin
		}, true, Login, "", nil},
		{"and is sent after that", func(s *State, _ Connection) any { return s.LoggedIn() }, false, Busy, "three", nil},
		{"an agent that asks again is not answered by itself", func(s *State, _ Connection) any {
			return s.EndTurn(turn, "", errors.New("who are you"), login, nil).TryLogin
		}, false, Login, "", nil},
		{"a prompt that was sent before one could see that waits", func(s *State, _ Connection) any {
			start := s.Prompt(Prompt{Text: "early", Early: true})
			s.queue.list = s.queue.list[:len(s.queue.list)-1]
			return start
		}, false, Login, "", nil},
		{"a prompt may try without a login", func(s *State, _ Connection) any { return s.Prompt(Prompt{Text: "four"}) }, false, Busy, "three", nil},
		{"an agent that ends gives back all prompts", func(s *State, a Connection) any { return s.Lost(a, io.EOF, false) }, true, Disconnected, "", []string{"three", "four"}},
		{"a late end of its turn", func(s *State, _ Connection) any {
			return s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil).Lost
		}, true, Disconnected, "", nil},
		{"the next prompt starts it again", func(s *State, _ Connection) any { return s.Prompt(Prompt{Text: "five"}) }, true, Starting, "", nil},
		{"once", func(s *State, _ Connection) any { return s.Prompt(Prompt{Text: "six"}) }, false, Starting, "", nil},
		{"where that fails they come back", func(s *State, a Connection) any {
			s.Connect(a)
			return s.Failed(a, io.EOF, "", nil)
		}, false, Disconnected, "", []string{"five", "six"}},
	}
	s, agent := opened(t)
	for _, tt := range steps {
		got := tt.do(s, agent)
		e := s.Take()
		if got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		if s.phase() != tt.phase {
			t.Errorf("%s: got phase %s, want %s", tt.name, s.phase(), tt.phase)
		}
		begin := ""
		if e.Begin != nil {
			turn, begin = e.Begin, e.Begin.Prompt.Text
		}
		if begin != tt.begin {
			t.Errorf("%s: the turn of %q begins, want %q", tt.name, begin, tt.begin)
		}
		if back := texts(e.GiveBack); !slices.Equal(back, tt.back) {
			t.Errorf("%s: %q come back, want %q", tt.name, back, tt.back)
		}
	}
}

// That a prompt is sent with an earlier conversation is drawn, also if the agent says nothing then.
func TestPastDraws(t *testing.T) {
	s, _ := opened(t)
	s.briefing.historyUnknown = true
	s.Prompt(Prompt{Text: "one"})
	s.Send(s.Take().Begin, Skills{}, unsaved.Message{})
	if got := s.Take().Draw; got != Soon {
		t.Errorf("got %v, want %v", got, Soon)
	}
}

// Rows whose indent depends on the width are drawn when that changes; a width that changes nothing has nothing drawn.
func TestWidthDraws(t *testing.T) {
	s, _ := opened(t)
	s.screen.SetWidth(100)
	for _, id := range []string{"a", "b", "c"} {
		call := &acp.ToolCall{ToolCallID: id, Title: id, Status: acp.ToolCallInProgress}
		if id != "a" {
			call.Meta = acp.Meta{"claudeCode": acp.Raw(`{"parentToolUseId": "` + string(id[0]-1) + `"}`)}
		}
		s.Update(call)
	}
	s.Frame(1 << 20)
	s.Take()
	s.screen.SetWidth(99)
	if got := s.Take().Draw; got != NoDraw {
		t.Errorf("no row is another, and %v is drawn", got)
	}
	s.screen.SetWidth(12)
	if got := s.Take().Draw; got != Soon {
		t.Errorf("got %v, want %v", got, Soon)
	}
}

// A prompt whose agent dies comes back with its attachments, and the notes that were sent with it are sent again.
func TestLostKeeps(t *testing.T) {
	s, agent := opened(t)
	s.briefing.Tell("noted first")
	s.Prompt(Prompt{Text: "one", Context: []Attachment{{Name: "text", Text: "something chosen"}}})
	turn := s.Take().Begin
	if got := s.Send(turn, Skills{}, unsaved.Message{}).Notes; !slices.Equal(got, []string{"noted first"}) {
		t.Errorf("got notes %q", got)
	}
	s.briefing.Tell("noted since")
	s.Lost(agent, io.ErrUnexpectedEOF, false)
	e := s.Take()
	if len(e.GiveBack) != 1 || len(e.GiveBack[0].Context) != 1 {
		t.Errorf("got %+v", e.GiveBack)
	}
	if !slices.Equal(s.briefing.notes, []string{"noted first", "noted since"}) {
		t.Errorf("%q are left", s.briefing.notes)
	}
}

// Words of the user's that an agent repeats are a late replay only where none has come, and only before it has said anything else.
func TestLateReplay(t *testing.T) {
	user := &acp.UserMessageChunk{Content: acp.Text("echo")}
	for _, tt := range []struct {
		name    string
		late    bool
		first   acp.SessionUpdate
		replays bool
	}{
		{"at once", true, nil, true},
		{"after news of the session", true, &acp.AvailableCommandsUpdate{}, true},
		{"after words of the agent", true, &acp.AgentMessageChunk{Content: acp.Text("hello")}, false},
		{"where it has come", false, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newState()
			s.screen.Say("shown before", "AcpNotice")
			shown := s.screen.log
			s.replay.late = tt.late
			if tt.first != nil {
				s.Update(tt.first)
			}
			s.Update(user)
			if got := s.screen.log != shown; got != tt.replays {
				t.Errorf("the transcript was begun anew: %v, want %v", got, tt.replays)
			}
		})
	}
}

// A request of a turn that is stopped, or of a replay, is answered at once.
func TestRequestsTooLate(t *testing.T) {
	call := &acp.ToolCallUpdate{ToolCallID: "c"}
	options := permission.New{Options: []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}}}
	s, _ := opened(t)
	s.Prompt(Prompt{Text: "one"})
	s.Cancel()
	if _, _, ok := s.Request(call, options); ok {
		t.Error("a request of a stopped turn is pending")
	}
	s = newState()
	s.Connect(new(agents.Agent))
	s.replay.Load()
	if _, _, ok := s.Request(call, options); ok {
		t.Error("a request of a replay is pending")
	}
}

// The queue as the user has edited it: what was sent since is not queued again, what was queued since stays (behaviour 291).
func TestReorder(t *testing.T) {
	from := func(i int, text string) Wanted { return Wanted{From: i, Text: text} }
	for name, test := range map[string]struct {
		shown, queue []string
		want         []Wanted
		result       []string
	}{
		"moved":           {[]string{"a", "b"}, []string{"a", "b"}, []Wanted{from(2, "b"), from(1, "a")}, []string{"b", "a"}},
		"changed":         {[]string{"a", "b"}, []string{"a", "b"}, []Wanted{from(1, "A"), from(2, "b")}, []string{"A", "b"}},
		"removed, new":    {[]string{"a", "b"}, []string{"a", "b"}, []Wanted{from(0, "c"), from(2, "b")}, []string{"c", "b"}},
		"sent since":      {[]string{"a", "b"}, []string{"b"}, []Wanted{from(2, "b"), from(1, "a")}, []string{"b"}},
		"the same twice":  {[]string{"a", "a"}, []string{"a"}, []Wanted{from(1, "a"), from(2, "a")}, []string{"a"}},
		"queued since":    {[]string{"a"}, []string{"a", "z"}, []Wanted{from(0, "n"), from(1, "a")}, []string{"n", "a", "z"}},
		"all removed":     {[]string{"a", "b"}, []string{"a", "b"}, nil, nil},
		"no such prompt":  {[]string{"a"}, []string{"a"}, []Wanted{from(7, "b"), from(1, "a")}, []string{"b", "a"}},
		"doubled":         {[]string{"a"}, []string{"a"}, []Wanted{from(1, "a"), from(1, "a")}, []string{"a", "a"}},
		"sent and edited": {[]string{"a", "b"}, []string{"b"}, []Wanted{from(1, "a!"), from(2, "b!")}, []string{"b!"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newState() // without an agent, so that nothing is sent
			for _, text := range test.queue {
				s.queue.list = append(s.queue.list, Prompt{Text: text})
			}
			s.Reorder(test.shown, test.want)
			if got := texts(s.queue.list); !slices.Equal(got, test.result) {
				t.Errorf("got %q, want %q", got, test.result)
			}
		})
	}
}

// What a session has cost before its agent was first asked here is not spent by the next turn (behaviour 297).
func TestSpend(t *testing.T) {
	cost := func(amount float64) *acp.UsageUpdate {
		return &acp.UsageUpdate{Used: 1, Size: 9, Cost: &acp.Cost{Amount: amount, Currency: "USD"}}
	}
	s, _ := opened(t)
	s.Update(cost(5)) // as a session is loaded
	s.Prompt(Prompt{Text: "go"})
	if s.turns.now == nil {
		t.Fatal("no turn runs")
	}
	s.Update(cost(5.25))
	if got := s.spending.Spend(nil); got.Cost != 0.25 || got.Currency != "USD" {
		t.Errorf("spent %v, want 0.25 USD", got)
	}
	s.Update(cost(0.5)) // the agent counts anew
	if got := s.spending.Spend(nil); got.Cost != 0.5 {
		t.Errorf("spent %v, want 0.5", got)
	}
	if got := s.spending.Spend(nil); got.Cost != 0 {
		t.Errorf("spent %v twice", got)
	}
}

// A session that is loaded is shown as it comes where nothing else is, and recorded once all of it has come; if that fails, it is
// gone again.
func TestLoadAsItComes(t *testing.T) {
	user := &acp.UserMessageChunk{Content: acp.Text("a prompt")}
	begin := func(before ...acp.SessionUpdate) (s *State, shown *transcript.Transcript) {
		s = newState()
		s.Connect(new(agents.Agent))
		for _, u := range before {
			s.replay.replace(s.replay.make())
			s.screen.log.BeginLoad()
			s.screen.log.Apply(u)
			s.screen.log.EndLoad()
		}
		shown = s.screen.log
		s.replay.Load()
		if s.screen.log != shown {
			t.Error("shown before it comes")
		}
		s.Update(user)
		return s, shown
	}

	s, bare := begin()
	if s.screen.log == bare || s.screen.log.Blocks().Empty() || !s.screen.reset {
		t.Fatal("not shown as it comes")
	}
	if u := s.Unsaved(true); len(u.Entries) > 0 || u.Replace {
		t.Errorf("recorded as it comes: %+v", u)
	}
	s.Update(&acp.AgentMessageChunk{Content: acp.Text("an answer")})
	if said := s.replay.log.Said(); said != "" { // it would grow with each chunk of a long replay
		t.Errorf("%q is kept of what was replayed", said)
	}
	s.Reopened(Opened{})
	if u := s.Unsaved(true); len(u.Entries) != 2 || !u.Replace {
		t.Errorf("recorded in the end: %+v", u)
	}

	s, bare = begin()
	s.screen.reset = false
	if s.DropReplay(); s.screen.log != bare || !s.screen.reset {
		t.Error("shown though it failed")
	}
	if s, shown := begin(user); s.screen.log != shown {
		t.Error("shown in place of what there was")
	}
}

// The first words of each turn are drawn at once, the others with the next frame.
func TestFirstWords(t *testing.T) {
	s, _ := opened(t)
	word := func() Draw {
		s.Update(&acp.AgentMessageChunk{Content: acp.Text("word")})
		return s.Take().Draw
	}
	if got := word(); got != Soon {
		t.Errorf("in no turn: %v", got)
	}
	for range 2 {
		s.Prompt(Prompt{Text: "go"})
		turn := s.Take().Begin
		s.Update(&acp.SessionInfoUpdate{})
		if got := s.Take().Draw; got != Soon {
			t.Errorf("no words: %v", got)
		}
		if first, second := word(), word(); first != Now || second != Soon {
			t.Errorf("the first words: %v, the next: %v", first, second)
		}
		s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
		s.Take()
	}
}

// What a turn tells is recorded as still to be told until the turn is over: if the program ends meanwhile, nobody knows whether the agent
// has heard it (behaviour 669).
func TestRecordedUnheard(t *testing.T) {
	s, _ := opened(t)
	s.briefing.historyUnknown = true
	s.briefing.Tell("a note")
	s.Prompt(Prompt{Text: "one"})
	turn := s.Take().Begin
	if out := s.Send(turn, Skills{Hash: "new"}, unsaved.Message{}); out.Past == "" || len(out.Notes) != 1 || !out.Skills {
		t.Fatalf("sent %+v", out)
	}
	if r := s.about(); !r.Untold || len(r.Notes) != 1 || r.Skills != "" {
		t.Errorf("recorded as told while the turn runs: %+v", r)
	}
	s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
	if r := s.about(); r.Untold || len(r.Notes) != 0 || r.Skills != "new" {
		t.Errorf("recorded as to be told once more: %+v", r)
	}
}

// TestMergesAfter shows that what an agent has written on the disk is merged however its turn ends: its commands may still write
// (behaviour 205).
func TestMergesAfter(t *testing.T) {
	tests := []struct {
		name string
		then func(*State)
	}{
		{"the turn ends", func(s *State) { s.EndTurn(s.turns.now, acp.StopEndTurn, nil, nil, nil) }},
		{"the turn fails", func(s *State) { s.EndTurn(s.turns.now, "", errors.New("no"), nil, nil) }},
		{"the agent is lost", func(s *State) { s.Lost(s.link.Agent(), errors.New("gone"), false) }},
		{"the agent is restarted", func(s *State) { s.Lost(s.link.Agent(), nil, false) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := busy(t)
			s.Send(s.turns.now, Skills{}, unsaved.Message{})
			test.then(s)
			if s.Turn() != nil || !s.writes.Merging(false) {
				t.Errorf("in a turn: %t, merges: %t", s.Turn() != nil, s.writes.Merging(false))
			}
		})
	}
}
