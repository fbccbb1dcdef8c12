package host

import (
	"context"
	"fmt"
	"hash/maphash"
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
	version int           // counts what the user is shown and what rules and functions are given
	gist    uint64        // of that, as far as it is the call's
	offered string        // the text that the user was given to change
	details bool          // the raw request is shown too
	file    int           // of several diffs the one shown
	diff    *acp.Diff     // of a question of ours: what would be written
	turn    *turn         // in which it was asked; nil outside of any
	shown   bool          // the rules have left it to the user
	why     string        // why they have
	form    *elicit
	rules   []rules.Rule // that have left it to the user
	views   map[*acp.Diff]*transcript.DiffView
	parsed  string   // the command that doubts are about
	doubts  [][2]int // its parts that ask for a look, in bytes
	chosen  string   // name of the option, once it is answered
}

// answer is the option chosen, or "" when the question was taken back.
type answer struct{ option string }

// requestPermission takes a request in, in wire order: the call it is about is known and shown from here on.
func (s *Session) requestPermission(r *acp.RequestPermissionRequest) acp.Answer[*acp.RequestPermissionResponse] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replay != nil || s.turn != nil && s.turn.cancelled { // of a replay, or too late
		s.story().Apply(&r.ToolCall)
		return acp.Reply(acp.PermissionCancelled(), nil)
	}
	s.log.Permission(&r.ToolCall)
	a := s.newAsk(r.Options)
	a.call, a.raw = r.ToolCall.ToolCallID, acp.Raw(mustJSON(r))
	a.gist = s.gist(a)
	s.callChanged(a.call, "") // what else is asked about the call may look different now
	ruled := s.ruled()
	if !ruled {
		s.show1(a)
		s.hurry()
	}
	return func(ctx context.Context) (*acp.RequestPermissionResponse, error) {
		go a.answered(ctx)
		if ruled {
			s.judged(a)
		}
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
		answer: make(chan answer, 1), sent: make(chan struct{}), version: 1, turn: s.turn,
	}
	s.asks = append(s.asks, a)
	s.askNew, s.status = true, true
	return a
}

// heading is what an ask is about, on one line. s.mu is held.
func (s *Session) heading(a *ask) string {
	if c := s.log.Call(a.call); c != nil {
		return c.Heading()
	}
	return a.title
}

// show1 leaves an ask to the user. s.mu is held.
func (s *Session) show1(a *ask) {
	s.askNew = true
	if a.shown {
		return
	}
	a.shown = true
	title := s.heading(a)
	options := []option{}
	for _, o := range a.options {
		options = append(options, optionOf(o))
	}
	s.emit("AcpPermission", map[string]any{"id": a.id, "title": title, "options": options})
}

func optionOf(o acp.PermissionOption) option {
	return option{ID: o.OptionID, Name: transcript.Brief(o.Name), Kind: transcript.Brief(string(o.Kind))}
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
		if a.chosen != "" && !rejected {
			s.log.Allowed(a.call)
		}
	}
	answer := a.chosen
	if answer == "" {
		answer = "taken back"
	}
	s.log.Decided(a.id, s.heading(a), answer)
	s.emit("AcpPermissionDone", map[string]any{"id": a.id})
}

// dropAsks answers what is pending of a turn as taken back, or of a nil turn everything, and returns what tells when the
// answers are on their way. s.mu is held.
func (s *Session) dropAsks(t *turn) []<-chan struct{} {
	var sent []<-chan struct{}
	for _, a := range slices.Clone(s.asks) {
		if t != nil && a.turn != t {
			continue
		}
		s.drop(a, false)
		a.answer <- answer{}
		sent = append(sent, a.sent)
	}
	return sent
}

// counts reports whether an answer is to what is asked now: to the same version, or one that took the user a while and holds
// for the new one too: a text for the same proposal, a rejection with a reason. s.mu is held.
func (s *Session) counts(a *ask, p permitArgs) bool {
	rejects := slices.ContainsFunc(a.options, func(o acp.PermissionOption) bool {
		return o.OptionID == p.Option && strings.HasPrefix(string(o.Kind), "reject")
	})
	return a.version == p.Version || s.asksFor(a, p) || p.Reason != "" && rejects
}

// permit answers as the user chose, and reports whether the answer counts: one to something that looked different, or that was
// answered, does not, and whoever was asked is asked again.
func (s *Session) permit(p permitArgs) (counts bool) {
	s.change(func() {
		s.askNew = true
		i := slices.IndexFunc(s.asks, func(a *ask) bool { return a.id == p.ID })
		if i < 0 || !s.counts(s.asks[i], p) {
			s.unsettled(p, i)
			return
		}
		a := s.asks[i]
		o := slices.IndexFunc(a.options, func(o acp.PermissionOption) bool { return o.OptionID == p.Option })
		if o < 0 {
			return
		}
		a.chosen = transcript.OneLine(a.options[o].Name)
		s.drop(a, strings.HasPrefix(string(a.options[o].Kind), "reject"))
		if p.Changed {
			s.accept(a, p.Text)
			go func() { _ = s.host.ed.ExecLua(luaSettled, nil, a.id) }() // ends when Neovim answers or goes away
		}
		if p.Reason != "" {
			s.notes = append(s.notes, fmt.Sprintf("Note from the user, who rejected %q: %s", s.heading(a), p.Reason))
			s.log.Say("rejected: "+transcript.OneLine(p.Reason), "AcpDone")
		}
		if p.By != "user" {
			s.log.Answered(a.options[o].Name, "by your permission function")
		}
		a.answer <- answer{p.Option}
		counts = true
	})
	return counts
}

// callChanged shows a changed tool call where its permission is asked; one that is over asks no more. s.mu is held.
func (s *Session) callChanged(call string, status acp.ToolCallStatus) {
	for _, a := range slices.Clone(s.asks) {
		if a.call != call {
			continue
		}
		if status == acp.ToolCallCompleted || status == acp.ToolCallFailed {
			s.drop(a, false)
			a.answer <- answer{}
			continue
		}
		if gist := s.gist(a); gist != a.gist {
			a.gist, s.askNew = gist, true
			a.version++
		}
	}
}

var gistSeed = maphash.MakeSeed()

// gist stands for all that an ask says of its call, to the user, to rules and to the permission function. Some agents repeat a
// call right after they have asked about it, and an answer that is under way then still counts. s.mu is held.
func (s *Session) gist(a *ask) uint64 {
	c := s.log.Call(a.call)
	if c == nil {
		return 0
	}
	r, _ := s.ruleRequest(a)
	var h maphash.Hash
	h.SetSeed(gistSeed)
	fmt.Fprintf(&h, "%q %q %q %q %q", r, c.Title, c.Heading(), c.Texts(), c.Inputs())
	fmt.Fprintf(&h, "%q %q", c.Server, c.Questions())
	for _, l := range c.Locations {
		fmt.Fprintf(&h, "%q ", l.Path)
	}
	for _, d := range c.Diffs() {
		fmt.Fprintf(&h, "%q %t %q ", d.Path, d.OldText == nil, d.NewText)
		if d.OldText != nil {
			fmt.Fprintf(&h, "%q ", *d.OldText)
		}
	}
	return h.Sum64()
}
