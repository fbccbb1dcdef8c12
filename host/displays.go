package host

import (
	"encoding/json"

	"github.com/nvim-acp/nvim-acp/acp"
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

// terminalMeta takes in what a tool call's `_meta` says of a display terminal, in any order. s.mu is held.
func (s *Session) terminalMeta(u acp.SessionUpdate) {
	var id string
	var meta acp.Meta
	switch u := u.(type) {
	case *acp.ToolCall:
		id, meta = u.ToolCallID, u.Meta
	case *acp.ToolCallUpdate:
		id, meta = u.ToolCallID, u.Meta
		s.callChanged(u)
	}
	if len(meta) == 0 {
		return
	}
	var m displayMeta
	for name, into := range map[string]any{
		"terminal_info": &m.Info, "terminal_output": &m.Output, "terminal_output_delta": &m.Delta, "terminal_exit": &m.Exit,
	} {
		if raw, ok := meta[name]; ok {
			_ = json.Unmarshal(raw, into) // another shape is not for us
		}
	}
	if m.Info != nil {
		s.display(id, m.Info.ID)
	}
	for _, out := range []*displayOutput{m.Output, m.Delta} {
		if out != nil {
			s.display(id, out.ID).Feed([]byte(out.Data))
		}
	}
	if m.Exit != nil {
		exit := terminal.ExitStatus{Code: m.Exit.Code}
		if m.Exit.Signal != nil {
			exit.Signal = *m.Exit.Signal
		}
		s.display(id, m.Exit.ID).Exit(exit)
	}
}

// display returns the display terminal of an id of the agent's, made if it is new or what is there is of before a load, and
// puts it into its call. s.mu is held.
func (s *Session) display(call, id string) *term {
	if id == "" {
		id = call
	}
	line, load := "", s.log.Loads()
	if c := s.log.Call(call); c != nil {
		line = c.Command()
		if line == "" {
			line = c.Heading()
		}
	}
	s.host.mu.Lock()
	t := s.host.terms[s.key(id)]
	s.host.mu.Unlock()
	if t != nil && t.load == load {
		t.mu.Lock()
		t.line = transcript.OneLine(line)
		t.mu.Unlock()
	} else {
		t = &term{
			Terminal: terminal.NewDisplay(terminal.Options{}), id: s.key(id), name: id, line: transcript.OneLine(line),
			display: true, load: load,
		}
		s.addTerm(t)
	}
	s.log.ShowTerminal(call, id)
	return t
}
