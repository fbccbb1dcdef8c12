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

// runKind is the kind of the call that a run is shown as.
const runKind acp.ToolKind = "_session"

// asking is the kind of items that are no calls: what a child is asked to do.
const asking acp.ToolKind = "_asking"

// Statuses of runs that are not the protocol's.
const (
	RunStopped = "stopped"       // it ended before its work was done
	RunUnsure  = "state unknown" // its agent does not say whether it goes on
)

// ofChild begins the ids of all calls that a child has, and no id that an agent would use itself.
const ofChild = "\x00"

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

// ShowRun shows a run, which is new or has changed.
func (t *Transcript) ShowRun(r Run) {
	it := t.calls[r.ID]
	if it == nil {
		it = t.newItem(r.ID, t.calls[r.Below])
	}

	c := it.call
	c.Kind, c.Title = runKind, cmp.Or(r.Title, c.Title, "Subagent")
	c.Status, c.reported, c.waits, c.stops = r.Status, r.Status, r.Waits, r.Stops
	c.Content = nil
	if r.Why != "" {
		c.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text(r.Why)}}
	}

	it.waits(r.Waits, t.opts.Now())
	if c.finished() {
		t.finish(it)
	} else {
		it.ended = time.Time{}
	}

	t.touchItem(it)
}

// HasRun reports whether there is a run, and whether it is over.
func (t *Transcript) HasRun(id string) (there, over bool) {
	it := t.calls[id]
	return it != nil, it != nil && it.call.finished()
}

// Under applies an update of a child, whose ids of calls are those of the transcript, below a run of it. It reports whether the
// transcript shows the update.
func (t *Transcript) Under(run string, u acp.SessionUpdate) bool {
	it := t.calls[run]
	if it == nil {
		return false
	}

	t.below = it
	defer func() { t.below = nil }()
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		t.sayIn(it, Agent, contentText(u.Content), u.MessageID)
	case *acp.AgentThoughtChunk:
		t.sayIn(it, Thought, contentText(u.Content), u.MessageID)
	case *acp.ToolCall:
		t.toolCall(u)
	case *acp.ToolCallUpdate:
		t.toolCallUpdate(u)
	case *acp.Plan:
		t.note(it, run+"/plan", saying, planText(u))
	case *acp.Notice:
		t.note(it, run+"/"+strconv.Itoa(t.items+1), thinking, strings.TrimSpace(u.Title+"\n"+u.Description))
	case *acp.CompactionUpdate:
		if u.Status == acp.CompactionCompleted {
			t.note(it, run+"/compaction/"+u.CompactionID, thinking, "Compacted the conversation")
		}
	default:
		return false
	}

	return true
}

// about ends the id of what is said of a child's work, which is short for what it is asked, as a rule.
const about = "/about"

// About shows, below a run, what its child is for, unless that begins what it is asked to do.
func (t *Transcript) About(run, text string) { t.tell(run, run+about, asking, text) }

// Ask shows, below a run, what the child is asked to do. The id is that of an earlier text that it replaces, or a new one.
func (t *Transcript) Ask(run, id, text string) { t.tell(run, id, asking, text) }

// Tell shows a text below a run, among what its child says. The id is as for Ask.
func (t *Transcript) Tell(run, id, text string) { t.tell(run, id, saying, text) }

func (t *Transcript) tell(run, id string, kind acp.ToolKind, text string) {
	if it := t.calls[run]; it != nil {
		t.note(it, id, kind, text)
	}
}

// note shows a text below a run, in place of one with the same id.
func (t *Transcript) note(run *item, id string, kind acp.ToolKind, text string) {
	text = strings.TrimSpace(text)
	it := t.calls[id]
	if it == nil {
		if text == "" {
			return
		}
		it = t.newItem(id, run)
		it.call.Title, it.call.Kind, it.call.Status = strings.TrimPrefix(string(kind), "_"), kind, string(acp.ToolCallCompleted)
	}

	it.call.Content = []acp.ToolCallContent{&acp.Content{Content: acp.Text(plain.Cut(text, maxSaid))}}
	it.parent.stale = true
	t.touchItem(it)
	if it = t.calls[run.call.ID+about]; it != nil {
		it.stale = true
	}
}

// retold reports whether an item says of a child what it is asked to do, or how that begins.
func (it *item) retold() bool {
	if it.parent == nil || it.call.ID != it.parent.call.ID+about {
		return false
	}
	text := strings.TrimRight(plain.Words(it.text()), " .…")
	return slices.ContainsFunc(it.parent.children, func(o *item) bool {
		return o != it && o.call.Kind == asking && strings.HasPrefix(plain.Words(o.text()), text)
	})
}

