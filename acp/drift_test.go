package acp

import (
	"bufio"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The drift test holds the types to the table that internal/schematable extracts from the protocol's schema.

// def is a definition of the schema.
type def struct {
	fields map[string]defField
	union  [][2]string // tag=value (or -) and the definition with the fields (or -)
	enum   []string
	scalar string
}

type defField struct {
	typ   string
	marks []string
}

type table struct {
	defs    map[string]*def
	methods map[string]string // to the side that serves it
}

func readTable(t *testing.T) table {
	t.Helper()
	f, err := os.Open("testdata/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it is only read
	tab := table{defs: make(map[string]*def), methods: make(map[string]string)}
	get := func(name string) *def {
		if tab.defs[name] == nil {
			tab.defs[name] = &def{fields: make(map[string]defField)}
		}
		return tab.defs[name]
	}
	var current *def
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		switch {
		case strings.HasPrefix(lines.Text(), "\t"):
			current.fields[w[0]] = defField{w[1], w[2:]}
		case w[0] == "method":
			tab.methods[w[1]] = w[2]
		case w[0] == "type":
			current = get(w[1])
		case w[0] == "union":
			get(w[1]).union = append(get(w[1]).union, [2]string{w[2], w[3]})
		case w[0] == "enum":
			get(w[1]).enum = w[2:]
		case w[0] == "scalar":
			get(w[1]).scalar = w[2]
		}
	}
	return tab
}

func TestDriftFields(t *testing.T) {
	tab := readTable(t)
	covered := make(map[string]bool)
	for _, k := range known {
		names := strings.Fields(k.defs)
		want := make(map[string]defField)
		for _, name := range names {
			covered[name] = true
			if tab.defs[name] == nil {
				t.Errorf("%s: not in the schema", name)
				continue
			}
			maps.Copy(want, tab.defs[name].fields)
		}
		ours := jsonFields(k.typ)
		for name, w := range want {
			f, ok := ours[name]
			if !ok {
				t.Errorf("%s: lacks %s", k.typ, name)
				continue
			}
			if !fits(tab, w.typ, f.Type) {
				t.Errorf("%s.%s: is %s, schema has %s", k.typ, name, f.Type, w.typ)
			}
			if len(names) == 1 && !strings.HasPrefix(k.typ.Name(), "wire") {
				checkMarks(t, k.typ.String()+"."+name, f.Tag.Get("acp"), w.marks)
			}
		}
		for name := range ours {
			if _, ok := want[name]; !ok && !slices.Contains(strings.Fields(k.extra), name) {
				t.Errorf("%s: has %s, which is not in the schema", k.typ, name)
			}
		}
	}
	for name, d := range tab.defs {
		if len(d.enum) == 0 && d.scalar == "" && refused[name] == "" && !covered[name] && !isUnion(name) {
			t.Errorf("%s: in the schema, but not here", name)
		}
	}
}

// checkMarks compares what the schema says of a field's presence and leniency with our tag. Null is always tolerated.
func checkMarks(t *testing.T, name, tag string, marks []string) {
	t.Helper()
	for ours, theirs := range map[string]string{"required": "required", "lax": "default-on-error"} {
		if got, want := strings.Contains(tag, ours), slices.Contains(marks, theirs); got != want {
			switch name {
			case "acp.Error.data": // any value is taken
				continue
			case "acp.RequestPermissionOutcome.optionId": // of one outcome only
				continue
			}
			t.Errorf("%s: tagged %q, schema has %v", name, tag, marks)
		}
	}
	if slices.Contains(marks, "skip-invalid") && !strings.Contains(tag, "lax") {
		t.Errorf("%s: does not skip invalid items", name)
	}
}

func jsonFields(t reflect.Type) map[string]reflect.StructField {
	fields := make(map[string]reflect.StructField)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		fields[name] = t.Field(i)
	}
	return fields
}

