package acp

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

func (*StringPropertySchema) propertySchema()      {}
func (*NumberPropertySchema) propertySchema()      {}
func (*IntegerPropertySchema) propertySchema()     {}
func (*BooleanPropertySchema) propertySchema()     {}
func (*MultiSelectPropertySchema) propertySchema() {}
func (*UnknownPropertySchema) propertySchema()     {}

// check holds the request to exactly one scope, and to what its mode needs.
func (r *CreateElicitationRequest) check() error {
	if (r.SessionID != "") == (r.RequestID != nil) {
		return errors.New("needs either sessionId or requestId")
	}
	switch r.Mode {
	case ElicitationForm:
		if r.RequestedSchema == nil {
			return errors.New("requestedSchema: missing")
		}
	case ElicitationURL:
		if r.ElicitationID == "" || r.URL == "" {
			return errors.New("elicitationId or url: missing")
		}
	}

	return nil
}

// maxProperties is how many fields a form may have: it is refused with more, for a user cannot fill in a part.
const maxProperties = 200

// decodeRaw keeps the order of the object's members. Of duplicates the last counts.
func (p *ElicitationProperties) decodeRaw(raw Raw) error {
	*p = nil
	return unmarshal(raw, func(d *decoder, _ reflect.Value) error {
		if d.PeekKind() != '{' {
			return d.wrong("object")
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			if len(*p) == maxProperties {
				return fmt.Errorf("has more than %d properties", maxProperties)
			}

			property := ElicitationProperty{Name: name.String()}
			value, err := d.raw()
			if err != nil {
				return err
			}
			if err := Unmarshal(value, &property.Schema); err != nil {
				return err
			}

			p.set(property)
		}

		_, err := d.ReadToken()
		return err
	}, reflect.Value{})
}

func (p *ElicitationProperties) set(property ElicitationProperty) {
	for i := range *p {
		if (*p)[i].Name == property.Name {
			(*p)[i] = property
			return
		}
	}
	*p = append(*p, property)
}

// MarshalJSONTo writes the properties as an object, in their order.
func (p ElicitationProperties) MarshalJSONTo(e *jsontext.Encoder) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, property := range p {
		if err := e.WriteToken(jsontext.String(property.Name)); err != nil {
			return err
		}
		if err := encodeTo(e, property.Schema); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// The wire forms: each without its methods, beside its tag.
type (
	stringWire  StringPropertySchema
	numberWire  NumberPropertySchema
	integerWire IntegerPropertySchema
	booleanWire BooleanPropertySchema
	multiWire   MultiSelectPropertySchema
)

// MarshalJSONTo writes the property with its type.
func (s *StringPropertySchema) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[stringWire]{"string", (*stringWire)(s)})
}

// MarshalJSONTo writes the property with its type.
func (s *NumberPropertySchema) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[numberWire]{"number", (*numberWire)(s)})
}

// MarshalJSONTo writes the property with its type.
func (s *IntegerPropertySchema) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[integerWire]{"integer", (*integerWire)(s)})
}

// MarshalJSONTo writes the property with its type.
func (s *BooleanPropertySchema) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[booleanWire]{"boolean", (*booleanWire)(s)})
}

// MarshalJSONTo writes the property with its type.
func (s *MultiSelectPropertySchema) MarshalJSONTo(e *jsontext.Encoder) error {
	return encodeTo(e, typed[multiWire]{"array", (*multiWire)(s)})
}

// MarshalJSONTo writes the property as it came.
func (s *UnknownPropertySchema) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(s.Raw) }
