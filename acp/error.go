package acp

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nvim-acp/nvim-acp/host/plain"
)

// Error codes of JSON-RPC and of the protocol.
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeCancelled          = -32800
	CodeAuthRequired       = -32000
	CodeResourceNotFound   = -32002
	CodeUnsupportedVersion = -32022 // version 2 only
)

// ErrClosed is the error of a connection after Close.
var ErrClosed = errors.New("connection closed")

// Error is the error object of an answer, in either direction.
type Error struct {
	Code    int    `json:"code" acp:"required"`
	Message string `json:"message" acp:"required"`
	Data    Raw    `json:"data,omitzero"`
}

// Errorf returns an error to answer a request with.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// answered reads the error of an answer. Agents send codes that are no numbers, messages that are no strings, or only words: what they say
// is not lost.
func answered(raw Raw) error {
	e := new(Error)
	err := Unmarshal(raw, e)
	if err == nil {
		return e
	}

	var odd struct {
		Code    Raw `json:"code"`
		Message Raw `json:"message"`
		Data    Raw `json:"data"`
	}
	e.Code = CodeInternal
	if Unmarshal(raw, &odd) != nil { // it is no object
		e.Message = said(raw)
	} else if e.Message = cmp.Or(said(odd.Message), humanText(raw, 0)); e.Message == "" && said(odd.Data) == "" {
		return fmt.Errorf("bad answer: error: %w", err)
	}

	code, isText := string(odd.Code), odd.Code.Kind() == '"'
	if isText {
		code = unquote(odd.Code)
	}
	e.Data = odd.Data
	if n, err := strconv.ParseFloat(code, 64); err == nil {
		e.Code = int(n)
	} else if isText {
		e.Message = fmt.Sprintf("%s (%s)", cmp.Or(e.Message, said(e.Data)), code)
	}

	return e
}

// said is the sentence in a JSON value, or where none is found, all of it as it is; "" if there is nothing.
func said(raw Raw) string {
	if s := humanText(raw, 0); s != "" || len(raw) == 0 || raw.Kind() == '"' || isNull(raw) {
		return s
	}
	return string(raw)
}

// IsCode reports whether err is an answer with that code.
func IsCode(err error, code int) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// maxText is how many bytes of an error's text are shown. The log has all of it.
const maxText = 8 << 10

// Error returns the text meant for people. Agents put it in odd places: under `data`, or into a message that is itself
// JSON, from the model's own server. The deepest text found wins; the code follows unless it is the general -32603.
func (e *Error) Error() string {
	text := inText(e.Message, 0)
	if s := humanText(e.Data, 0); s != "" && !strings.Contains(text, s) {
		if text == "" || text == "Internal error" {
			text = s
		} else {
			text += ": " + s
		}
	}
	if text == "" {
		text = cmp.Or(said(e.Data), "unknown error")
	}
	if len(text) > maxText {
		text = fmt.Sprintf("%s (%d KiB: the log has all of it)", plain.Short(text, maxText), len(text)>>10)
	}
	if e.Code == CodeInternal {
		return text
	}

	return fmt.Sprintf("%s (%d)", text, e.Code)
}

// humanText looks for a sentence in a JSON value: the value itself if it is a string, else one of the members that
// usually hold it, else the first item of an array. It returns "" for text that is no JSON.
func humanText(raw Raw, depth int) string {
	if depth > 8 || len(raw) == 0 {
		return ""
	}
	switch raw.Kind() {
	case '"':
		return stringText(raw, depth)
	case '{':
		var members map[string]Raw
		if json.Unmarshal(raw, &members, decodeOptions) != nil {
			return ""
		}
		for _, name := range []string{"details", "message", "error", "detail", "description", "reason", "title", "text", "data"} {
			if s := humanText(members[name], depth+1); s != "" {
				return s
			}
		}
	case '[':
		var items []Raw
		if json.Unmarshal(raw, &items, decodeOptions) != nil || len(items) == 0 {
			return ""
		}
		return humanText(items[0], depth+1)
	}

	return ""
}

// stringText is the text of a JSON string, or of the JSON object or array within it.
func stringText(raw Raw, depth int) string {
	var s string
	if json.Unmarshal(raw, &s, decodeOptions) != nil {
		return ""
	}
	return inText(strings.TrimSpace(s), depth)
}

// inText returns a text with the text of the JSON value that it is, or that it ends with, in the place of that: gateways answer
// `429 {"error": …}`.
func inText(s string, depth int) string {
	trimmed := strings.TrimSpace(s)
	at := 0
	if !strings.HasPrefix(trimmed, "[") {
		at = strings.IndexByte(trimmed, '{')
	}
	if at < 0 {
		return s
	}
	inner := humanText(Raw(trimmed[at:]), depth+1)
	if inner == "" {
		return s
	}
	if before := strings.TrimRight(trimmed[:at], " \t\r\n:"); before != "" {
		return before + ": " + inner
	}
	return inner
}
