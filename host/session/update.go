package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/bounds"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// Subagent notes which call an agent's subagent is. Nothing is drawn for that alone.
func (s *State) Subagent(id, call string) { s.activeLog().Subagent(id, call) }

// Speaks notes that the next piece of text, which begins so, is a subagent's; "" stands for the agent itself.
func (s *State) Speaks(id, text string) { s.activeLog().Speaks(id, text) }

// Update applies an update of the agent's.
func (s *State) Update(u acp.SessionUpdate) {
	s.link.used = time.Now()
	u = s.modeUpdate(u)
	s.lateReplay(u)

	shown := s.applyChildUpdate(s.link.remote, u) || s.activeLog().Apply(u)
	s.showReplay()
	s.tellPlace()
	if !shown {
		s.learn(u)
	}
	if _, ok := u.(*acp.Plan); ok || !shown || s.log.Moved() {
		s.frame.status = true // the plan is in it, and the place
	}

	s.noteCall(u)
	s.extendWindow()
	if c, ok := u.(*acp.AgentMessageChunk); ok && s.turn != nil && len(c.Meta) > 0 {
		s.spending.meter.update(c.Meta)
	}
	if s.replay.log == nil {
		s.frame.updates[kindOf(u)] = true
	}
	if s.firstWords(u) {
		s.draw(Now)
	}

	s.draw(Soon)
}

// firstWords reports whether an update has the first words of the turn, for which the user waits. It does so once a turn.
func (s *State) firstWords(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.AgentMessageChunk, *acp.AgentThoughtChunk:
		if s.turn != nil && !s.turn.speaks {
			s.turn.speaks = true
			return true
		}
	}
	return false
}

// noteCall notes what an update says of a call.
func (s *State) noteCall(u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.ToolCall:
		s.callChanged(u.Update())
	case *acp.ToolCallUpdate:
		s.callChanged(u)
	}
}

func (s *State) callChanged(u *acp.ToolCallUpdate) {
	s.requests.CallChanged(u, s.log)
	if s.logs.display != nil && len(u.Meta) > 0 {
		s.logs.display(s.activeLog(), u.ToolCallID, u.Meta)
	}
}

// learn applies what an update says of the session itself.
func (s *State) learn(u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.AvailableCommandsUpdate:
		commands, left := bounds.First(u.AvailableCommands, bounds.Commands)
		s.offers.commands = commands
		if left > 0 && !s.offers.leftOut {
			s.offers.leftOut = true
			n := len(u.AvailableCommands)
			s.log.Say(fmt.Sprintf("the agent has %s commands: the first %d are offered", bounds.Number(n, n), len(commands)), "AcpWarning")
		}
	case *acp.CurrentModeUpdate:
		s.options.setMode(u.CurrentModeID)
	case *acp.ConfigOptionUpdate:
		s.options.replace(u.ConfigOptions)
	case *acp.SessionInfoUpdate:
		s.titles.agent = u.Title.Or(s.titles.agent)
		if text, found := suggestionOf(u.Meta); found {
			s.offers.suggestion = text
		}
	case *acp.UnknownUpdate:
		if u.Why != "" {
			s.unreadable(u)
		}
	case *acp.UsageUpdate:
		if u.Cost == nil && s.spending.usage != nil {
			u.Cost = s.spending.usage.Cost
		}
		if u.Cost != nil && s.turn == nil && (s.spending.usage == nil || s.spending.usage.Cost == nil) {
			s.spending.billed = u.Cost.Amount // what earlier turns have cost
		}
		s.spending.usage = u
		if l, found := limitOf(u.Meta); found {
			s.spending.limit = l
		}
		if u.Size > 0 && u.Used*5 > u.Size*4 && !s.spending.warned {
			s.spending.warned = true
			s.log.Say("the context is more than 80 % full", "AcpWarning")
		}
	}
}

