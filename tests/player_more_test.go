package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolServer is an MCP server that the agent is given.
type toolServer struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
}

// steered takes words into the turn that runs, if one does.
func (s *stage) steered(id json.RawMessage, r *role, p params) {
	outcome, late := "injected", false
	s.do(func() {
		if r.stop == nil {
			outcome = "promptRequired"
			return
		}
		late = s.rand.IntN(4) == 0
		s.heard = append(s.heard, &heard{session: r.id, mode: r.mode, blocks: p.blocks(), by: s, refused: late})
	})
	if late {
		s.fail(id, -32603, "too late")
		return
	}
	s.result(id, object{"outcome": outcome})
}

// usage says how much of the context is used, and what it has cost so far.
func (s *stage) usage(r *role) error {
	used := 1 + s.intn(r, 999)
	s.do(func() { r.used = append(r.used, used) })
	s.update(r, "usage_update", object{"used": used, "size": 1000, "cost": object{"amount": float64(s.count()) / 100, "currency": "USD"}})
	return nil
}

// subagent announces a child, which says something, uses a tool and may ask, and ends.
func (s *stage) subagent(r *role) error {
	child := "k" + s.word()
	state := func(state object) {
		s.update(r, "subagent_update", object{"sessionId": child, "title": "Look for it", "capabilities": object{"cancel": object{}}, "state": state})
	}
	say := func(update object) {
		s.send(wireMessage{Method: "session/update", Params: object{"sessionId": child, "update": update}})
	}
	state(object{"state": "running"})
	defer state(object{"state": "idle", "stopReason": "end_turn"})
	say(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "Found it."}})
	call := s.word()
	say(object{"sessionUpdate": "tool_call", "toolCallId": call, "title": "search", "kind": "search", "status": "in_progress"})
	if s.intn(r, 2) == 0 {
		if err := s.ask(&role{id: child, rand: r.rand}, "execute"); err != nil {
			return err
		}
	}
	say(object{"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"})
	return nil
}

// tool calls one of our tools, as a process of the agent's does.
func (s *stage) tool(r *role) error {
	path := s.file(r)
	calls := []sdk.CallToolParams{
		{Name: "buffers"},
		{Name: "read", Arguments: object{"path": path}},
		{Name: "diagnostics", Arguments: object{"path": path}},
		{Name: "edit", Arguments: object{"path": path, "old": fmt.Sprintf("base %d\n", 10+s.intn(r, 20)), "new": s.word() + "\n"}},
		{Name: "edit", Arguments: object{"path": filepath.Join(s.dir, "new-"+s.word()+".txt"), "old": "", "new": "x\n"}},
		{Name: "annotate", Arguments: object{"items": []object{{"path": path, "line": 1 + s.intn(r, 20), "text": s.word()}}}},
		{Name: "open", Arguments: object{"path": path, "line": 1 + s.intn(r, 20)}},
		{Name: "ask", Arguments: object{"question": "Which?", "options": []string{"this", "that"}}},
	}
	call := calls[s.intn(r, len(calls))]
	var server toolServer
	s.do(func() { server = r.server })
	if server.Command == "" {
		return errors.New("no server")
	}
	s.note("%s: tool %s %v", r.id, call.Name, call.Arguments)

	ctx, stop := context.WithTimeout(context.Background(), 4*patience)
	defer stop()
	go func() { // until the call is over
		select {
		case <-s.gone:
			stop()
		case <-ctx.Done():
		}
	}()
	cmd := exec.CommandContext(ctx, server.Command, server.Args...)
	cmd.Env = os.Environ()
	for _, v := range server.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "player"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Second}, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	s.do(func() { s.tools++ })
	result, err := client.CallTool(ctx, &call)
	s.do(func() {
		if err == nil || ctx.Err() == nil || isClosed(s.gone) {
			s.tools--
		}
	})
	if err == nil && len(result.Content) > 0 {
		s.note("%s: %s: %.80v", r.id, call.Name, result.Content[0])
	}
	return err
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (p *gamer) notes(chatState) error {
	word := p.word("n")
	if err := p.inFile(fmt.Sprintf(":silent AcpNote %s<CR>", word), ""); err != nil {
		return err
	}
	return p.keys(":silent AcpNotes send<CR>")
}

// serve has a language server look at a file, which finds faults in what agents write.
func (p *gamer) serve(chatState) error {
	if _, err := p.file(); err != nil {
		return err
	}
	p.lua(`P.serve(0)`)
	return nil
}

// used says that what is known of an agent's context is what it has said last, and that no subagent that has ended works on.
func (p *gamer) used(list []chatState) error {
	for _, s := range list {
		var said []int
		p.agent.do(func() {
			if r := p.agent.sessions[s.Remote]; r != nil {
				said = slices.Clone(r.used)
			}
		})
		if s.Used != 0 && !slices.Contains(said, s.Used) {
			return fmt.Errorf("%s (%s) shows %d tokens, the agent has said %d", s.ID, s.Remote, s.Used, said)
		}
		if s.Children > 0 {
			return fmt.Errorf("%d subagents of %s work on", s.Children, s.ID)
		}
	}
	return nil
}
