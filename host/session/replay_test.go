package session

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/agents"
	"github.com/nvim-acp/nvim-acp/host/record"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/internal/seedtest"
)

func said(text string) acp.SessionUpdate { return &acp.AgentMessageChunk{Content: acp.Text(text)} }

func called(id string, status acp.ToolCallStatus) acp.SessionUpdate {
	return &acp.ToolCall{ToolCallID: id, Title: "Run " + id, Kind: acp.ToolKindExecute, Status: status}
}

// A call of the running turn that ends while a late replay comes is that turn's: it is neither taken back nor replayed
// (behaviour 1213).
func TestOwnCallInReplay(t *testing.T) {
	s, agent := opened(t)
	p := &play{State: s, agent: agent}
	first := said("The first answer, which has more than forty bytes of text.")
	p.ask("first")
	p.send()
	p.say(first)
	p.end()
	p.kill()

	p.ask("next")
	p.send()
	p.say(called("own", acp.ToolCallInProgress))
	p.say(user("first"), first)
	p.say(called("own", acp.ToolCallCompleted))
	p.say(user("second"), said("The answer that nobody has heard, of more than forty bytes."))
	p.replay.EndLate()
	p.say(said("Done."))
	p.end()

	text := s.screen.log.Blocks().Markdown(transcript.Head{})
	if n := strings.Count(text, "Run own"); n != 1 {
		t.Errorf("its call is shown %d times", n)
	}
	second, own := strings.Index(text, "nobody has heard"), strings.Index(text, "Run own")
	if second < 0 || own < second || strings.Index(text, "Done.") < own {
		t.Errorf("what was replayed is not above the turn:\n%s", text)
	}
}

// Of what is replayed late no time is said, or listed: it is not known (behaviour 1345).
func TestLateReplayHasNoTimes(t *testing.T) {
	now := time.Unix(1000, 0)
	s, agent := openedWith(t, transcript.Options{Now: func() time.Time { return now }})
	p := &play{State: s, agent: agent}
	p.ask("first")
	p.send()
	p.end()
	p.kill()

	now = now.Add(100 * time.Second)
	p.say(user("first"), said("Yes."), user("second"), &acp.AgentThoughtChunk{Content: acp.Text("Hmm.")})
	p.say(called("a", acp.ToolCallInProgress))
	now = now.Add(90 * time.Second)
	p.say(&acp.ToolCallUpdate{ToolCallID: "a", Status: acp.ToolCallCompleted})
	p.replay.EndLate()
	now = now.Add(90 * time.Second)

	var lines []string
	for _, op := range s.Frame(1 << 20).Ops {
		lines = append(lines, op.Lines...)
		lines = append(lines, fmt.Sprint(op.Virt))
	}
	text := strings.Join(lines, "\n")
	for _, word := range []string{"Thought for", " 90 s", "1:30", " 1 m", "3:00", "3 m"} {
		if strings.Contains(text, word) {
			t.Errorf("%q is said:\n%s", word, text)
		}
	}
	if !strings.Contains(text, "Thought") || !strings.Contains(text, "Run a") {
		t.Errorf("what is replayed is not shown:\n%s", text)
	}
	moments := s.screen.log.Blocks().Moments()
	if len(moments) != 2 || moments[0].Time.IsZero() || !moments[1].Time.IsZero() {
		t.Errorf("moments %+v", moments)
	}
}

// What is shown is said to be restored from the record once, though the host that had the session has ended, and the agent loads it.
func TestRestoredIsSaidOnce(t *testing.T) {
	for _, lost := range []bool{false, true} {
		s := New(Config{
			ID: "s", Agent: Agent{Name: "agent", Title: "Agent"}, Remote: "remote", Lost: lost,
			NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) },
		})
		s.Restore(record.Record{Entries: []record.Entry{{Time: 1, ID: "1", Role: record.User, Text: "hello"}}})
		s.link.Claim()
		s.Connect(new(agents.Agent))
		s.replay.Load()
		s.Update(user("hello"))
		s.Reopened(Opened{})
		text := s.screen.log.Blocks().Markdown(transcript.Head{})
		if n := strings.Count(text, "restored from local history"); n != 1 {
			t.Errorf("lost %v: it is said %d times:\n%s", lost, n, text)
		}
		if got := strings.Contains(text, "ended here"); got != lost {
			t.Errorf("lost %v: the end is said: %v", lost, got)
		}
	}
}

