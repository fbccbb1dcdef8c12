package acp

import (
	"bytes"
	"errors"
	"reflect"
)

// union is how to read an interface type: the struct by the value of a tag.
type union struct {
	tag      string
	variants map[string]reflect.Type
	untagged reflect.Type                           // the struct when there is no tag; nil: an error
	bare     func(text string) any                  // for a string in place of the object; nil: an error
	unknown  func(tag string, raw Raw) (any, error) // for a tag that is not in variants
}

// unions are the interface types of the protocol. It is filled by init, because decoders and unions refer to each other.
var unions map[reflect.Type]*union

func init() {
	unions = map[reflect.Type]*union{
		reflect.TypeFor[SessionUpdate]():             updateUnion,
		reflect.TypeFor[ContentBlock]():              contentUnion,
		reflect.TypeFor[ToolCallContent]():           toolContentUnion,
		reflect.TypeFor[ElicitationPropertySchema](): propertyUnion,
		reflect.TypeFor[MCPServer]():                 serverUnion,
		reflect.TypeFor[ResourceContents]():          resourceUnion,
	}
}

var updateUnion = &union{
	tag: "sessionUpdate",
	variants: map[string]reflect.Type{
		"user_message_chunk":        reflect.TypeFor[UserMessageChunk](),
		"agent_message_chunk":       reflect.TypeFor[AgentMessageChunk](),
		"agent_thought_chunk":       reflect.TypeFor[AgentThoughtChunk](),
		"tool_call":                 reflect.TypeFor[ToolCall](),
		"tool_call_update":          reflect.TypeFor[ToolCallUpdate](),
		"plan":                      reflect.TypeFor[Plan](),
		"available_commands_update": reflect.TypeFor[AvailableCommandsUpdate](),
		"current_mode_update":       reflect.TypeFor[CurrentModeUpdate](),
		"config_option_update":      reflect.TypeFor[ConfigOptionUpdate](),
		"session_info_update":       reflect.TypeFor[SessionInfoUpdate](),
		"usage_update":              reflect.TypeFor[UsageUpdate](),
		"notice":                    reflect.TypeFor[Notice](),
		"compaction_update":         reflect.TypeFor[CompactionUpdate](),
		"compaction_summary_chunk":  reflect.TypeFor[CompactionSummaryChunk](),
		"subagent_update":           reflect.TypeFor[SubagentUpdate](),
		"session_message":           reflect.TypeFor[SessionMessage](),
		"session_message_chunk":     reflect.TypeFor[SessionMessageChunk](),
	},
	unknown: func(tag string, raw Raw) (any, error) { return &UnknownUpdate{Kind: tag, Raw: raw}, nil },
}

var contentUnion = &union{
	tag: "type",
	variants: map[string]reflect.Type{
		"text":          reflect.TypeFor[TextContent](),
		"image":         reflect.TypeFor[ImageContent](),
		"audio":         reflect.TypeFor[AudioContent](),
		"resource_link": reflect.TypeFor[ResourceLink](),
		"resource":      reflect.TypeFor[EmbeddedResource](),
	},
	bare:    func(text string) any { return Text(text) },
	unknown: func(tag string, raw Raw) (any, error) { return &UnknownContent{tag, raw}, nil },
}

// toolContentUnion also takes a bare content block for content, as the protocol's own examples have it.
var toolContentUnion = &union{
	tag: "type",
	variants: map[string]reflect.Type{
		"content":  reflect.TypeFor[Content](),
		"diff":     reflect.TypeFor[Diff](),
		"terminal": reflect.TypeFor[Terminal](),
	},
	unknown: func(tag string, raw Raw) (any, error) {
		if contentUnion.variants[tag] == nil {
			return &UnknownToolContent{tag, raw}, nil
		}
		var c Content
		if err := Unmarshal(raw, &c.Content); err != nil {
			return nil, err
		}
		return &c, nil
	},
}

var propertyUnion = &union{
	tag: "type",
	variants: map[string]reflect.Type{
		"string":  reflect.TypeFor[StringPropertySchema](),
		"number":  reflect.TypeFor[NumberPropertySchema](),
		"integer": reflect.TypeFor[IntegerPropertySchema](),
		"boolean": reflect.TypeFor[BooleanPropertySchema](),
		"array":   reflect.TypeFor[MultiSelectPropertySchema](),
	},
	unknown: func(tag string, raw Raw) (any, error) { return &UnknownPropertySchema{tag, raw}, nil },
}

var serverUnion = &union{
	tag: "type",
	variants: map[string]reflect.Type{
		"http": reflect.TypeFor[MCPServerHTTP](),
		"sse":  reflect.TypeFor[MCPServerSSE](),
	},
	untagged: reflect.TypeFor[MCPServerStdio](),
	unknown:  func(tag string, _ Raw) (any, error) { return nil, errors.New("unknown type " + tag) },
}

// resourceUnion has no tag: what is there decides.
var resourceUnion = &union{
	unknown: func(_ string, raw Raw) (any, error) {
		var text TextResourceContents
		if err := Unmarshal(raw, &text); err == nil {
			return &text, nil
		}
		var blob BlobResourceContents
		err := Unmarshal(raw, &blob)
		return &blob, err
	},
}

// decode reads an object whose tag says its type. As a rule the tag comes first, and then nothing is read twice. Of
// duplicate tags the first counts.
func (u *union) decode(d *decoder, v reflect.Value) error {
	if d.PeekKind() == '"' && u.bare != nil {
		raw, err := d.raw()
		if err == nil {
			v.Set(reflect.ValueOf(u.bare(unquote(raw))))
		}
		return err
	}
	if d.PeekKind() != '{' {
		return d.wrong("object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}

	start := d.InputOffset() - 1
	var before []early
	for d.PeekKind() != '}' {
		name, err := d.raw()
		if err != nil {
			return err
		}

		value, err := d.raw()
		if err != nil {
			return err
		}
		if len(name) != len(u.tag)+2 || string(name[1:len(name)-1]) != u.tag || value.Kind() == 'n' {
			before = append(before, early{name, value})
			continue
		}
		if value.Kind() != '"' {
			return errors.New(u.tag + " is not a string")
		}

		tag := unquote(value)
		if t := u.variants[tag]; t != nil {
			return u.variant(d, v, t, before)
		}

		return u.other(d, v, tag, start)
	}

	switch {
	case u.untagged != nil:
		return u.variant(d, v, u.untagged, before)
	case u.tag == "":
		return u.other(d, v, "", start)
	}

	return errors.New(u.tag + ": missing")
}

// variant reads the rest of the object as a t.
func (u *union) variant(d *decoder, v reflect.Value, t reflect.Type, before []early) error {
	p := reflect.New(t)
	if err := planOf(t).members(d, p.Elem(), before); err != nil {
		return err
	}
	v.Set(p)
	return nil
}

// other reads the rest of the object, which began at start, and keeps all of it.
func (u *union) other(d *decoder, v reflect.Value, tag string, start int64) error {
	for d.PeekKind() != '}' {
		if err := d.SkipValue(); err != nil {
			return err
		}
	}

	if _, err := d.ReadToken(); err != nil {
		return err
	}

	value, err := u.unknown(tag, bytes.Clone(d.text[start:d.InputOffset()]))
	if err == nil {
		v.Set(reflect.ValueOf(value))
	}

	return err
}
