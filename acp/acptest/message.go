package acptest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// A message is one line of JSON-RPC, with the line itself. The zero method means a response; a line that is not a
// JSON object has nothing but raw.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`

	raw []byte
}

// parse decodes one line.
func parse(line []byte) message {
	var m message
	if json.Unmarshal(line, &m) != nil {
		m = message{}
	}
	m.raw = bytes.TrimRight(line, "\r\n")
	return m
}

// wantsAnswer reports whether m is a request.
func (m message) wantsAnswer() bool { return m.Method != "" && m.ID != nil }

// isResponse reports whether m answers a request.
func (m message) isResponse() bool {
	return m.Method == "" && m.ID != nil && (m.Result != nil || m.Error != nil)
}

// field returns a string among the params, or "".
func (m message) field(name string) string {
	var params map[string]json.RawMessage
	var value string
	if json.Unmarshal(m.Params, &params) != nil || json.Unmarshal(params[name], &value) != nil {
		return ""
	}
	return value
}

// read returns the next message that is not an empty line. A last line without an end counts.
func read(r *bufio.Reader) (message, error) {
	for {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			return parse(line), nil
		}
		if err != nil {
			return message{}, err
		}
	}
}

// writeMessage sends one line made of fields that are JSON already; the params, result or error is called name.
func writeMessage(w io.Writer, id json.RawMessage, method, name string, value json.RawMessage) error {
	line := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		line = append(append(line, `,"id":`...), id...)
	}
	if method != "" {
		quoted, err := json.Marshal(method)
		if err != nil {
			return err
		}
		line = append(append(line, `,"method":`...), quoted...)
	}
	if value != nil {
		line = append(append(line, `,"`+name+`":`...), value...)
	}

	_, err := w.Write(append(line, "}\n"...))
	return err
}

// notFound is the error for a request that nobody knows.
var notFound = json.RawMessage(`{"code":-32601,"message":"Method not found"}`)
