package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var playerFiles = []string{"a.txt", "b.txt", "c.txt"}

// prompt begins a turn.
func (s *stage) prompt(id json.RawMessage, p params) {
	var r *role
	var how, mode string
	blocks := p.blocks()
	text := strings.Join(blocks, "\n")
	stop := make(chan struct{})
	var h *heard
	s.do(func() {
		if r = s.sessions[p.SessionID]; r == nil {
			return
		}
		how, s.next, mode = s.next, "", r.mode
		if how == "login" {
			s.login = true
		} else if s.login {
			how = "login"
		}
		h = &heard{session: p.SessionID, mode: r.mode, text: text, blocks: blocks, refused: how == "login", by: s}
		s.heard = append(s.heard, h)
		r.stop, r.rand = stop, s.chance(text)
		s.playing++
	})
	if r == nil {
		s.fail(id, -32602, "no such session")
		return
	}
	s.note("prompt to %s in %s, %s: %.60q", r.id, mode, how, text)
	go func() { // until the turn has ended
		defer s.do(func() {
			s.playing--
			if r.stop == stop {
				r.stop = nil
			}
		})
		s.turn(id, r, how, h, stop)
	}()
}

// chance is what a turn chooses by: the first line of its prompt says what comes of it, whatever else happens at the time.
func (a *actor) chance(prompt string) *rand.Rand {
	first, _, _ := strings.Cut(prompt, "\n")
	h := fnv.New64()
	_, _ = h.Write([]byte(first))
	return rand.New(rand.NewPCG(a.seed, h.Sum64()))
}

// turn plays one, and answers its prompt.
func (s *stage) turn(id json.RawMessage, r *role, how string, h *heard, stop chan struct{}) {
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}
	if how == "login" {
		s.fail(id, -32000, "Authentication required")
		return
	}
	for _, b := range h.blocks {
		s.do(func() {
			r.said = append(r.said, wireMessage{Method: "session/update", Params: object{"sessionId": r.id, "update": object{
				"sessionUpdate": "user_message_chunk", "content": object{"type": "text", "text": b},
			}}})
		})
	}
	if how == "error" {
		s.fail(id, -32603, "the model is overloaded")
		return
	}
	if strings.HasPrefix(h.blocks[0], "Change line") || strings.HasPrefix(h.blocks[0], "The user has not taken") {
		text := fmt.Sprintf("Here:\n\n```\n%s\n%s\n```\n", s.word(), s.word())
		s.update(r, "agent_message_chunk", object{"content": object{"type": "text", "text": text}})
	}
	for range 1 + s.intn(r, 4) {
		step := turnSteps[s.intn(r, len(turnSteps))]
		if stopped() {
			break
		}
		s.note("%s: %s", r.id, step.name)
		err := step.do(s, r)
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil {
			s.note("%s: %s: %v", r.id, step.name, err)
		}
	}
	if how == "crash" {
		_ = s.conn.Close()
		return
	}
	var free chan struct{}
	s.do(func() { free = s.free })
	if how == "hang" || s.intn(r, 2) == 0 && !stopped() {
		select {
		case <-free:
		case <-stop:
		case <-s.gone:
			return
		}
	}
	why := "end_turn"
	if stopped() {
		why = "cancelled"
	}
	s.note("%s: %s", r.id, why)
	s.do(func() {
		h.ended = true
		r.used = r.used[max(0, len(r.used)-1):]
	})
	s.result(id, object{"stopReason": why})
}

// turnSteps are what a turn is made of.
var turnSteps = []struct {
	name string
	do   func(*stage, *role) error
}{
	{"words", (*stage).words},
	{"plan", (*stage).plan},
	{"edit", (*stage).edit},
	{"edit", (*stage).edit},
	{"disk", (*stage).disk},
	{"replace", (*stage).replace},
	{"touch", func(s *stage, r *role) error { return os.Chtimes(s.file(r), time.Time{}, time.Now()) }},
	{"new file", (*stage).create},
	{"ask to edit", func(s *stage, r *role) error { return s.ask(r, "edit") }},
	{"ask to run", func(s *stage, r *role) error { return s.ask(r, "execute") }},
	{"form", (*stage).form},
	{"command", (*stage).command},
	{"usage", (*stage).usage},
	{"subagent", (*stage).subagent},
	{"tool", (*stage).tool},
}

func (s *stage) words(r *role) error {
	for i := range 3 {
		text := fmt.Sprintf("Word %d of **them**.\n\n", i)
		s.update(r, "agent_message_chunk", object{"content": object{"type": "text", "text": text}})
	}
	return nil
}

func (s *stage) plan(r *role) error {
	entry := object{"content": "think", "priority": "high", "status": "in_progress"}
	s.update(r, "plan", object{"entries": []object{entry}})
	return nil
}

func (s *stage) word() string { return fmt.Sprintf("a%05dz", s.count()) }

func (s *stage) file(r *role) string {
	return filepath.Join(s.dir, playerFiles[s.intn(r, len(playerFiles))])
}

