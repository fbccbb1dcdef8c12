package acptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// An entry is one line of a recording: what the client sent, what it received, or what else happened.
type entry struct {
	Dir string `json:"dir"` // "send", "recv", "stderr", "info"
	Raw string `json:"raw"` // the line as it was

	message message
	live    json.RawMessage // id that the live client's request has, once it came
	used    bool            // a live message was taken for this one, or it will not be waited for any more
}

// readRecording reads all entries.
func readRecording(r io.Reader) ([]*entry, error) {
	var entries []*entry
	lines := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			e := &entry{}
			if err := json.Unmarshal(line, e); err != nil {
				return nil, fmt.Errorf("recording:%d: %w", number, err)
			}
			e.message = parse([]byte(e.Raw))
			entries = append(entries, e)
		}
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// protocol are the methods that a client sends as a matter of course, so that a replay waits for them. What a recording
// has beside them (nonsense sent to see the agent's answer) is not waited for.
var protocol = map[string]bool{
	"initialize": true, "authenticate": true, "session/new": true, "session/load": true, "session/resume": true,
	"session/list": true, "session/close": true, "session/delete": true, "session/fork": true, "session/prompt": true,
	"session/cancel": true, "session/set_mode": true, "session/set_model": true, "session/set_config_option": true,
}

// fits reports whether the live message m can stand for the recorded one.
func (e *entry) fits(m message) bool {
	return e.Dir == "send" && !e.used && e.message.Method == m.Method && (e.message.ID != nil) == (m.ID != nil)
}

// withID returns the recorded line with another id, every other byte as it was.
func (e *entry) withID(id json.RawMessage) []byte {
	raw := []byte(e.Raw)
	start, end := idSpan(raw)
	if end == 0 {
		return raw
	}
	return bytes.Join([][]byte{raw[:start], raw[end:]}, id)
}

// idSpan finds the value of the top-level id in a JSON object; end is 0 if there is none.
func idSpan(raw []byte) (start, end int) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return 0, 0
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return 0, 0
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return 0, 0
		}
		if key == "id" {
			end = int(decoder.InputOffset())
			return end - len(value), end
		}
	}

	return 0, 0
}
