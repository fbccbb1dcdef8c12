package acp

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encodeOptions never escape for HTML, and sort maps. Invalid UTF-8 in our own strings becomes U+FFFD.
var encodeOptions = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Marshal writes a type of this package as the protocol has it, on one line.
func Marshal(v any) ([]byte, error) {
	if r, ok := v.(*ReadTextFileResponse); ok && r != nil && len(r.Meta) == 0 {
		return r.marshal(), nil
	}
	return json.Marshal(v, encodeOptions)
}

// marshal is Marshal for a text that may be large: the room it takes is known, and growing into it takes twice as long.
func (r *ReadTextFileResponse) marshal() []byte {
	b := make([]byte, 0, len(r.Content)+len(r.Content)/16+32)
	b, _ = jsontext.AppendQuote(append(b, `{"content":`...), r.Content) // an error means invalid UTF-8, which it has replaced
	return append(b, '}')
}

// encodeTo writes v with the options of e.
func encodeTo(e *jsontext.Encoder, v any) error { return json.MarshalEncode(e, v) }

// typed is a variant of a union whose tag is called type. T is the variant's struct without its methods.
type typed[T any] struct {
	Type string `json:"type"`
	Body *T     `json:",embed"`
}

// updated is a [SessionUpdate] with its tag.
type updated[T any] struct {
	Kind string `json:"sessionUpdate"`
	Body *T     `json:",embed"`
}
