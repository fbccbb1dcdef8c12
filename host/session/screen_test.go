package session

import (
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/host/unsaved"
)

// What is rendered and highlighted comes after what an agent says: nothing more is worked out while there is something else to draw, and
// neither text nor the end of a turn waits for it.
func TestTextComesFirst(t *testing.T) {
	s, _ := openedWith(t, transcript.Options{Width: 80})
	s.Prompt(Prompt{Text: "one"})
	turn := s.Take().Begin
	s.Send(turn, Skills{}, unsaved.Message{})
	say := func(text string) { s.Update(&acp.AgentMessageChunk{Content: acp.Text(text)}) }
	table := "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
	say(table + table + "and more\n\n")
	s.Update(&acp.ToolCall{ToolCallID: "c", Title: "Look", Status: acp.ToolCallCompleted})
	s.Frame(1 << 20)

	job := s.Screen().Job(nil)
	if job == nil {
		t.Fatal("nothing is to be rendered")
	}
	job.Do()
	say("the last words")
	if s.Screen().Job(job) != nil {
		t.Error("more is rendered while there is text to draw")
	}

	s.EndTurn(turn, acp.StopEndTurn, nil, nil, nil)
	f := s.Frame(1)
	for f.More && f.Status == nil {
		f = s.Frame(1)
	}
	if !f.More {
		t.Error("the turn's end waits for what is rendered")
	}
	s.Frame(1 << 20)
	if s.Screen().Job(nil) == nil {
		t.Error("the other table is not rendered any more")
	}
}

// A running call is drawn as its time goes on, and nothing is where none runs (behaviour 1360).
func TestTick(t *testing.T) {
	s, _ := openedWith(t, transcript.Options{Width: 80})
	s.Prompt(Prompt{Text: "one"})
	s.Send(s.Take().Begin, Skills{}, unsaved.Message{})
	for _, step := range []struct {
		u    acp.SessionUpdate
		want Draw
	}{
		{&acp.AgentMessageChunk{Content: acp.Text("I look.")}, NoDraw},
		{&acp.ToolCall{ToolCallID: "c", Title: "Look", Status: acp.ToolCallInProgress}, Soon},
		{&acp.ToolCallUpdate{ToolCallID: "c", Status: acp.ToolCallCompleted}, NoDraw},
	} {
		s.Update(step.u)
		s.Frame(1 << 20)
		s.Take()
		s.Screen().Tick()
		if got := s.Take().Draw; got != step.want {
			t.Errorf("after %T: got %v, want %v", step.u, got, step.want)
		}
	}
}
