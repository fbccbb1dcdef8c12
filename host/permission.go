package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// ask is something the user must decide. It waits for as long as it takes.
type ask struct {
	id      string
	at      time.Time
	call    string // tool call it is about, "" for a question of ours
	title   string
	kind    string
	raw     acp.Raw
	lines   []string // of a question of ours
	options []acp.PermissionOption
	answer  chan answer   // size 1
	sent    chan struct{} // closed when the agent's answer is on its way; of a question of ours, from the beginning
	version int
	details bool
	shown   bool   // the rules have left it to the user
	why     string // why they have
	form    *elicit
}

// answer is the option chosen, or "" when the question was taken back.
type answer struct{ option string }

// permission is an ask as the user is shown it.
type permission struct {
	ID      string         `msgpack:"id"`
	At      int64          `msgpack:"at"` // microseconds, for the order across sessions
	Version int            `msgpack:"version"`
	Title   string         `msgpack:"title"`
	Label   string         `msgpack:"label"`
	Lines   []string       `msgpack:"lines"`
	Marks   []any          `msgpack:"marks,omitempty"`
	Whole   bool           `msgpack:"whole"`
	Options []option       `msgpack:"options"`
	Why     string         `msgpack:"why"`     // why the rules left it to the user
	Suggest []string       `msgpack:"suggest"` // rules that would allow it
	Form    *shownForm     `msgpack:"form,omitempty"`
	Request map[string]any `msgpack:"request"`
}

type option struct {
	ID   string `msgpack:"id"`
	Name string `msgpack:"name"`
	Kind string `msgpack:"kind"`
}

// requestPermission takes a request in, in wire order: the call it is about is known and shown from here on.
func (s *Session) requestPermission(r *acp.RequestPermissionRequest) acp.Answer[*acp.RequestPermissionResponse] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil && s.turn.cancelled {
		s.log.Apply(&r.ToolCall)
		return acp.Reply(acp.PermissionCancelled(), nil)
	}
	s.log.Permission(&r.ToolCall)
	a := s.newAsk(r.Options)
	a.call, a.raw = r.ToolCall.ToolCallID, acp.Raw(mustJSON(r))
	return func(ctx context.Context) (*acp.RequestPermissionResponse, error) {
		go a.answered(ctx)
		s.judged(a)
		choice, err := s.await(ctx, a)
		if err != nil {
			return nil, err
		}
		if choice == "" {
			return acp.PermissionCancelled(), nil
		}
		return acp.PermissionSelected(choice), nil
	}
}

// answered makes it known when the answer has its place on the wire. It ends then.
func (a *ask) answered(ctx context.Context) {
	<-acp.Sent(ctx)
	close(a.sent)
}

func mustJSON(v any) []byte {
	out, err := acp.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}

// newAsk makes an ask and puts it at the end of what is pending. s.mu is held.
func (s *Session) newAsk(options []acp.PermissionOption) *ask {
	s.askN++
	a := &ask{
		id: s.id + "/" + strconv.Itoa(s.askN), at: time.Now(), options: options,
		answer: make(chan answer, 1), sent: make(chan struct{}), version: 1,
	}
	s.asks = append(s.asks, a)
	s.askNew, s.status = true, true
	return a
}

// show1 leaves an ask to the user. s.mu is held.
func (s *Session) show1(a *ask) {
	s.askNew = true
	if a.shown {
		return
	}
	a.shown = true
	title := a.title
	if c := s.log.Call(a.call); c != nil {
		title = c.Heading()
	}
	options := []option{}
	for _, o := range a.options {
		options = append(options, optionOf(o))
	}
	s.emit("AcpPermission", map[string]any{"id": a.id, "title": title, "options": options})
}

func optionOf(o acp.PermissionOption) option {
	return option{ID: o.OptionID, Name: transcript.OneLine(o.Name), Kind: transcript.OneLine(string(o.Kind))}
}

// await waits for the user, or for the one who asked to give up.
func (s *Session) await(ctx context.Context, a *ask) (string, error) {
	select {
	case got := <-a.answer:
		return got.option, nil
	case <-ctx.Done():
	}
	s.change(func() { s.drop(a, false) })
	select {
	case got := <-a.answer: // it was answered at the same moment
		return got.option, nil
	default:
		return "", ctx.Err()
	}
}

// drop takes a pending ask away; rejected says how it was answered. s.mu is held.
func (s *Session) drop(a *ask, rejected bool) {
	i := slices.Index(s.asks, a)
	if i < 0 {
		return
	}
	s.asks = slices.Delete(s.asks, i, i+1)
	s.askNew, s.status = true, true
	if a.call != "" {
		s.log.PermissionDone(a.call, rejected)
	}
	s.emit("AcpPermissionDone", map[string]any{"id": a.id})
}

// dropAsks answers everything that is pending as taken back, and returns what tells when the answers are on their way.
// s.mu is held.
func (s *Session) dropAsks() []<-chan struct{} {
	var sent []<-chan struct{}
	for _, a := range slices.Clone(s.asks) {
		s.drop(a, false)
		a.answer <- answer{}
		sent = append(sent, a.sent)
	}
	return sent
}

// permit answers as the user chose. An answer to something that looked different, or that was answered, is dropped.
func (s *Session) permit(p permitArgs) {
	s.change(func() {
		s.askNew = true
		i := slices.IndexFunc(s.asks, func(a *ask) bool { return a.id == p.ID && a.version == p.Version })
		if i < 0 {
			return
		}
		a := s.asks[i]
		o := slices.IndexFunc(a.options, func(o acp.PermissionOption) bool { return o.OptionID == p.Option })
		if o < 0 {
			return
		}
		s.drop(a, strings.HasPrefix(string(a.options[o].Kind), "reject"))
		if p.By != "user" {
			s.log.Answered(a.options[o].Name, "by your permission function")
		}
		a.answer <- answer{p.Option}
	})
}

