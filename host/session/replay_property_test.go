package session

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

// exchange is a prompt, and what an agent says and does in its turn, as it does so and as it replays that.
type exchange struct {
	prompt       string
	says, replay []acp.SessionUpdate
}

// talker makes conversations in which nothing is said twice but prompts.
type talker struct {
	*rand.Rand
	words, calls int
}

func (r *talker) exchange() exchange {
	e := exchange{prompt: fmt.Sprintf("ask %d", r.words)}
	if r.IntN(4) == 0 {
		e.prompt = "continue"
	}
	planned := false
	for range 1 + r.IntN(5) {
		switch r.IntN(5) {
		case 0:
			r.calls++
			path := fmt.Sprintf("/f%d", r.calls)
			call := &acp.ToolCall{
				ToolCallID: fmt.Sprint("c", r.calls), Title: "Edit " + path, Kind: acp.ToolKindEdit, Status: acp.ToolCallCompleted,
				Content: []acp.ToolCallContent{&acp.Diff{Path: path, NewText: "a\n"}},
			}
			begun := &acp.ToolCall{ToolCallID: call.ToolCallID, Title: call.Title, Kind: call.Kind, Status: acp.ToolCallInProgress}
			e.says, e.replay = append(e.says, begun, call.Update()), append(e.replay, call)
			continue
		case 1:
			e.says = append(e.says, &acp.AgentThoughtChunk{Content: acp.Text(r.text("thought"))})
		case 2:
			if planned {
				continue
			}
			planned = true
			plan := &acp.Plan{}
			for range 1 + r.IntN(3) {
				r.words++
				plan.Entries = append(plan.Entries, acp.PlanEntry{Content: fmt.Sprint("step ", r.words), Status: acp.PlanCompleted})
			}
			e.says = append(e.says, plan)
		default:
			e.says = append(e.says, &acp.AgentMessageChunk{Content: acp.Text(r.text("word"))})
		}
		e.replay = append(e.replay, e.says[len(e.says)-1])
	}
	return e
}

func (r *talker) text(word string) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		r.words++
		fmt.Fprintf(&b, "%s%d and more. ", word, r.words)
	}
	return b.String()
}

// cutText cuts some texts in pieces, as streams do.
func (r *talker) cutTexts(list []acp.SessionUpdate) (out []acp.SessionUpdate) {
	for _, u := range list {
		c, ok := u.(*acp.AgentMessageChunk)
		if !ok || r.IntN(2) == 0 {
			out = append(out, u)
			continue
		}
		text := c.Content.(*acp.TextContent).Text
		at := r.IntN(len(text))
		out = append(out, &acp.AgentMessageChunk{Content: acp.Text(text[:at])}, &acp.AgentMessageChunk{Content: acp.Text(text[at:])})
	}
	return out
}

// play is a session, and those who use it.
type play struct {
	*State
	agent *agents.Agent
	turn  *Turn
	file  []byte // the record
	steps []string
}

func (p *play) record(all bool) {
	for _, e := range p.Unsaved(all).Entries {
		p.file = record.Append(p.file, e)
	}
}

// say applies updates of the agent's; of the last part of a call the agent announces it first in a turn of its own.
func (p *play) say(list ...acp.SessionUpdate) {
	for _, u := range list {
		p.steps = append(p.steps, fmt.Sprintf("%T %v", u, describe(u)))
		p.Update(u)
		p.Take()
	}
}

func describe(u acp.SessionUpdate) string {
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		return u.Content.(*acp.TextContent).Text
	case *acp.AgentMessageChunk:
		return u.Content.(*acp.TextContent).Text
	case *acp.AgentThoughtChunk:
		return u.Content.(*acp.TextContent).Text
	case *acp.ToolCall:
		return u.Title
	case *acp.Plan:
		return fmt.Sprint(u.Entries)
	}
	return ""
}

// known reports whether it can be known what an update is that follows a silence: few words may be anybody's, and so may a plan.
func known(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.AgentMessageChunk, *acp.AgentThoughtChunk:
		return len(describe(u)) > 40
	case *acp.Plan:
		return false
	}
	return true
}

// within reports whether the first two of some updates are of one prompt.
func within(list []acp.SessionUpdate) bool {
	_, first := list[0].(*acp.UserMessageChunk)
	_, second := list[1].(*acp.UserMessageChunk)
	return first && second
}

func (p *play) ask(prompt string) {
	p.steps = append(p.steps, "prompt "+prompt)
	p.State.Prompt(Prompt{Text: prompt})
	p.turn = p.Take().Begin
}

func (p *play) send() {
	p.steps = append(p.steps, "sent")
	p.Send(p.turn, Skills{}, unsaved.Message{})
}

func (p *play) end() {
	p.steps = append(p.steps, "end")
	p.EndTurn(p.turn, acp.StopEndTurn, nil, nil, nil)
	p.Take()
}

// kill has the agent end, and begin again with the session.
func (p *play) kill() {
	p.steps = append(p.steps, "killed")
	p.Lost(p.agent, io.EOF, false)
	p.agent = new(agents.Agent)
	p.link.Claim()
	p.Connect(p.agent)
	p.replay.Load()
	p.Reopened(Opened{})
	p.Ready(p.agent, Capabilities{}, nil, nil)
	p.Take()
}

