package transcript

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
)

// listener collects the updates of a connection.
type listener struct {
	acp.Client
	list []acp.SessionUpdate
}

func (l *listener) SessionUpdate(n *acp.SessionNotification) { l.list = append(l.list, n.Update) }

// read returns updates as a connection reads them.
func read(t *testing.T, updates []map[string]any) []acp.SessionUpdate {
	t.Helper()
	var wire strings.Builder
	for _, u := range updates {
		line, err := json.Marshal(map[string]any{"method": "session/update", "params": map[string]any{"sessionId": "s", "update": u}})
		if err != nil {
			t.Fatal(err)
		}
		wire.Write(append(line, '\n'))
	}
	l := &listener{}
	_, out := io.Pipe()
	conn := acp.NewConn(io.NopCloser(strings.NewReader(wire.String())), out, l, acp.Options{})
	<-conn.Done()
	return l.list
}

// absent is a field that is left out.
type absent struct{}

func put(u map[string]any, name string, value any) {
	if value != (absent{}) {
		u[name] = value
	}
}

// What an agent sends is on the screen, in its order, whatever it has for ids and titles (behaviours 800, 801).
func TestUnnamed(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 35))
		pick := func(from ...any) any { return from[r.IntN(len(from))] }
		var updates []map[string]any
		var want []string
		open := map[any]bool{} // ids of calls that go on

		for i := range 25 {
			word := fmt.Sprintf("W%02dW", i)
			text := map[string]any{"type": "text", "text": word + "\n\n"}
			body := []any{map[string]any{"type": "content", "content": text}}
			u := map[string]any{}
			id := pick(absent{}, "", nil, 5, "a", "b", true)
			named := id == 5 || id == "a" || id == "b"

			switch r.IntN(4) {
			case 0:
				u["sessionUpdate"], u["content"] = "agent_message_chunk", text
				put(u, "messageId", pick(absent{}, "", nil, 5, "m", []int{1}))
				parent := pick(absent{}, "", nil, 6, "nobody")
				if parent != (absent{}) {
					u["_meta"] = map[string]any{"claudeCode": map[string]any{"parentToolUseId": parent}}
				}
			case 1, 2:
				u["sessionUpdate"], u["content"] = "tool_call", body
				u["rawInput"] = map[string]any{"n": word}
				title := pick("call "+word, absent{}, nil, "", 7)
				if named && open[id] {
					title = "call " + word
				}
				put(u, "title", title)
				put(u, "toolCallId", id)
				status := pick("completed", "failed", "pending", absent{}, nil)
				put(u, "status", status)
				open[id] = status != "completed" && status != "failed"
			case 3:
				if named && open[id] { // which need not repeat what it has
					updates = append(updates, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"})
					open[id] = false
				}
				continue
			}
			updates, want = append(updates, u), append(want, word)
		}

		tr, screen := newTest(), newPaper()
		tr.opts.FoldCalls = false
		tr.Prompt("go", nil)
		for _, u := range read(t, updates) {
			tr.Apply(u)
		}
		tr.EndTurn(acp.StopEndTurn, "")
		settle(t, tr, screen)
		shown, at := screen.text(), 0
		for _, word := range want {
			i := strings.Index(shown[at:], word)
			if i < 0 {
				t.Fatalf("seed %d: %s is not shown in its place:\n%v\n%s", seed, word, updates, shown)
			}
			at += i
		}
	}
}