// details shows or hides the raw request.
func (s *Session) details(p permitArgs) {
	s.change(func() {
		for _, a := range s.asks {
			if a.id == p.ID {
				a.details = !a.details
				a.version++
				s.askNew = true
			}
		}
	})
}

// callChanged shows a changed tool call where its permission is asked; one that is over asks no more. s.mu is held.
func (s *Session) callChanged(u *acp.ToolCallUpdate) {
	for _, a := range slices.Clone(s.asks) {
		if a.call != u.ToolCallID {
			continue
		}
		a.version++
		s.askNew = true
		if u.Status == acp.ToolCallCompleted || u.Status == acp.ToolCallFailed {
			s.drop(a, false)
			a.answer <- answer{}
		}
	}
}

// permissions are the pending asks as they are shown. s.mu is held.
func (s *Session) permissions() []permission {
	list := []permission{}
	for _, a := range s.asks {
		if a.shown {
			list = append(list, s.show(a))
		}
	}
	return list
}

func (s *Session) show(a *ask) permission {
	p := permission{ID: a.id, At: a.at.UnixMicro(), Version: a.version, Title: a.title, Lines: a.lines, Options: []option{}, Why: transcript.OneLine(a.why), Suggest: []string{}}
	if r, ok := s.ruleRequest(a); ok {
		for _, rule := range rules.Suggest(r) {
			p.Suggest = append(p.Suggest, transcript.OneLine(strings.Trim(rule.String(), "«»")))
		}
	}
	for _, o := range a.options {
		p.Options = append(p.Options, optionOf(o))
	}
	p.Request = map[string]any{"kind": a.kind, "title": a.title, "options": p.Options}
	if c := s.log.Call(a.call); c != nil {
		s.showCall(&p, c)
	}
	if a.form != nil {
		p.Form = a.form.shown()
	}
	if a.details {
		var raw any
		_ = json.Unmarshal(a.raw, &raw) // it was marshalled here
		text, _ := json.MarshalIndent(raw, "", "  ")
		p.Lines = append(p.Lines, "")
		for _, line := range strings.Split(string(text), "\n") {
			p.Lines = append(p.Lines, " "+transcript.Visible(line))
		}
	}
	return p
}

// showCall says what a tool call would do: the whole command, the diffs, or its title.
func (s *Session) showCall(p *permission, c *transcript.Call) {
	who := transcript.OneLine(s.spec.Title)
	command, diffs := c.Command(), c.Diffs()
	verb := "wants to " + doing(c.Kind)
	paths, changes := []string{}, []map[string]any{}
	switch {
	case len(diffs) > 0:
		verb = "wants to edit " + s.short(diffs[0].Path)
		if len(diffs) > 1 {
			verb = fmt.Sprintf("wants to edit %d files", len(diffs))
		}
		added, deleted := 0, 0
		for _, d := range diffs {
			x, y := transcript.CountDiff(d)
			added, deleted = added+x, deleted+y
			lines, marks := transcript.DiffText(d, 3)
			if len(diffs) > 1 {
				p.Lines = append(p.Lines, " "+s.short(d.Path))
			}
			for i := 0; i < len(marks); i += 4 {
				marks[i] = marks[i].(int) + len(p.Lines)
			}
			p.Marks = append(p.Marks, marks...)
			for _, line := range lines {
				p.Lines = append(p.Lines, transcript.Visible(line))
			}
			paths = append(paths, d.Path)
			changes = append(changes, map[string]any{"path": d.Path, "old": d.OldText, "new": d.NewText})
		}
		p.Label = fmt.Sprintf("+%d −%d", added, deleted)
	case command != "":
		verb = "wants to run a command"
		for _, line := range strings.Split(transcript.Visible(command), "\n") {
			p.Lines = append(p.Lines, "  "+line)
		}
		p.Lines = append(p.Lines, "  in "+transcript.OneLine(s.cwd))
		p.Marks = append(p.Marks, len(p.Lines)-1, 0, len(p.Lines[len(p.Lines)-1]), "AcpDone")
		p.Label, p.Whole = fmt.Sprintf("%d bytes", len(command)), true
	default:
		p.Lines = append(p.Lines, "  "+c.Heading())
		for _, text := range c.Texts() {
			for _, line := range strings.Split(transcript.Visible(text), "\n") {
				p.Lines = append(p.Lines, "  "+line)
			}
		}
	}
	for _, l := range c.Locations {
		paths = append(paths, l.Path)
	}
	p.Title = who + " " + verb
	p.Request = map[string]any{
		"kind": string(c.Kind), "tool": c.Name, "title": c.Heading(), "command": command, "paths": paths, "diffs": changes, "options": p.Options,
	}
}

func (s *Session) short(path string) string {
	return transcript.OneLine(strings.TrimPrefix(path, s.cwd+"/"))
}

// doing says in words what a kind of tool does.
func doing(kind acp.ToolKind) string {
	switch kind {
	case acp.ToolKindRead:
		return "read"
	case acp.ToolKindEdit:
		return "edit"
	case acp.ToolKindDelete:
		return "delete"
	case acp.ToolKindMove:
		return "move"
	case acp.ToolKindSearch:
		return "search"
	case acp.ToolKindExecute:
		return "run"
	case acp.ToolKindFetch:
		return "fetch"
	case acp.ToolKindSwitchMode:
		return "change its mode"
	}
	return "use a tool"
}
