package acp

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// encodeOptions never escape for HTML, and sort maps. Invalid UTF-8 in our own strings becomes U+FFFD.
var encodeOptions = json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Marshal writes a type of this package as the protocol has it, on one line.
func Marshal(v any) ([]byte, error) { return json.Marshal(v, encodeOptions) }

// answerText is the answer that serves a text, which may be large: the room it takes is known, and it is written once.
func answerText(id Raw, r *ReadTextFileResponse) []byte {
	b := make([]byte, 0, len(r.Content)+len(r.Content)/16+len(id)+64)
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), id...), `,"result":{"content":`...)
	return append(appendText(b, r.Content), "}}\n"...)
}

// halved is the size from which a text is quoted in two halves concurrently, since an agent waits for it.
const halved = 1 << 20

// appendText appends a text as a JSON string. Of invalid UTF-8 there is U+FFFD.
func appendText(b []byte, text string) []byte {
	if len(text) < halved {
		b, _ = jsontext.AppendQuote(b, text) // an error means invalid UTF-8
		return b
	}

	middle := len(text) / 2
	for middle > 0 && !utf8.RuneStart(text[middle]) {
		middle--
	}

	rest := make(chan []byte)
	caught.Go(func() { // ends when its half is taken
		half, _ := jsontext.AppendQuote(make([]byte, 0, len(text)-middle+len(text)/16), text[middle:])
		rest <- half
	})
	b, _ = jsontext.AppendQuote(b, text[:middle])
	return append(b[:len(b)-1], (<-rest)[1:]...) // less the quotes in the middle
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
