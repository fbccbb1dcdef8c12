package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// variables are the values of $name, as text.
type variables map[string]string

var variable = lazy.Regexp(`\$[A-Za-z_][A-Za-z0-9_]*`)

// expand replaces the variables that have a value. Where the text is JSON they are escaped for a string.
func (v variables) expand(text string, isJSON bool) string {
	return variable().ReplaceAllStringFunc(text, func(name string) string {
		value, ok := v[name[1:]]
		if !ok {
			return name
		}
		if !isJSON || name == "$id" || name == "$last" { // an id is JSON already
			return value
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return value
		}
		return string(quoted[1 : len(quoted)-1])
	})
}

// match compares got with the fields that want gives, and says where they differ first, or "". It gives values to the
// variables that have none, if and only if all matches.
func (v variables) match(want, got json.RawMessage) string {
	if len(want) == 0 {
		return ""
	}

	wanted, err := decode(want)
	if err != nil {
		return fmt.Sprintf("the script's fields are not JSON: %v", err)
	}

	var value any
	if len(got) > 0 {
		if value, err = decode(got); err != nil {
			return fmt.Sprintf("not JSON: %v", err)
		}
	}

	found := variables{}
	if difference := found.compare("", wanted, value); difference != "" {
		return difference
	}

	maps.Copy(v, found)
	return ""
}

// compare is match for decoded values; path says where they are.
func (v variables) compare(path string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return differ(path, want, got)
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if difference := v.compare(path+"."+key, want[key], object[key]); difference != "" {
				return difference
			}
		}
		return ""
	case []any:
		array, ok := got.([]any)
		if !ok || len(array) != len(want) {
			return differ(path, want, got)
		}
		for i := range want {
			if difference := v.compare(fmt.Sprintf("%s[%d]", path, i), want[i], array[i]); difference != "" {
				return difference
			}
		}
		return ""
	case string:
		return v.compareString(path, want, got)
	}

	if want != got {
		return differ(path, want, got)
	}

	return ""
}

// compareString is compare for a string, which may be a variable without a value yet.
func (v variables) compareString(path, want string, got any) string {
	if want == "$_" || want == got {
		return ""
	}

	name := variable().FindString(want)
	if name != want {
		return differ(path, want, got)
	}

	text, ok := got.(string)
	if !ok {
		text = quote(got)
	}
	if before, bound := v[name[1:]]; bound && before != text {
		return differ(path, before, got)
	}

	v[name[1:]] = text
	return ""
}

// differ words a difference.
func differ(path string, want, got any) string {
	if path == "" {
		path = "."
	}
	return fmt.Sprintf("%s: got %s, want %s", path, quote(got), quote(want))
}

// quote shows a decoded value as JSON.
func quote(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// decode keeps numbers as they are written, so that large ids compare exactly.
func decode(text json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}
