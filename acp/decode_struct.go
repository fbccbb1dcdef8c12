package acp

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// plan describes how to decode a struct: its fields by name, the required ones, and a last check.
type plan struct {
	fields   map[string]*field
	required uint64 // bits of field.index
	check    bool   // the type is a checker
}

// checker is a type with a rule that the tags cannot say.
type checker interface{ check() error }

// field describes how to decode one field.
type field struct {
	name  string
	index int
	need  bool       // acp:"required", and not waived
	lax   bool       // acp:"lax"; of a required field acp:"waived": the schema wants it, and agents leave it out
	id    bool       // acp:"id": a number is read as its text; what is neither is none
	read  decodeFunc // of the field's type, or of an Opt's value
	list  reflect.Type
	item  decodeFunc // of a lax list's items
	opt   bool       // the field is an Opt: of its fields Set, Null and Value
	empty bool       // null gives an empty map, not nil
}

// optional is implemented by every Opt.
type optional interface{ value() reflect.Type }

func (o Opt[T]) value() reflect.Type { return reflect.TypeFor[T]() }

var (
	plans       sync.Map // reflect.Type to *plan
	checkerType = reflect.TypeFor[checker]()
	metaType    = reflect.TypeFor[Meta]()
)

// planOf returns the plan of a struct, which is created at its first use.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, newPlan(t))
	return p.(*plan)
}

// isOurs reports whether a struct has fields with our tags.
func isOurs(t reflect.Type) bool {
	for i := range t.NumField() {
		if _, ok := t.Field(i).Tag.Lookup("acp"); ok {
			return true
		}
	}
	return false
}

func structDecoder(t reflect.Type) decodeFunc {
	p := planOf(t)
	return func(d *decoder, v reflect.Value) error {
		if d.PeekKind() != '{' {
			return d.wrong("object")
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		return p.members(d, v, nil)
	}
}

func newPlan(t reflect.Type) *plan {
	p := &plan{fields: make(map[string]*field), check: reflect.PointerTo(t).Implements(checkerType)}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if !sf.IsExported() || name == "" || name == "-" {
			continue
		}

		f := newField(name, i, sf)
		p.fields[name] = f
		if _, other, ok := strings.Cut(sf.Tag.Get("acp"), "or="); ok {
			p.fields[other] = f
		}
		if f.need {
			p.required |= 1 << i
		}
	}

	return p
}

func newField(name string, index int, sf reflect.StructField) *field {
	mark := sf.Tag.Get("acp")
	f := &field{
		name: name, index: index,
		id:    slices.Contains(strings.Split(mark, ","), "id"),
		empty: sf.Type == metaType,
	}
	waived := f.id || strings.Contains(mark, "waived")
	f.need = strings.Contains(mark, "required") && !waived
	f.lax = strings.Contains(mark, "lax") || waived
	t := sf.Type
	if o, ok := reflect.Zero(t).Interface().(optional); ok {
		f.opt, t = true, o.value()
	}
	if f.lax && t.Kind() == reflect.Slice && t != rawType {
		f.list, f.item = t, decoderOf(t.Elem())
	}

	f.read = decoderOf(t)
	return f
}

// early is a member of an object that was read before the object's type was known.
type early struct{ name, value Raw }

// members reads an object from after its opening brace, the early ones first.
func (p *plan) members(d *decoder, v reflect.Value, before []early) error {
	var seen uint64
	for _, m := range before {
		f := p.field(m.name)
		if f == nil {
			continue
		}
		seen |= 1 << f.index
		if err := unmarshal(m.value, f.decode, v.Field(f.index)); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}

	for d.PeekKind() != '}' {
		name, err := d.raw()
		if err != nil {
			return err
		}

		f := p.field(name)
		if f == nil {
			if err := d.SkipValue(); err != nil {
				return err
			}
			continue
		}

		seen |= 1 << f.index
		if err := f.decode(d, v.Field(f.index)); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}

	if _, err := d.ReadToken(); err != nil {
		return err
	}

	return p.finish(seen, v)
}

func (p *plan) finish(seen uint64, v reflect.Value) error {
	if missing := p.required &^ seen; missing != 0 {
		first := bits.TrailingZeros64(missing)
		for _, f := range p.fields {
			if f.index == first {
				return fmt.Errorf("%s: missing", f.name)
			}
		}
	}
	if p.check {
		return v.Addr().Interface().(checker).check()
	}
	return nil
}

// field returns a field by its quoted name.
func (p *plan) field(name Raw) *field {
	if len(name) < 2 {
		return nil
	}
	if f := p.fields[string(name[1:len(name)-1])]; f != nil {
		return f
	}
	plain, err := jsontext.AppendUnquote(nil, name)
	if err != nil {
		return nil
	}
	return p.fields[string(plain)]
}

// decode reads the field's value and drops that of an earlier duplicate.
func (f *field) decode(d *decoder, v reflect.Value) error {
	v.SetZero()
	if d.PeekKind() == 'n' {
		return f.null(d, v)
	}
	if !f.opt {
		_, err := f.value(d, v)
		return err
	}
	ok, err := f.value(d, v.FieldByName("Value"))
	v.FieldByName("Set").SetBool(ok)
	return err
}

func (f *field) null(d *decoder, v reflect.Value) error {
	switch {
	case f.need && !f.lax:
		return errors.New("is null")
	case f.opt:
		v.FieldByName("Set").SetBool(true)
		v.FieldByName("Null").SetBool(true)
	case f.empty:
		v.Set(reflect.MakeMap(metaType))
	}
	return d.SkipValue()
}

// value reads a value that is not null and reports whether there is one: a malformed value of a lax field is none.
func (f *field) value(d *decoder, v reflect.Value) (ok bool, err error) {
	switch {
	case !f.lax || f.plain(d.PeekKind(), v):
		return true, f.read(d, v)
	case f.id && d.PeekKind() == '0':
		raw, err := d.raw()
		v.SetString(string(raw))
		return true, err
	case f.list != nil && d.PeekKind() == '[':
		return true, f.items(d, v)
	}

	raw, err := d.raw()
	if err != nil {
		return false, err
	}
	if unmarshal(raw, f.read, v) != nil {
		v.SetZero()
		return false, nil
	}

	return true, nil
}

// plain reports whether a value of that kind cannot be malformed, so that it can be read in one go.
func (f *field) plain(k jsontext.Kind, v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return k == '"'
	case reflect.Bool:
		return k == 't' || k == 'f'
	case reflect.Map:
		return f.empty && k == '{'
	case reflect.Slice:
		return v.Type() == rawType
	}
	return false
}

// items reads a list without its malformed items.
func (f *field) items(d *decoder, v reflect.Value) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}

	list := reflect.MakeSlice(f.list, 0, 0)
	for d.PeekKind() != ']' {
		raw, err := d.raw()
		if err != nil {
			return err
		}
		if list.Len() == MaxItems {
			continue
		}
		item := reflect.New(f.list.Elem()).Elem()
		if unmarshal(raw, f.item, item) == nil {
			list = reflect.Append(list, item)
		}
	}

	v.Set(list)
	_, err := d.ReadToken()
	return err
}
