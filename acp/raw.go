package acp

import "github.com/go-json-experiment/json/jsontext"

// Raw is one JSON value as it was received, or as it is to be sent.
type Raw = jsontext.Value

// Meta is the `_meta` member that nearly every type carries: values of extensions by name, never interpreted here.
// It is nil when absent, and empty, not nil, when it was sent as null or {}.
type Meta map[string]Raw

// Opt is a field of a patch, which may be absent (not Set: leave unchanged), null (Set and Null: clear) or a value.
// The zero Opt is absent.
type Opt[T any] struct {
	Set   bool
	Null  bool
	Value T
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

// Null returns an Opt that clears.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// Or returns the value if there is one, else old; a null gives the zero value. It is how a patch is applied.
func (o Opt[T]) Or(old T) T {
	if !o.Set {
		return old
	}
	return o.Value
}

// IsZero reports that the field is absent, so that omitzero leaves it out.
func (o Opt[T]) IsZero() bool { return !o.Set }

// MarshalJSONTo writes the value or null.
func (o Opt[T]) MarshalJSONTo(e *jsontext.Encoder) error {
	if o.Null || !o.Set {
		return e.WriteToken(jsontext.Null)
	}
	return encodeTo(e, o.Value)
}