// A session keeps what it has while it is loaded again, until that has succeeded: what is said of it in the middle of a replay was so once
// (behaviour 1630).
func TestCutReplay(t *testing.T) {
	modes := acp.SessionModeState{CurrentModeID: "ask", AvailableModes: []acp.SessionMode{{ID: "ask"}, {ID: "code"}}}
	for _, end := range []string{"lost", "failed", "asked again", "loaded"} {
		t.Run(end, func(t *testing.T) {
			s, agent := opened(t)
			s.options.init(&modes, nil, nil)
			say := func(used uint64, title, command string) {
				s.Update(&acp.UsageUpdate{Used: used, Size: 1000})
				s.Update(&acp.SessionInfoUpdate{Title: acp.Some(title)})
				s.Update(&acp.AvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{{Name: command}}})
			}
			has := func() string {
				mode := s.options.Current(acp.CategoryMode)
				return fmt.Sprint(s.spending.shown().Used, s.titles.Title(), s.offers.commands[0].Name, mode.ID)
			}
			say(9, "now", "new")
			before := has()

			s.Lost(agent, errors.New("gone"), false)
			s.link.Claim()
			s.Connect(agent)
			s.replay.Load()
			s.Update(user("hello"))
			say(500, "then", "old")
			s.Update(&acp.CurrentModeUpdate{CurrentModeID: "code"})
			if got := has(); got != before {
				t.Errorf("while it is loaded: %s, not %s", got, before)
			}
			switch end {
			case "lost":
				s.Lost(agent, errors.New("gone"), false)
			case "failed":
				s.Failed(agent, errors.New("no"), "", nil)
			case "asked again":
				s.DropReplay()
			case "loaded":
				s.Reopened(Opened{Modes: &modes})
				before = fmt.Sprint(500, "then", "old", "ask")
			}
			if got := has(); got != before {
				t.Errorf("got %s, want %s", got, before)
			}
		})
	}
}

// copied goes on with a copy of a session.
func (p *play) copied(t *testing.T) *play {
	t.Helper()
	p.record(true)
	rec, err := record.Read(bytes.NewReader(p.file))
	if err != nil {
		t.Fatal(err)
	}
	s := New(Config{ID: "copy", Fork: "remote", NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) }})
	s.Inherit(rec, "")
	s.link.Claim()
	s.Connect(p.agent)
	s.Began(p.agent, "copy", Opened{Copied: true})
	return &play{State: s, agent: p.agent}
}

// What an agent repeats of a conversation as it copies that, before the copy is ready, before its first prompt or with that, is in the copy
// once: all there is to see is what is said in it (behaviour 1500).
func TestCopiesReplayed(t *testing.T) {
	seed := seedtest.Of(t)
	for n := range uint64(*sequences / 10) {
		r := &talker{Rand: rand.New(rand.NewPCG(seed, n))}
		s, agent := opened(t)
		p := &play{State: s, agent: agent}
		var replay []acp.SessionUpdate
		for range 1 + r.IntN(3) {
			e := r.exchange()
			p.ask(e.prompt)
			p.send()
			p.say(e.says...)
			p.end()
			replay = append(append(replay, r.asked(e.prompt)...), r.cutTexts(e.replay)...)
		}
		got, want := p.copied(t), p.copied(t)
		next := r.exchange()
		next.prompt = "next"

		want.Ready(agent, Capabilities{}, nil, nil)
		want.ask(next.prompt)
		want.send()
		want.say(next.says...)
		want.end()

		ready := r.IntN(len(replay) + 1)
		asked := ready + r.IntN(len(replay)-ready+1)
		got.say(replay[:ready]...)
		got.Ready(agent, Capabilities{}, nil, nil)
		got.say(replay[ready:asked]...)
		got.ask(next.prompt)
		got.send()
		got.say(replay[asked:]...)
		got.say(r.asked(next.prompt)...)
		got.say(next.says...)
		got.end()
		for _, p := range []*play{got, want} {
			p.say(said("By itself."))
		}

		if a, b := shown(got.screen.log), shown(want.screen.log); a != b {
			t.Fatalf("conversation %d: got\n%s\nwant\n%s\nafter\n%s", n, a, b, strings.Join(got.steps, "\n"))
		}
	}
}

// What an agent repeats as it is asked to go on without a replay adds what is lacking. Where it cannot go on, nothing of that is shown
// (behaviour 1500).
func TestResumeReplayed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []acp.SessionUpdate
		fails  bool
		want   string
	}{
		{"a replay", []acp.SessionUpdate{user("first"), said("Yes, and more.")}, false, "##Youfirst##AgentYes,andmore."},
		{"no replay", []acp.SessionUpdate{said("later")}, false, "##Youfirst##AgentYeslater"},
		{"it fails", []acp.SessionUpdate{user("first"), said("Yes, and more.")}, true, "##Youfirst##AgentYes"},
	} {
		s, agent := opened(t)
		p := &play{State: s, agent: agent}
		p.ask("first")
		p.send()
		p.say(said("Yes"))
		p.end()
		s.Detach(agent, time.Now().Add(time.Hour))
		s.link.Claim()
		s.Connect(agent)
		s.replay.Unasked()
		p.say(tt.before...)
		if tt.fails {
			s.DropReplay()
		} else {
			s.Reopened(Opened{})
			s.replay.EndLate()
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := shown(s.screen.log); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
