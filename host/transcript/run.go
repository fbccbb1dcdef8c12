package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Some agents give each of their subagents a session of its own, a child. What a child does from a start to an end is a run: a call
// with the child's calls and words below it. Ids of calls are unique in one session only, so that those of a child begin with its own.

// ChildCall returns the id of a child's call in the transcript.
func ChildCall(child, call string) string { return ofChild + child + ofChild + call }

// RunID returns the id of the call that is the n-th run of a child, from 1.
func RunID(child string, n int) string { return ChildCall(child, ofChild+strconv.Itoa(n)) }

// Run is what is known of a run.
type Run struct {
	ID     string
	Below  string // id of the run that has started it; "" if that is the agent itself
	Title  string // "": it is not known, and that of before stays
	Status string // of a call, or one of runs
	Waits  bool   // for the user
	Stops  bool   // the user has stopped it
	Why    string // it ended, if it did not end well
}

// Runs are the calls that children of the session are.
type Runs struct{ calls *Calls }

// ShowRun shows a run, which is new or has changed.
func (s *Runs) ShowRun(r Run) {
	it := s.calls.byID[r.ID]
	if it == nil {
		it = s.calls.newItem(r.ID, s.calls.byID[r.Below])
	}

	c := it.call
	c.Kind, c.Title = runKind, cmp.Or(r.Title, c.Title, "Subagent")
	c.Status, c.reported, c.run = r.Status, r.Status, runState{waits: r.Waits, stops: r.Stops}
	c.Content = nil
	if r.Why != "" {
		c.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text(r.Why)}}
	}

	it.waits(r.Waits, s.calls.opts.Now())
	if c.finished() {
		s.calls.finish(it)
	} else {
		it.ended = time.Time{}
	}

	s.calls.touchItem(it)
}

// HasRun reports whether there is a run, and whether it is over.
func (s *Runs) HasRun(id string) (there, over bool) {
	it := s.calls.byID[id]
	return it != nil, it != nil && it.call.finished()
}

// Under applies an update of a child, whose ids of calls are those of the transcript, below a run of it. It reports whether the
// transcript shows the update.
func (s *Runs) Under(run string, u acp.SessionUpdate) bool {
	it := s.calls.byID[run]
	if it == nil {
		return false
	}

	s.calls.below = it
	defer func() { s.calls.below = nil }()
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		s.sayIn(it, Agent, contentText(u.Content), u.MessageID)
	case *acp.AgentThoughtChunk:
		s.sayIn(it, Thought, contentText(u.Content), u.MessageID)
	case *acp.ToolCall:
		s.calls.toolCall(u)
	case *acp.ToolCallUpdate:
		s.calls.toolCallUpdate(u)
	case *acp.Plan:
		s.note(it, run+"/plan", saying, planText(u))
	case *acp.Notice:
		s.note(it, run+"/"+strconv.Itoa(s.calls.count+1), thinking, strings.TrimSpace(u.Title+"\n"+u.Description))
	case *acp.CompactionUpdate:
		if u.Status == acp.CompactionCompleted {
			s.note(it, run+"/compaction/"+u.CompactionID, thinking, "Compacted the conversation")
		}
	default:
		return false
	}

	return true
}

// About shows, below a run, what its child is for, unless that begins what it is asked to do.
func (s *Runs) About(run, text string) { s.tell(run, run+about, asking, text) }

// Ask shows, below a run, what the child is asked to do. The id is that of an earlier text that it replaces, or a new one.
func (s *Runs) Ask(run, id, text string) { s.tell(run, id, asking, text) }

// Tell shows a text below a run, among what its child says. The id is as for Ask.
func (s *Runs) Tell(run, id, text string) { s.tell(run, id, saying, text) }

func (s *Runs) tell(run, id string, kind acp.ToolKind, text string) {
	if it := s.calls.byID[run]; it != nil {
		s.note(it, id, kind, text)
	}
}

// note shows a text below a run, in place of one with the same id.
func (s *Runs) note(run *item, id string, kind acp.ToolKind, text string) {
	text = strings.TrimSpace(text)
	it := s.calls.byID[id]
	if it == nil {
		if text == "" {
			return
		}
		it = s.calls.newItem(id, run)
		it.call.Title, it.call.Kind, it.call.Status = strings.TrimPrefix(string(kind), "_"), kind, string(acp.ToolCallCompleted)
	}

	it.call.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text(plain.Cut(text, maxSaid))}}
	it.parent.stale = true
	s.calls.touchItem(it)
	if it = s.calls.byID[run.call.ID+about]; it != nil {
		it.stale = true
	}
}

// Repeats reports whether a text is what the child of a run has said last, or the beginning of that.
func (s *Runs) Repeats(run, text string) bool {
	it := s.calls.byID[run]
	if it == nil {
		return false
	}
	for _, child := range slices.Backward(it.children) {
		if child.call.Kind == saying {
			return strings.HasPrefix(plain.Words(strings.Join(child.call.Texts(), "\n")), plain.Words(text))
		}
	}
	return false
}

// sayIn adds to what a child says or thinks; another message begins anew.
func (s *Runs) sayIn(run *item, kind Kind, text, message string) {
	if n := len(run.children); n > 0 && message != "" && run.children[n-1].message != message {
		run.children[n-1].over = true
	}
	s.calls.say(run, kind, text)
	if n := len(run.children); n > 0 {
		run.children[n-1].message = message
	}
}

func planText(p *acp.Plan) string {
	var lines []string
	for _, e := range p.Entries {
		mark := "[ ] "
		switch e.Status {
		case acp.PlanCompleted:
			mark = "[x] "
		case acp.PlanInProgress:
			mark = "[-] "
		}
		lines = append(lines, mark+plain.OneLine(e.Content))
	}
	return strings.Join(lines, "\n")
}

// EndRunCalls ends the unfinished calls of a run, but not the runs below it, since its child is idle; halted says that it was stopped.
func (s *Runs) EndRunCalls(run string, halted bool) {
	for it := range s.calls.live {
		if r := it.run(); it.call.Kind != runKind && r != nil && r.call.ID == run && !it.apart {
			s.calls.leave(it, halted)
		}
	}
}

// Asked reports whether a run shows what its child is asked to do.
func (s *Runs) Asked(run string) bool {
	it := s.calls.byID[run]
	return it != nil && slices.ContainsFunc(it.children, func(child *item) bool {
		return child.call.Kind == asking && child.call.ID != run+about
	})
}

// TextBelow returns a text that Ask or Tell has shown, and the run that it is below; "" if there is none of that id.
func (s *Runs) TextBelow(id string) (run, text string) {
	if it := s.calls.byID[id]; it != nil && it.parent != nil && it.speech() {
		return it.parent.call.ID, it.text()
	}
	return "", ""
}
