package acp

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is a JSON-RPC message, its parts within the line it came in. A part is nil when it is absent. The member
// jsonrpc, which some agents leave out, tells messages from other objects among words only.
type message struct {
	Version Raw // jsonrpc
	ID      Raw
	Method  Raw
	Params  Raw
	Result  Raw
	Error   Raw

	read any // what Params would hold, if they were read with the envelope: a pointer
}

// envelope is how to read a message.
type envelope struct {
	message
	params decoder
	once   bool     // some parameters are read in the same pass
	as     *onePass // how those were that were read
}

// onePass is how the parameters of a method are read together with the envelope.
type onePass struct {
	method  string // as JSON
	request bool   // or else a notification
	read    func(*decoder) (any, error)
}

// onePasses are the messages that are most frequent, and that are largest.
var onePasses = []onePass{
	{`"session/update"`, false, readerOf[SessionNotification]()},
	{`"fs/write_text_file"`, true, readerOf[WriteTextFileRequest]()},
}

func readerOf[P any]() func(*decoder) (any, error) {
	read := sync.OnceValue(func() decodeFunc { return decoderOf(reflect.TypeFor[P]()) })
	return func(d *decoder) (any, error) {
		p := new(P)
		return p, read()(d, reflect.ValueOf(p).Elem())
	}
}

func onePassOf(method Raw) *onePass {
	for i := range onePasses {
		if string(method) == onePasses[i].method {
			return &onePasses[i]
		}
	}
	return nil
}

var errNotObject = errors.New("not an object")

// parseMessage reads a line. Of duplicate names the last counts. Where the method stands before the parameters, which it does
// with all agents known, these are read too if [onePasses] has the method, so that nothing is read twice.
func parseMessage(line []byte) (message, error) {
	m := envelope{params: decoder{text: line}, once: true}
	err := json.Unmarshal(line, &m, decodeOptions)
	if err == nil && (m.as == nil || m.as.request == (m.ID != nil) && string(m.Method) == m.as.method) {
		return m.message, nil
	}
	return parseEnvelope(line) // whatever is wrong, it is said of what came whole
}

// parseEnvelope reads the envelope only.
func parseEnvelope(line []byte) (message, error) {
	var m envelope
	err := json.Unmarshal(line, &m, decodeOptions)
	return m.message, err
}

// UnmarshalJSONFrom reads the members as they stand, without copying.
func (m *envelope) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '{' {
		if err := d.SkipValue(); err != nil {
			return err
		}
		return errNotObject
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}

		part := m.part(name)
		if part == &m.Params && m.once {
			m.read, m.as = nil, onePassOf(m.Method)
		}
		if part == &m.Params && m.as != nil {
			m.params.Decoder = d
			if m.read, err = m.as.read(&m.params); err != nil {
				return err
			}
			continue
		}

		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if part != nil {
			*part = value
		}
	}

	_, err := d.ReadToken()
	return err
}

func (m *message) part(name Raw) *Raw {
	switch string(name) {
	case `"jsonrpc"`:
		return &m.Version
	case `"id"`:
		return &m.ID
	case `"method"`:
		return &m.Method
	case `"params"`:
		return &m.Params
	case `"result"`:
		return &m.Result
	case `"error"`:
		return &m.Error
	}

	return nil
}

// idKey identifies a request of the agent's by its id: a string and a number never have the same key. It is false for an
// id that is neither of them nor null.
func idKey(id Raw) (string, bool) {
	switch id.Kind() {
	case 'n':
		return "", true
	case '"':
		plain, err := jsontext.AppendUnquote([]byte{'"'}, id)
		return string(plain), err == nil
	case '0':
		return string(id), true
	}
	return "", false
}

// ownID reads the id of an answer to us; 1.0 and "1" are read as 1. It is false for what cannot be an id of ours.
func ownID(id Raw) (int64, bool) {
	if id.Kind() == '"' {
		id = Raw(unquote(id))
		if id.Kind() != '0' || !id.IsValid() {
			return 0, false
		}
	}
	if id.Kind() != '0' {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return n, true
	}

	f, err := strconv.ParseFloat(string(id), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}

	return int64(f), true
}

// isNull reports whether a part is there and null.
func isNull(raw Raw) bool { return raw.Kind() == 'n' }

// The messages we write. Everything in them is JSON already.

func requestMessage(id int64, method string, params []byte) []byte {
	b := make([]byte, 0, len(params)+len(method)+64)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	return appendMethod(b, method, params)
}

func notificationMessage(method string, params []byte) []byte {
	b := make([]byte, 0, len(params)+len(method)+48)
	return appendMethod(append(b, `{"jsonrpc":"2.0"`...), method, params)
}

func appendMethod(b []byte, method string, params []byte) []byte {
	b = append(b, `,"method":`...)
	b, _ = jsontext.AppendQuote(b, method) // an error means invalid UTF-8, which it has replaced
	b = append(b, `,"params":`...)
	b = append(b, params...)
	return append(b, "}\n"...)
}

// answerMessage is the answer named by part ("result" or "error").
func answerMessage(id Raw, part string, value []byte) []byte {
	b := make([]byte, 0, len(value)+len(id)+40)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"`...)
	b = append(b, part...)
	b = append(b, `":`...)
	b = append(b, value...)
	return append(b, "}\n"...)
}
