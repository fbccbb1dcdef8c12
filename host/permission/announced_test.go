package permission

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// heard plays an autocommand that answers each request it hears of, if the editor has that then, and nothing else.
type heard struct {
	*testing.T
	q     *Requests
	log   *transcript.Transcript
	of    map[string]int // the version that each request the editor has was announced for
	has   map[string]int // the version of each request that the editor has
	queue []string
}

// step ends a step: it takes the events, each of which must be of a request that the editor has, and new to it.
func (h *heard) step() {
	_, events := h.q.Take()
	has := map[string]int{}
	for _, s := range h.q.Shown() {
		has[s.ID] = s.Version
	}
	for id := range h.of {
		if has[id] == 0 {
			delete(h.of, id)
		}
	}
	for _, e := range events {
		id := e.Data["id"].(string)
		switch {
		case e.Name == "AcpPermissionDone":
			continue
		case has[id] == 0:
			h.Fatalf("%s is announced, and the editor does not have it", id)
		case has[id] == h.of[id]:
			h.Fatalf("version %d of %s is announced twice", has[id], id)
		}
		h.of[id] = has[id]
		h.queue = append(h.queue, id)
	}
	for id := range has {
		if h.of[id] == 0 {
			h.Fatalf("the editor has %s, and nobody was told", id)
		}
	}
	h.has = has
}

// answer answers what was heard of first; late says that the request changes before the host has the answer.
func (h *heard) answer(late bool) {
	if len(h.queue) == 0 {
		return
	}
	id := h.queue[0]
	h.queue = h.queue[1:]
	version := h.has[id]
	if version == 0 { // the editor does not have it, or no more
		return
	}
	if late {
		h.q.Inspect(id, "details")
	}
	if got := h.q.Answer(Answer{ID: id, Option: "y", Version: version}, h.log); got.Counts == late {
		h.Fatalf("the answer to %s counts: %v", id, got.Counts)
	}
	h.step()
}

// AcpPermission is raised for a request once the editor has it, and for each change of what it asks: whoever answers what they hear of
// answers all of any number, whatever order rules leave them to the user in, and whichever change or are withdrawn (behaviour 1486).
func TestAnnounced(t *testing.T) {
	random := rand.New(rand.NewPCG(seedtest.Of(t), 0))
	for range 10 {
		h := &heard{T: t, q: &Requests{Session: "s"}, log: transcript.New(transcript.Options{}), of: map[string]int{}}
		options := []acp.PermissionOption{{OptionID: "y", Kind: acp.AllowOnce}}
		var judged []string
		for i := range 400 {
			switch n := random.IntN(20); {
			case n < 8:
				call := fmt.Sprint("c", i)
				u := &acp.ToolCallUpdate{ToolCallID: call, Kind: acp.ToolKindExecute, Title: &call}
				ticket := h.q.Add(New{Call: call, Own: u, Options: options})
				judged = append(judged, ticket.ID)
			case n < 13 && len(judged) > 0: // rules answer in any order
				i := random.IntN(len(judged))
				h.q.Decide(judged[i], 1, rules.Verdict{Action: "ask"}, nil, h.log)
				judged = slices.Delete(judged, i, i+1)
			case n < 18:
				update := &acp.ToolCallUpdate{ToolCallID: fmt.Sprint("c", random.IntN(i+1))}
				update.RawInput = fmt.Appendf(nil, `{"command": "rm %d"}`, i)
				if random.IntN(3) == 0 {
					update.Status = acp.ToolCallFailed
				}
				h.q.CallChanged(update, h.log)
				for id, version := range h.has {
					if r := h.q.find(id); r != nil && r.version != version {
						delete(h.of, id) // it is asked anew
					}
				}
			case n < 19:
				h.answer(random.IntN(4) == 0)
			default:
				h.q.Inspect(fmt.Sprint("s/", random.IntN(i+1)), "details")
			}
			h.step()
		}
		for _, id := range judged {
			h.q.Decide(id, 1, rules.Verdict{Action: "ask"}, nil, h.log)
			h.step()
		}
		for len(h.queue) > 0 {
			h.answer(false)
		}
		if n := h.q.Len(); n > 0 {
			t.Fatalf("%d requests wait for ever", n)
		}
	}
}
