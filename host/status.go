package host

import (
	"maps"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// status is a session as Lua's table has it.
type status struct {
	Seen       int             `msgpack:"seen"`
	State      string          `msgpack:"state"`
	Turn       bool            `msgpack:"turn"`    // one runs
	Running    string          `msgpack:"running"` // its prompt
	Remote     string          `msgpack:"remote,omitempty"`
	AgentTitle string          `msgpack:"agent_title"`
	Title      string          `msgpack:"title"`
	Untitled   bool            `msgpack:"untitled"` // Title is only the beginning of the first prompt
	Mode       *named          `msgpack:"mode,omitempty"`
	Model      *named          `msgpack:"model,omitempty"`
	Options    []shownOption   `msgpack:"options"`
	Commands   []command       `msgpack:"commands"`
	Queue      []string        `msgpack:"queue"`
	Held       []bool          `msgpack:"held"` // which of the queue wait for the user's word
	Usage      *usage          `msgpack:"usage,omitempty"`
	Plan       []plan          `msgpack:"plan"`            // while it runs
	Place      *place          `msgpack:"place,omitempty"` // where the agent is at work
	Error      string          `msgpack:"error,omitempty"`
	Can        map[string]bool `msgpack:"can"`
	Last       *last           `msgpack:"last,omitempty"` // while nothing is said here: the session before in this folder
	Logins     []string        `msgpack:"logins"`         // ids of the login methods
	EditWaits  string          `msgpack:"edit_waits"`     // what an edit of a buffer waits for
	Apart      int             `msgpack:"apart"`          // calls that run on after their turn
}

type named struct {
	ID   string `msgpack:"id"`
	Name string `msgpack:"name"`
}

type command struct {
	Name        string `msgpack:"name"`
	Description string `msgpack:"description"`
	Hint        string `msgpack:"hint"`
}

type plan = transcript.PlanEntry

type place = transcript.Place

type usage struct {
	Used     uint64   `msgpack:"used"`
	Size     uint64   `msgpack:"size"`
	Cost     *float64 `msgpack:"cost,omitempty"`
	Currency string   `msgpack:"currency,omitempty"`
}

// currentStatus is what Lua is told. s.mu is held.
func (s *Session) currentStatus() *status {
	st := &status{
		Seen: s.seen, State: s.state, Turn: s.turn != nil, Remote: s.remote, Title: s.shownTitle(), Untitled: s.name == "" && s.agentTitle() == "", Error: transcript.OneLine(s.fault),
		AgentTitle: s.spec().Title, Options: s.options.shown(), Commands: []command{}, Queue: []string{}, Held: []bool{}, Can: map[string]bool{},
		EditWaits: s.host.waitsFor(), Logins: append([]string{}, s.logins...), Plan: append([]plan{}, s.log.Pinned()...), Apart: s.log.Apart(),
	}
	if s.first == "" && s.log.Empty() {
		st.Last = s.last
	}
	if s.turn != nil {
		st.Running = s.turn.prompt.text
	}
	if len(s.asks) > 0 && (s.state == busy || s.state == idle) {
		st.State = waiting
	}
	st.Mode, st.Model = s.options.current(acp.CategoryMode), s.options.current(acp.CategoryModel)
	st.Place = s.log.At()
	for _, p := range s.queue {
		st.Queue, st.Held = append(st.Queue, p.text), append(st.Held, p.held)
	}
	for _, c := range s.commands {
		shown := command{Name: transcript.Brief(c.Name), Description: transcript.Brief(c.Description)}
		if c.Input != nil {
			shown.Hint = transcript.Brief(c.Input.Hint)
		}
		st.Commands = append(st.Commands, shown)
	}
	if u := s.usage; u != nil {
		st.Usage = &usage{Used: u.Used, Size: u.Size}
		if u.Cost != nil {
			st.Usage.Cost, st.Usage.Currency = &u.Cost.Amount, transcript.Brief(u.Cost.Currency)
		}
	}
	if s.agent != nil && s.remote != "" {
		can := s.agent.can()
		st.Can["ready"] = true
		st.Can["image"] = can.PromptCapabilities.Image
		st.Can["audio"] = can.PromptCapabilities.Audio
		st.Can["load"] = can.LoadSession
		st.Can["steer"] = s.agent.steers()
		st.Can["fork"] = can.SessionCapabilities.Fork != nil
		st.Can["delete"] = can.SessionCapabilities.Delete != nil
	}
	return st
}

// learn takes in what an update says of the session itself. s.mu is held.
func (s *Session) learn(u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.AvailableCommandsUpdate:
		s.commands = u.AvailableCommands
	case *acp.CurrentModeUpdate:
		s.options.setMode(u.CurrentModeID)
	case *acp.ConfigOptionUpdate:
		s.options.replace(u.ConfigOptions)
	case *acp.SessionInfoUpdate:
		s.title = u.Title.Or(s.title)
	case *acp.UsageUpdate:
		if u.Cost == nil && s.usage != nil {
			u.Cost = s.usage.Cost
		}
		s.usage = u
		if u.Size > 0 && u.Used*5 > u.Size*4 && !s.warned {
			s.warned = true
			s.log.Say("the context is more than 80 % full", "AcpWarning")
		}
	}
}

// modeUpdate is an update, or the change of mode that an agent says in words of an answer. s.mu is held.
func (s *Session) modeUpdate(u acp.SessionUpdate) acp.SessionUpdate {
	chunk, ok := u.(*acp.AgentMessageChunk)
	if !ok {
		return u
	}
	text, ok := chunk.Content.(*acp.TextContent)
	if !ok {
		return u
	}
	mode, ok := strings.CutPrefix(text.Text, "[MODE_UPDATE] ")
	if mode = strings.TrimSpace(mode); !ok || !s.options.hasMode(mode) {
		return u
	}
	return &acp.CurrentModeUpdate{CurrentModeID: mode}
}

// kindOf names an update's kind.
func kindOf(u acp.SessionUpdate) string {
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		return "user_message_chunk"
	case *acp.AgentMessageChunk:
		return "agent_message_chunk"
	case *acp.AgentThoughtChunk:
		return "agent_thought_chunk"
	case *acp.ToolCall:
		return "tool_call"
	case *acp.ToolCallUpdate:
		return "tool_call_update"
	case *acp.Plan:
		return "plan"
	case *acp.AvailableCommandsUpdate:
		return "available_commands_update"
	case *acp.CurrentModeUpdate:
		return "current_mode_update"
	case *acp.ConfigOptionUpdate:
		return "config_option_update"
	case *acp.SessionInfoUpdate:
		return "session_info_update"
	case *acp.UsageUpdate:
		return "usage_update"
	case *acp.Notice:
		return "notice"
	case *acp.CompactionUpdate:
		return "compaction_update"
	case *acp.CompactionSummaryChunk:
		return "compaction_summary_chunk"
	case *acp.UnknownUpdate:
		return transcript.Brief(u.Kind)
	}
	return ""
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
