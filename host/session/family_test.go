package session

import (
	"fmt"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// What children of a session do, for TestSequences.
func init() {
	actions = append(actions,
		action{"child", func(w *world) {
			states := []acp.SubagentActivity{acp.SubagentRunning, acp.SubagentIdle, acp.SubagentRequiresAction, acp.SubagentUnknown}
			u := &acp.SubagentUpdate{SessionID: w.someChild(), State: acp.Some(acp.SubagentState{State: states[w.rand.IntN(4)]})}
			if w.rand.IntN(2) == 0 {
				u.Capabilities = acp.Some(acp.SubagentSessionCapabilities{Cancel: &acp.Supported{}})
				u.State.Value.StopReason = acp.StopCancelled
			}
			if w.link.Agent() != nil {
				w.Update(u)
			}
		}},
		action{"child says", func(w *world) {
			if child, ok := w.family.Child(w.someChild()); ok {
				w.UpdateChild(child.ID, &acp.AgentMessageChunk{Content: acp.Text("words ")})
			}
		}},
		action{"child asks", func(w *world) {
			child, ok := w.family.Child(w.someChild())
			if !ok || w.link.Agent() == nil {
				return
			}
			call := &acp.ToolCallUpdate{ToolCallID: transcript.ChildCall(child.ID, fmt.Sprint("c", w.rand.IntN(3)))}
			options := []acp.PermissionOption{{OptionID: "yes", Kind: acp.AllowOnce}}
			made := permission.New{Options: options, Child: child.ID, Who: child.Name}
			if ticket, _, ok := w.Request(call, made); ok {
				w.requests.Show(ticket)
				w.tickets = append(w.tickets, ticket)
			}
		}},
		action{"children stop", func(w *world) { w.family.StopAll() }},
	)
}

func (w *world) someChild() string { return fmt.Sprint("k", w.rand.IntN(2)) }
