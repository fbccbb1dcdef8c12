package demo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// begin announces a tool call and returns its id. It is open until finish or fail.
func (t *turn) begin(title, kind string, fields object) string {
	t.open = newID()
	call := object{
		"sessionUpdate": "tool_call", "toolCallId": t.open, "title": title, "kind": kind, "status": "pending",
	}
	for key, value := range fields {
		call[key] = value
	}
	t.session.update(call)
	return t.open
}

// progress changes the open tool call.
func (t *turn) progress(fields object) {
	update := object{"sessionUpdate": "tool_call_update", "toolCallId": t.open}
	for key, value := range fields {
		update[key] = value
	}
	t.session.update(update)
}

// finish closes the open tool call.
func (t *turn) finish(fields object) {
	if fields == nil {
		fields = object{}
	}
	if fields["status"] == nil {
		fields["status"] = "completed"
	}
	t.progress(fields)
	t.open = ""
}

// fail closes the open tool call with what went wrong.
func (t *turn) fail(reason string) {
	t.finish(object{"status": "failed", "content": []object{textContent(reason)}})
}

// textContent is a text as the content of a tool call.
func textContent(text string) object {
	return object{"type": "content", "content": object{"type": "text", "text": text}}
}

// read reads a file as a tool call: from the editor, which knows what is not saved yet, or from the disk if the client
// does not offer that.
func (t *turn) read(path string) (string, error) {
	t.begin("Read "+t.short(path), "read", object{
		"status": "in_progress", "locations": []object{{"path": path}}, "rawInput": object{"path": path},
	})
	text, err := t.readText(path)
	if t.ctx.Err() != nil {
		return "", t.ctx.Err()
	}
	if err != nil {
		t.fail(err.Error())
		return "", err
	}

	t.session.change(func(k *kept) { k.Used += len(text) })
	t.finish(object{"rawOutput": object{"lines": strings.Count(text, "\n"), "bytes": len(text)}})
	return text, nil
}

// readText is read without a tool call.
func (t *turn) readText(path string) (string, error) {
	if !t.agent.client.FS.ReadTextFile {
		text, err := os.ReadFile(path)
		return string(text), err
	}
	var result struct {
		Content string `json:"content"`
	}
	err := t.agent.peer.call(t.ctx, "fs/read_text_file", object{"sessionId": t.session.id, "path": path}, &result)
	return result.Content, err
}

// writeText writes a file through the editor, or on the disk if the client does not offer that.
func (t *turn) writeText(path, text string) error {
	if t.agent.client.FS.WriteTextFile {
		params := object{"sessionId": t.session.id, "path": path, "content": text}
		return t.agent.peer.call(t.ctx, "fs/write_text_file", params, nil)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), info.Mode().Perm())
}

// The ids of the permission options.
const (
	optionOnce   = "allow-once"
	optionAlways = "allow-always"
	optionReject = "reject"
)

var errRejected = errors.New("rejected by the user")

// ask asks for permission to go on with the open tool call. fields are what of the call the user has to see.
func (t *turn) ask(fields object) error {
	if t.session.allowed() {
		return nil
	}

	call := object{"toolCallId": t.open}
	for key, value := range fields {
		call[key] = value
	}

	params := object{"sessionId": t.session.id, "toolCall": call, "options": []object{
		{"optionId": optionOnce, "name": "Allow", "kind": "allow_once"},
		{"optionId": optionAlways, "name": "Always allow in this session", "kind": "allow_always"},
		{"optionId": optionReject, "name": "Reject", "kind": "reject_once"},
	}}
	var result struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := t.agent.peer.call(t.ctx, "session/request_permission", params, &result); err != nil {
		return err
	}
	switch {
	case result.Outcome.Outcome == "selected" && result.Outcome.OptionID == optionOnce:
		return nil
	case result.Outcome.Outcome == "selected" && result.Outcome.OptionID == optionAlways:
		t.session.allowAlways()
		return nil
	case result.Outcome.Outcome == "cancelled": // the notification that says so may be on its way still
		t.session.cancelTurn()
		return t.ctx.Err()
	}

	return errRejected
}

// short names a file as the user does.
func (t *turn) short(path string) string {
	if name, err := filepath.Rel(t.session.cwd, path); err == nil && filepath.IsLocal(name) {
		return name
	}
	return path
}