// Repeats reports whether a text is what the child of a run has said last, or the beginning of that.
func (t *Transcript) Repeats(run, text string) bool {
	it := t.calls[run]
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
func (t *Transcript) sayIn(run *item, kind Kind, text, message string) {
	if n := len(run.children); n > 0 && message != "" && run.children[n-1].message != message {
		run.children[n-1].over = true
	}
	t.say(run, kind, text)
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
func (t *Transcript) EndRunCalls(run string, halted bool) {
	for it := range t.live {
		if r := it.run(); it.call.Kind != runKind && r != nil && r.call.ID == run && !it.apart {
			t.leave(it, halted)
		}
	}
}

// RunAt returns the id of the run that a part of a block is, or is below of; "" if there is none.
func (t *Transcript) RunAt(block, part string) string {
	b := t.byID[block]
	if b == nil {
		return ""
	}
	it := itemOf(b.items, strings.TrimPrefix(part, "g")) // a group is where its first call is
	if it != nil && it.call.Kind != runKind {
		it = it.run()
	}
	if it == nil {
		return ""
	}
	return it.call.ID
}

// run returns the nearest run above an item, nil if there is none.
func (it *item) run() *item {
	for it = it.parent; it != nil; it = it.parent {
		if it.call.Kind == runKind {
			return it
		}
	}
	return nil
}

// endsWithRun reports whether an item is a run, or below one that goes on: it ends with that, and not with the turn.
func (it *item) endsWithRun() bool {
	r := it.run()
	return it.call.Kind == runKind || r != nil && !r.call.finished()
}

// runStatus is the right-hand text of a run: how many calls, its state, its time.
func (t *Transcript) runStatus(it *item) [][2]string {
	var chunks [][2]string
	switch n := it.calls(); {
	case n == 1:
		chunks = append(chunks, [2]string{"1 call  ", "AcpDone"})
	case n > 1:
		chunks = append(chunks, [2]string{strconv.Itoa(n) + " calls  ", "AcpDone"})
	}

	c := it.call
	if c.Status != string(acp.ToolCallCompleted) {
		word := t.statusWord(it)
		if word[1] == "AcpDone" {
			word[1] = "AcpOutput" // as dim, and goes last
		}
		chunks = append(chunks, [2]string{word[0] + "  ", word[1]})
	}
	if took := took([]*item{it}, t.opts.Now()); c.finished() && took >= time.Second {
		chunks = append(chunks, [2]string{seconds(took), "AcpDone"})
	}
	if n := len(chunks); n > 0 {
		chunks[n-1][0] = strings.TrimRight(chunks[n-1][0], " ")
	}

	return chunks
}

// maxAsked is how many rows are shown of what a child is asked to do; the rest is there for who opens it.
const maxAsked = 3

// askedRows draws what a child is asked to do.
func (t *Transcript) askedRows(it *item) []row {
	if it.retold() {
		return nil
	}
	rows := outputRows(it.text())
	if n := len(rows) - maxAsked; n > 1 {
		rows = append(rows[:maxAsked], dimRow(indent+"… "+strconv.Itoa(n)+" more lines"))
	}
	for i := range rows {
		rows[i] = dimRow("  " + strings.TrimPrefix(rows[i].text, indent))
		rows[i].over(0, t.opts.Icons.Quote, "AcpDone")
	}
	return rows
}

// Asked reports whether a run shows what its child is asked to do.
func (t *Transcript) Asked(run string) bool {
	it := t.calls[run]
	return it != nil && slices.ContainsFunc(it.children, func(child *item) bool { return child.call.Kind == asking && child.call.ID != run+about })
}

// Remark shows a text as a notice, in place of an earlier one with the same id.
func (t *Transcript) Remark(id, text string) {
	b := t.named(id, "")
	b.text = prose{}
	b.text.append(text)
	t.touch(b)
}

// ContentText returns content as readable text, never as encoded bytes.
func ContentText(c acp.ContentBlock) string { return contentText(c) }

// TextBelow returns a text that Ask or Tell has shown, and the run that it is below; "" if there is none of that id.
func (t *Transcript) TextBelow(id string) (run, text string) {
	if it := t.calls[id]; it != nil && it.parent != nil && it.speech() {
		return it.parent.call.ID, it.text()
	}
	return "", ""
}
