package acp

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// plainUnion reads an interface type as go-json-experiment has it: the value once for its tag, and once more as its type.
func plainUnion[T any](u *union) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *T) error {
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		var tag struct {
			Update string `json:"sessionUpdate"`
			Type   string `json:"type"`
		}
		if err := json.Unmarshal(raw, &tag, decodeOptions); err != nil {
			return err
		}
		t := u.variants[tag.Update+tag.Type]
		if t == nil {
			return fmt.Errorf("no variant %q", tag.Update+tag.Type)
		}
		p := reflect.New(t)
		if err := json.Unmarshal(raw, p.Interface(), d.Options()); err != nil {
			return err
		}
		*v = p.Interface().(T)
		return nil
	})
}

// BenchmarkPlainUpdate is BenchmarkUpdate with go-json-experiment's own reader of structs, which knows neither required
// members nor malformed ones that are to be dropped.
func BenchmarkPlainUpdate(b *testing.B) {
	options := json.JoinOptions(decodeOptions, json.WithUnmarshalers(json.JoinUnmarshalers(
		plainUnion[SessionUpdate](updateUnion), plainUnion[ContentBlock](contentUnion))))
	for _, l := range benchLines {
		b.Run(l.name, func(b *testing.B) {
			b.SetBytes(int64(len(l.line)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := parseEnvelope(l.line)
				if err != nil {
					b.Fatal(err)
				}
				var n SessionNotification
				if err := json.Unmarshal(m.Params, &n, options); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
