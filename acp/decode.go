package acp

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nvim-acp/nvim-acp/host/bounds"
)

// decodeOptions tolerate what agents send: invalid UTF-8 becomes U+FFFD, and duplicate names are allowed.
var decodeOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Unmarshal reads a type of this package with the leniency that the package comment describes. Values kept raw are copies.
// Where *v is not a struct with such tags, it does what any JSON decoder does.
func Unmarshal(data []byte, v any) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return errors.New("decode into something that is not a pointer")
	}
	return unmarshal(data, decoderOf(p.Type().Elem()), p.Elem())
}

// A decodeFunc reads one value into v. After an error the decoder's position is undefined.
type decodeFunc func(d *decoder, v reflect.Value) error

// decoder is a [jsontext.Decoder] that knows the whole text it reads.
type decoder struct {
	*jsontext.Decoder
	text []byte
	read decodeFunc
	into reflect.Value
}

// unmarshal reads all of text with f.
func unmarshal(text []byte, f decodeFunc, into reflect.Value) error {
	err := json.Unmarshal(text, &decoder{text: text, read: f, into: into}, decodeOptions)
	if semantic, ok := err.(*json.SemanticError); ok && semantic.Err != nil {
		return semantic.Err // it has the path
	}
	return err
}

// UnmarshalJSONFrom borrows the pooled decoder of [json.Unmarshal].
func (d *decoder) UnmarshalJSONFrom(j *jsontext.Decoder) error {
	d.Decoder = j
	defer func() { d.Decoder = nil }()
	return d.read(d, d.into)
}

// raw reads the next value without copying it.
func (d *decoder) raw() (Raw, error) { return d.ReadValue() }

// wrong is the error for a value of another kind than expected.
func (d *decoder) wrong(want string) error {
	if d.PeekKind() == 0 {
		_, err := d.ReadToken()
		return err
	}
	return fmt.Errorf("is %s, not %s", kindName(d.PeekKind()), want)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return k.String() // string, null
}

// rawDecoder is a type that reads itself from its JSON text, which it may not keep.
type rawDecoder interface{ decodeRaw(Raw) error }

var (
	decoders       sync.Map // reflect.Type to decodeFunc
	rawType        = reflect.TypeFor[Raw]()
	rawDecoderType = reflect.TypeFor[rawDecoder]()
)

// decoderOf returns the decoder of a type, which is created at its first use.
func decoderOf(t reflect.Type) decodeFunc {
	if f, ok := decoders.Load(t); ok {
		return f.(decodeFunc)
	}
	f, _ := decoders.LoadOrStore(t, newDecoder(t))
	return f.(decodeFunc)
}

func newDecoder(t reflect.Type) decodeFunc {
	switch {
	case t == rawType:
		return decodeCopy
	case reflect.PointerTo(t).Implements(rawDecoderType):
		return decodeSelf
	}

	switch t.Kind() {
	case reflect.String:
		return decodeString
	case reflect.Bool:
		return decodeBool
	case reflect.Pointer:
		return pointerDecoder(t.Elem())
	case reflect.Slice:
		return sliceDecoder(t)
	case reflect.Map:
		return mapDecoder(t)
	case reflect.Struct:
		if isOurs(t) {
			return structDecoder(t)
		}
	case reflect.Interface:
		if u := unions[t]; u != nil {
			return u.decode
		}
	}

	return decodeOther
}

func decodeCopy(d *decoder, v reflect.Value) error {
	raw, err := d.raw()
	if err == nil {
		v.SetBytes(raw.Clone())
	}
	return err
}

func decodeSelf(d *decoder, v reflect.Value) error {
	raw, err := d.raw()
	if err != nil {
		return err
	}
	return v.Addr().Interface().(rawDecoder).decodeRaw(raw)
}

func decodeString(d *decoder, v reflect.Value) error {
	if d.PeekKind() != '"' {
		return d.wrong("string")
	}
	raw, err := d.raw()
	if err == nil {
		v.SetString(unquote(raw))
	}
	return err
}

// unquote is the text of a JSON string that was read. It is made in place: a file's text is not copied once more.
func unquote(raw Raw) string {
	if plain := raw[1 : len(raw)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return string(plain)
	}
	b, _ := jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw) // an error means invalid UTF-8, which it has replaced
	return unsafe.String(unsafe.SliceData(b), len(b))              // nobody else has b
}

func decodeBool(d *decoder, v reflect.Value) error {
	if k := d.PeekKind(); k != 't' && k != 'f' {
		return d.wrong("boolean")
	}
	token, err := d.ReadToken()
	if err == nil {
		v.SetBool(token.Bool())
	}
	return err
}

// decodeOther reads numbers, and whatever a caller of [Unmarshal] has outside the protocol.
func decodeOther(d *decoder, v reflect.Value) error {
	number := v.CanInt() || v.CanUint() || v.CanFloat()
	if number && d.PeekKind() != '0' {
		return d.wrong("number")
	}
	err := json.UnmarshalDecode(d.Decoder, v.Addr().Interface())
	if number && err != nil {
		return fmt.Errorf("is not %s", v.Kind())
	}
	return err
}

func pointerDecoder(elem reflect.Type) decodeFunc {
	read := decoderOf(elem)
	return func(d *decoder, v reflect.Value) error {
		p := reflect.New(elem)
		if err := read(d, p.Elem()); err != nil {
			return err
		}
		v.Set(p)
		return nil
	}
}

// MaxItems is how many items of a list are taken. What is beyond is left out; see [Cut].
const MaxItems = bounds.Read

// Cut reports whether a message of the agent's has a list of MaxItems items, of which the rest may have been left out.
func Cut(message any) bool {
	switch message.(type) {
	case *AgentMessageChunk, *AgentThoughtChunk, *UserMessageChunk: // which are many, and have no lists
		return false
	}
	return cut(reflect.ValueOf(message))
}

func cut(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && cut(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return false
		}
		if v.Len() >= MaxItems {
			return true
		}
		for i := range v.Len() {
			if cut(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && cut(v.Field(i)) {
				return true
			}
		}
	}

	return false
}

func sliceDecoder(t reflect.Type) decodeFunc {
	read := decoderOf(t.Elem())
	return func(d *decoder, v reflect.Value) error {
		if d.PeekKind() != '[' {
			return d.wrong("array")
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}

		list := reflect.MakeSlice(t, 0, 0)
		for d.PeekKind() != ']' {
			if list.Len() == MaxItems {
				if err := d.SkipValue(); err != nil {
					return err
				}
				continue
			}
			item := reflect.New(t.Elem()).Elem()
			if err := read(d, item); err != nil {
				return fmt.Errorf("item %d: %w", list.Len(), err)
			}
			list = reflect.Append(list, item)
		}

		v.Set(list)
		_, err := d.ReadToken()
		return err
	}
}

func mapDecoder(t reflect.Type) decodeFunc {
	read := decoderOf(t.Elem())
	return func(d *decoder, v reflect.Value) error {
		if d.PeekKind() != '{' {
			return d.wrong("object")
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}

		members := reflect.MakeMap(t)
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			key := reflect.ValueOf(name.String()).Convert(t.Key())
			value := reflect.New(t.Elem()).Elem()
			if err := read(d, value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			members.SetMapIndex(key, value)
		}

		v.Set(members)
		_, err := d.ReadToken()
		return err
	}
}
