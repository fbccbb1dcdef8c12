package terminals

import (
	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
	"github.com/nvim-acp/nvim-acp/terminal"
)

// displayMeta is how some agents stream a command's output: in `_meta` of tool calls (behaviours 92, 134).
type displayMeta struct {
	Info *struct {
		ID string `json:"terminal_id"`
	} `json:"terminal_info"`
	Output *displayOutput `json:"terminal_output"`
	Delta  *displayOutput `json:"terminal_output_delta"`
	Exit   *struct {
		ID     string  `json:"terminal_id"`
		Code   *int    `json:"exit_code"`
		Signal *string `json:"signal"`
	} `json:"terminal_exit"`
}

type displayOutput struct {
	ID   string `json:"terminal_id"`
	Data string `json:"data"`
}

// Story is the transcript that a display terminal is shown in.
type Story interface {
	Call(id string) *transcript.Call
	ShowTerminal(call, terminal string)
}

// Display applies what the `_meta` of a tool call says of display terminals, in whatever order it comes: terminals that are
// new, or were shown by another transcript, are made and put into the call. The caller guards the transcript.
func (s *Set) Display(owner Owner, story Story, call string, meta acp.Meta) {
	if len(meta) == 0 {
		return
	}

	var m displayMeta
	for name, into := range map[string]any{
		"terminal_info": &m.Info, "terminal_output": &m.Output, "terminal_output_delta": &m.Delta, "terminal_exit": &m.Exit,
	} {
		if raw, ok := meta[name]; ok {
			_ = acp.Unmarshal(raw, into) // another shape is not for us
		}
	}

	if m.Info != nil {
		s.display(owner, story, call, m.Info.ID)
	}
	for _, out := range []*displayOutput{m.Output, m.Delta} {
		if out != nil {
			s.display(owner, story, call, out.ID).Feed([]byte(out.Data))
		}
	}

	if m.Exit != nil {
		exit := terminal.ExitStatus{Code: m.Exit.Code}
		if m.Exit.Signal != nil {
			exit.Signal = *m.Exit.Signal
		}
		s.display(owner, story, call, m.Exit.ID).Exit(exit)
	}
}

// displayID is our id of an agent's display terminal.
func displayID(owner Owner, name string) string { return owner.LocalID() + "/" + name }

func (s *Set) display(owner Owner, story Story, call, name string) *Term {
	if name == "" {
		name = call
	}

	line := ""
	if c := story.Call(call); c != nil {
		line = c.Command()
		if line == "" {
			line = c.Heading()
		}
	}

	line = plain.OneLine(line)

	own := transcript.OwnTerminal(call, name)
	t := s.Find(displayID(owner, own))
	if t == nil || !t.continues(story, line) {
		t = s.Find(displayID(owner, name))
		switch {
		case t != nil && t.isAnother(story, call):
			name, t = own, nil
		case t != nil && !t.continues(story, line):
			t = nil
		}
	}
	if t == nil {
		t = newTerm(s, owner, terminal.NewDisplay(terminal.Options{}), displayID(owner, name))
		t.name, t.line, t.display, t.within, t.call = name, line, true, story, call
		s.add(t)
	}

	story.ShowTerminal(call, t.name)
	return t
}

// isAnother reports whether a terminal is that of an earlier call, whose command has ended: agents that begin again give their names again.
func (t *Term) isAnother(story Story, call string) bool {
	_, exit := t.State()
	t.mu.Lock()
	defer t.mu.Unlock()
	return exit != nil && t.within == story && t.call != call
}

// continues reports whether the terminal is shown by a transcript, and if so takes its command's line.
func (t *Term) continues(story Story, line string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.within != story {
		return false
	}
	t.line = line
	return true
}