// fits reports whether a type of the schema can be held by a Go type.
func fits(tab table, want string, t reflect.Type) bool {
	if o, ok := reflect.Zero(t).Interface().(optional); ok {
		t = o.value()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == rawType {
		return true
	}
	if item, ok := strings.CutPrefix(want, "[]"); ok {
		return t.Kind() == reflect.Slice && fits(tab, item, t.Elem())
	}
	switch want {
	case "string", "string:uri":
		return t.Kind() == reflect.String
	case "boolean":
		return t.Kind() == reflect.Bool
	case "integer:uint16", "integer:uint32", "integer:uint64", "integer:int64":
		return t.Kind().String() == strings.TrimPrefix(want, "integer:")
	case "integer:int32":
		return t.Kind() == reflect.Int
	case "number:double":
		return t.Kind() == reflect.Float64
	case "object":
		return t == metaType
	case "any":
		return t.Kind() == reflect.Interface && t.NumMethod() == 0
	case "map[string]":
		return t == reflect.TypeFor[map[string]string]()
	case "map[ElicitationPropertySchema]":
		return t == reflect.TypeFor[ElicitationProperties]()
	case "map[ElicitationContentValue]":
		return t == reflect.TypeFor[map[string]any]()
	}
	d := tab.defs[want]
	switch {
	case d == nil:
		return false
	case len(d.enum) > 0 && strings.HasPrefix(d.enum[0], "-"):
		return t.Kind() == reflect.Int
	case len(d.enum) > 0:
		return t.Kind() == reflect.String
	case d.scalar != "":
		return fits(tab, d.scalar, t)
	}
	return strings.EqualFold(t.Name(), want) || t == reflect.TypeFor[ResourceContents]() && want == "EmbeddedResourceResource" ||
		t == reflect.TypeFor[Supported]() && strings.HasSuffix(want, "Capabilities")
}

// The interface types by their name in the schema.
var unionNames = map[string]*union{
	"SessionUpdate": updateUnion, "ContentBlock": contentUnion, "ToolCallContent": toolContentUnion,
	"ElicitationPropertySchema": propertyUnion, "McpServer": serverUnion, "EmbeddedResourceResource": resourceUnion,
}

func isUnion(name string) bool { return unionNames[name] != nil }

func TestDriftUnions(t *testing.T) {
	tab := readTable(t)
	for name, u := range unionNames {
		want := make(map[string]string)
		for _, v := range tab.defs[name].union {
			tag, value, tagged := strings.Cut(v[0], "=")
			if !tagged || value == "*" {
				continue
			}
			if tag != u.tag {
				t.Errorf("%s: tag is %s, schema has %s", name, u.tag, tag)
			}
			want[value] = v[1]
		}
		for value, typ := range u.variants {
			if unstable[value] {
				continue
			}
			i := slices.IndexFunc(known, func(k struct {
				typ         reflect.Type
				defs, extra string
			}) bool {
				return k.typ == typ
			})
			if i < 0 || want[value] != known[i].defs {
				t.Errorf("%s: %s is %s, schema has %q", name, value, typ, want[value])
			}
			delete(want, value)
		}
		for value := range want {
			t.Errorf("%s: lacks %s", name, value)
		}
	}
}

func TestDriftEnums(t *testing.T) {
	tab := readTable(t)
	ours := map[string][]string{
		"ToolKind": names(ToolKindRead, ToolKindEdit, ToolKindDelete, ToolKindMove, ToolKindSearch, ToolKindExecute,
			ToolKindThink, ToolKindFetch, ToolKindSwitchMode, ToolKindOther),
		"ToolCallStatus":              names(ToolCallPending, ToolCallInProgress, ToolCallCompleted, ToolCallFailed),
		"StopReason":                  names(StopEndTurn, StopMaxTokens, StopMaxTurnRequests, StopRefusal, StopCancelled),
		"PermissionOptionKind":        names(AllowOnce, AllowAlways, RejectOnce, RejectAlways),
		"PlanEntryPriority":           names(PriorityHigh, PriorityMedium, PriorityLow),
		"PlanEntryStatus":             names(PlanPending, PlanInProgress, PlanCompleted),
		"Role":                        names(RoleAssistant, RoleUser),
		"NoticeSeverity":              names(NoticeInfo, NoticeWarning, NoticeError),
		"CompactionStatus":            names(CompactionInProgress, CompactionCompleted, CompactionFailed, CompactionCancelled),
		"StringFormat":                {FormatEmail, FormatURI, FormatDate, FormatDateTime},
		"ElicitationSchemaType":       {"object"},
		"SessionConfigOptionCategory": {CategoryMode, CategoryModel, CategoryModelConfig, CategoryThoughtLevel},
		"ErrorCode":                   {"-32700", "-32600", "-32601", "-32602", "-32603", "-32800", "-32000", "-32002"},
	}
	for name, d := range tab.defs {
		if len(d.enum) == 0 {
			continue
		}
		want := slices.DeleteFunc(slices.Clone(d.enum), func(s string) bool { return s == "*" })
		if !slices.Equal(ours[name], want) {
			t.Errorf("%s: %v, schema has %v", name, ours[name], want)
		}
	}
}

func names[S ~string](values ...S) []string {
	var list []string
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

func TestDriftMethods(t *testing.T) {
	for method, side := range readTable(t).methods {
		switch _, served := routes[method]; {
		case side == "agent":
			if method != "session/cancel" && calls[method] == nil {
				t.Errorf("%s: cannot be called", method)
			}
		case side == "protocol" || served:
		case method != "session/update" && method != "elicitation/complete":
			t.Errorf("%s: is not served", method)
		}
	}
}