// shown is what a transcript has, without white space, and thoughts that follow each other as one.
func shown(log *transcript.Transcript) string {
	text := strings.Join(strings.Fields(log.Blocks().Markdown(transcript.Head{})), "")
	return strings.ReplaceAll(text, "</details><details><summary>Thought</summary>", "")
}

// asked is a prompt as an agent repeats it, in one piece or more.
func (r *talker) asked(prompt string) (out []acp.SessionUpdate) {
	for r.IntN(3) == 0 && len(prompt) > 1 {
		at := 1 + r.IntN(len(prompt)-1)
		out = append(out, user(prompt[:at]))
		prompt = prompt[at:]
	}
	return append(out, user(prompt))
}

func user(text string) acp.SessionUpdate { return &acp.UserMessageChunk{Content: acp.Text(text)} }

// A replay of what nobody has heard of a turn whose agent was killed comes late, in any pieces, before, in or after the next turn's own
// words: what is shown and recorded, and what is counted of the next turn, is what it would be if all had been heard in time
// (behaviours 803, 1212, 1213, 1428).
func TestLateReplays(t *testing.T) {
	seed := seedtest.Of(t)
	for n := range uint64(*sequences / 2) {
		r := &talker{Rand: rand.New(rand.NewPCG(seed, n))}
		s, agent := opened(t)
		got := &play{State: s, agent: agent}
		s, agent = opened(t)
		want := &play{State: s, agent: agent}

		// The turns of before, of the last of which not all is heard.
		var past []exchange
		heard := 0
		turns := 1 + r.IntN(3)
		for i := range turns {
			past = append(past, r.exchange())
			e := past[i]
			for _, p := range []*play{got, want} {
				p.ask(e.prompt)
				p.send()
			}
			if i < turns-1 || i > 0 && r.IntN(2) == 0 {
				got.say(e.says...)
				want.say(e.says...)
				got.end()
				want.end()
				heard = len(e.says)
				continue
			}
			heard = r.IntN(len(e.says) + 1)
			got.say(e.says[:heard]...)
			want.say(e.says...)
			break
		}
		last := past[len(past)-1]
		whole := got.Turn() == nil // nothing of it is missing
		got.kill()
		want.kill()

		// What the agent replays, and what it says next.
		var replay []acp.SessionUpdate
		for _, e := range past {
			replay = append(append(replay, r.asked(e.prompt)...), r.cutTexts(e.replay)...)
		}
		next := r.exchange()
		if next.prompt == past[0].prompt {
			next.prompt += " then"
		}
		echoes := r.IntN(2) == 0 || !whole && heard < len(last.says)

		want.ask(next.prompt)
		want.send()
		want.say(next.says...)
		want.end()

		// Where the replay is: it begins before the prompt, before that is sent, behind some of the agent's words, or when the turn is over.
		var sent int
		asked, ended := r.IntN(len(replay)+1), len(replay)+1
		before := 0
		switch r.IntN(4) {
		case 0: // in the turn, all of it
			asked, sent, before = 0, 0, r.IntN(len(next.says)+1)
		case 1: // up to its sending
			sent = asked + r.IntN(len(replay)-asked+1)
		case 2:
			sent = asked
		default:
			asked, sent, before, ended = 0, 0, len(next.says), 0
		}
		if ended == 0 {
			echoes = false
		}

		for i := range len(replay) + 1 {
			if i == asked {
				got.ask(next.prompt)
			}
			if i == sent || i == len(replay) && sent > i {
				got.send()
				got.say(next.says[:before]...)
				if i == ended {
					got.end()
				}
			}
			if i == len(replay) {
				break
			}
			got.say(replay[i])
			if r.IntN(6) == 0 {
				got.record(r.IntN(2) == 0)
			}
			if r.IntN(6) == 0 && got.Turn() == nil && (i+1 == len(replay) || known(replay[i+1]) && !within(replay[i:])) {
				got.steps = append(got.steps, "silence")
				got.replay.EndLate()
			}
		}
		if echoes {
			got.say(r.asked(next.prompt)...)
		}
		if ended != 0 {
			got.say(next.says[before:]...)
			got.end()
		}
		got.replay.EndLate() // in the end there is silence
		got.record(true)

		if a, b := shown(got.screen.log), shown(want.screen.log); a != b {
			t.Fatalf("conversation %d: got\n%s\nwant\n%s\nafter\n%s", n, a, b, strings.Join(got.steps, "\n"))
		}
		rec, err := record.Read(bytes.NewReader(got.file))
		if err != nil {
			t.Fatal(err)
		}
		again := transcript.New(transcript.Options{})
		again.Restore(rec.Entries)
		if a, b := shown(again), shown(want.screen.log); a != b {
			t.Fatalf("conversation %d: the record has\n%s\nwant\n%s\nafter\n%s", n, a, b, strings.Join(got.steps, "\n"))
		}
	}
}
