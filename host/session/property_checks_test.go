package session

import (
	"fmt"
	"slices"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/edit"
)

// problem says what is wrong with a settled session, "" if nothing is.
func (w *world) problem() string {
	for _, t := range w.tickets {
		if _, ok := t.Answered(); !ok && !slices.Contains(w.requests.All(), t.ID) {
			return "a request was neither answered nor is it pending: " + t.ID
		}
	}
	switch {
	case w.link.Closed() && w.requests.list.Len() > 0:
		return "a closed session has requests pending"
	case w.link.Closed() && len(w.at) > 0:
		return fmt.Sprintf("prompts are lost as the session is closed: %v", w.at)
	case w.link.Closed():
		return ""
	case w.phase() != Idle:
		return "the session is for ever " + string(w.phase())
	case w.requests.list.Len() > 0 || w.Turn() != nil || len(w.queue.list) > 0:
		return fmt.Sprintf("%d requests, turn %v, queue %q", w.requests.list.Len(), w.Turn(), texts(w.queue.list))
	case w.asked && (w.place.lines.Snapshot().Phase == edit.Working || w.place.lines.Snapshot().Phase == ""):
		return "an edit never ends"
	case len(w.at) > 0:
		return fmt.Sprintf("prompts are lost: %v", w.at)
	}
	return ""
}

// wrong says what is wrong with a session at any moment, "" if nothing is.
func (w *world) wrong() string {
	list := append(texts(w.queue.list), texts(w.steered)...)
	if w.Turn() != nil {
		list = append(list, w.Turn().Prompt.Text)
	}
	slices.Sort(list)
	if len(slices.Compact(slices.Clone(list))) < len(list) {
		return fmt.Sprintf("a prompt is in two places: %q", list)
	}
	if err := w.Check(); err != nil {
		return err.Error()
	}
	if now := w.options.Current(acp.CategoryMode); w.mode != "" && now != nil && now.ID != w.mode && !w.opening {
		return fmt.Sprintf("mode %s, the user has chosen %s", now.ID, w.mode)
	}
	if p := w.notTold(); p != "" {
		return p
	}
	switch ids := w.requests.All(); {
	case len(ids) > 0 && w.link.Agent() == nil:
		return "requests are pending of an agent that is gone"
	}
	return ""
}

// notTold says which note for the agent is lost, or is to be told twice: it waits, or is in the turn that runs.
func (w *world) notTold() string {
	list := w.briefing.unheard().notes
	if w.link.Closed() {
		return ""
	}
	if known := !w.briefing.unheard().historyUnknown; known == w.rewound {
		return fmt.Sprintf("the agent is taken to know the beginning: %v", known)
	}
	for note := range w.told {
		if n := len(slices.DeleteFunc(slices.Clone(list), func(o string) bool { return o != note })); n != 1 {
			return fmt.Sprintf("%s is to be told %d times", note, n)
		}
	}
	return ""
}

// modes is what an agent opens a session with, which it does in a mode of its own.
func modes() Opened {
	return Opened{Modes: &acp.SessionModeState{CurrentModeID: "code", AvailableModes: []acp.SessionMode{{ID: "code"}, {ID: "plan"}, {ID: "fast"}}}}
}

// requeue is Requeue by a user who waits no longer for a mode if a prompt is to go now.
func (w *world) requeue(action string, i int, text string) QueueAction {
	if action == "now" && w.options.AwaitsMode() {
		w.mode = ""
	}
	return w.Requeue(action, i, text)
}

// change has the agent answer the oldest change of a mode that it was asked for; one that it refuses is not what the user has.
func (w *world) change(err error) {
	if len(w.changes) == 0 {
		return
	}
	c := w.changes[0]
	w.changes = w.changes[1:]
	refused := err != nil && w.mode == c.Option.CurrentValue && w.options.AwaitsMode()
	if refused {
		w.mode = ""
	}
	w.options.Changed(c, err)
	w.Next()
	if refused && !w.options.AwaitsMode() && slices.ContainsFunc(w.queue.list, func(p Prompt) bool { return !p.Held && p.Edit == nil }) {
		panic(fmt.Sprintf("prompts go on in another mode than the user has chosen: %q", texts(w.queue.list)))
	}
}

func (w *world) ready(can Capabilities) {
	if w.link.Serves(w.agent) {
		w.changes, _ = w.options.Configure(nil)
	}
	w.Ready(w.agent, can, nil, nil)
}