// edit reads a file through the editor and writes it with a line more.
func (s *stage) edit(r *role) error {
	path, word := s.file(r), s.word()
	answer, err := s.call("fs/read_text_file", object{"sessionId": r.id, "path": path})
	if err != nil {
		return err
	}
	var got struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return err
	}
	lines := strings.SplitAfter(got.Content, "\n")
	i := s.intn(r, len(lines))
	text := strings.Join(lines[:i], "") + word + "\n" + strings.Join(lines[i:], "")
	call := word
	s.update(r, "tool_call", object{"toolCallId": call, "title": "Edit " + filepath.Base(path), "kind": "edit", "status": "in_progress",
		"content": []object{{"type": "diff", "path": path, "oldText": got.Content, "newText": text}}})
	_, err = s.call("fs/write_text_file", object{"sessionId": r.id, "path": path, "content": text})
	status := "completed"
	if err != nil {
		status = "failed"
	}
	s.update(r, "tool_call_update", object{"toolCallId": call, "status": status})
	return err
}

// disk adds a line to a file on the disk, as a shell does, and may read it.
func (s *stage) disk(r *role) error {
	path, word := s.file(r), s.word()
	s.note("disk: %s to %s", word, filepath.Base(path))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(word + "\n")
	if err := errors.Join(err, f.Close()); err != nil || s.intn(r, 2) == 0 {
		return err
	}
	_, err = s.call("fs/read_text_file", object{"sessionId": r.id, "path": path, "limit": 1})
	return err
}

// replace puts a file with a line more in the place of another, as editors and formatters do.
func (s *stage) replace(r *role) error {
	path, word := s.file(r), s.word()
	s.note("replace: %s to %s", word, filepath.Base(path))
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 { // Neovim is writing it
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	i := s.intn(r, len(lines))
	text := strings.Join(lines[:i], "") + word + "\n" + strings.Join(lines[i:], "")
	temporary := filepath.Join(s.dir, ".git", word)
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

func (s *stage) create(r *role) error {
	word := s.word()
	path := filepath.Join(s.dir, "new-"+word+".txt")
	_, err := s.call("fs/write_text_file", object{"sessionId": r.id, "path": path, "content": word + "\n"})
	return err
}

func (s *stage) ask(r *role, kind string) error {
	command := "make " + s.word()
	if s.intn(r, 2) == 0 {
		command = "make test"
	}
	call := object{"toolCallId": s.word(), "kind": kind, "title": "Do it", "status": "pending", "rawInput": object{"command": command}}
	if kind == "edit" {
		call["rawInput"] = object{}
		call["content"] = []object{{"type": "diff", "path": s.file(r), "oldText": "base 3\n", "newText": s.word() + "\n"}}
	}
	answer, err := s.call("session/request_permission", object{"sessionId": r.id, "toolCall": call, "options": []object{
		{"optionId": "y", "name": "Allow", "kind": "allow_once"}, {"optionId": "n", "name": "Reject", "kind": "reject_once"},
	}})
	s.note("%s: permission: %s", r.id, answer)
	if strings.Contains(string(answer), `"y"`) {
		s.do(func() { s.granted++ })
	}
	return err
}

func (s *stage) form(r *role) error {
	answer, err := s.call("elicitation/create", object{"sessionId": r.id, "mode": "form", "message": "Which?",
		"requestedSchema": object{"type": "object", "properties": object{"name": object{"type": "string", "title": "Name", "default": "x"}}}})
	s.note("%s: form: %s", r.id, answer)
	return err
}

func (s *stage) command(r *role) error {
	answer, err := s.call("terminal/create", object{"sessionId": r.id, "command": "echo", "args": []string{s.word()}})
	if err != nil {
		return err
	}
	var made struct {
		ID string `json:"terminalId"`
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	s.update(r, "tool_call", object{"toolCallId": s.word(), "title": "echo", "kind": "execute", "status": "completed",
		"content": []object{{"type": "terminal", "terminalId": made.ID}}})
	for _, method := range []string{"wait_for_exit", "output", "release"} {
		if _, err := s.call("terminal/"+method, object{"sessionId": r.id, "terminalId": made.ID}); err != nil {
			return err
		}
	}
	return nil
}

// finish quits, and looks for what is left.
func (p *gamer) finish() error {
	for _, e := range p.neovims() {
		e.close()
	}
	if err := poll(patience, func() (bool, error) { return p.agent.alive() == 0, nil }); err != nil {
		return fmt.Errorf("%d agents are left: %w", p.agent.alive(), err)
	}
	if err := p.s.gone(nil, nil); err != nil {
		return err
	}
	files, err := os.ReadDir(p.dir)
	for _, f := range files {
		known := f.Name() == ".git" || slices.Contains(playerFiles, f.Name()) || strings.HasPrefix(f.Name(), "new-a")
		if !known {
			return fmt.Errorf("%s is left", f.Name())
		}
	}
	return err
}