// unreadable says that an update cannot be shown, once for each reason.
func (s *State) unreadable(u *acp.UnknownUpdate) {
	const most = 20
	text := fmt.Sprintf("an update of the agent cannot be read (%s): :AcpLog has it", plain.Brief(u.Why))
	if len(s.offers.unreadable) < most && !slices.Contains(s.offers.unreadable, text) {
		s.offers.unreadable = append(s.offers.unreadable, text)
		s.log.Say(text, "AcpWarning")
	}
}

// modeUpdate is an update, or the change of mode that an agent writes into an answer.
func (s *State) modeUpdate(u acp.SessionUpdate) acp.SessionUpdate {
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

// LateQuiet is after how long a silence a replay that comes late is shown, as far as it has come.
const LateQuiet = time.Second

// lateReplay recognizes a replay that comes after the answer to session/load, however late. Where nothing is shown of the session it
// is shown as it comes; else its additions are shown when it pauses, or when the agent does what it has not replayed.
func (s *State) lateReplay(u acp.SessionUpdate) {
	if !s.replay.late {
		return
	}

	user, isUser := u.(*acp.UserMessageChunk)
	switch {
	case !isTalk(u):
		return
	case s.turn == nil && !isUser && s.replay.lateLog == nil: // no replay begins so
		s.replay.late = false
		return
	case s.turn == nil && s.replay.log == nil && !s.log.HasPrompts():
		s.replay.late = false
		s.replaceLog(s.logs.make())
		return
	case isUser && s.turn != nil && s.log.Echoes((*acp.ContentChunk)(user)):
		s.EndLateReplay()
		return
	case isUser && s.replay.log == nil, s.turn == nil && s.replay.log == nil:
		s.beginLate()
	case s.replay.log != nil && s.turn != nil && !isUser && !s.log.Replays(s.replay.log, u):
		s.EndLateReplay()
		return
	}

	if s.replay.log != nil {
		s.effects.Restart = true
	}
}

// isTalk reports whether an update is of a kind that replays have.
func isTalk(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.UserMessageChunk, *acp.AgentMessageChunk, *acp.AgentThoughtChunk, *acp.ToolCall, *acp.ToolCallUpdate, *acp.Plan:
		return true
	}
	return false
}

// beginLate begins a late replay, or goes on with it after a pause.
func (s *State) beginLate() {
	if s.replay.lateLog == nil {
		s.replay.lateLog = s.logs.make()
		s.replay.lateLog.BeginLoad()
	}
	s.replay.log, s.replay.ending = s.replay.lateLog, true
}

// QuietLateReplay shows what has come of a late replay. In a turn, what comes next may still be of the replay.
func (s *State) QuietLateReplay() {
	if s.turn == nil {
		s.EndLateReplay()
	}
}

// EndLateReplay ends a replay that came late, if there is one. It may go on later.
func (s *State) EndLateReplay() { s.endLateReplay(false) }

// endLateReplay is EndLateReplay; over says that the turn is.
func (s *State) endLateReplay(over bool) {
	if !s.replay.ending {
		return
	}

	s.effects.LateReplay = LateReplay{Stop: true}
	if s.replay.log != nil && s.turn != nil {
		switch kind, text := s.log.Reclaim(s.replay.log); {
		case text == "":
		case kind == transcript.Thought:
			s.log.Apply(&acp.AgentThoughtChunk{Content: acp.Text(text)})
		default:
			s.log.Apply(&acp.AgentMessageChunk{Content: acp.Text(text)})
		}
	}
	if s.replay.log != nil && s.log.Add(s.replay.log, over && !s.log.HasAnswer()) {
		s.frame.reset = true
	}

	s.replay.log, s.replay.ending = nil, false
	s.changed()
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
	case *acp.SubagentUpdate:
		return "subagent_update"
	case *acp.SessionMessage:
		return "session_message"
	case *acp.SessionMessageChunk:
		return "session_message_chunk"
	case *acp.UnknownUpdate:
		return plain.OneLine(u.Kind)
	}

	return ""
}
