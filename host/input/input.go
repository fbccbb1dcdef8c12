// Package input reads the raw inputs of tool calls: what is judged by rules, shown to the user, and known of the files of a call is
// what this package says, and nothing else reads them.
//
// Agents take a member by its exact name, so does this package. A member that comes twice, one that is not known, and a value
// of another form than usual are named, for the user to decide. It decides nothing itself; its functions are pure.
package input

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	exact "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"mvdan.cc/sh/v3/syntax"
)

// Input is a raw input. The zero value is none.
type Input struct {
	members []Member
	lone    string // what it is, if it has no members
	odd     string
}

// Member is a part of a raw input.
type Member struct {
	Name  string
	Value jsontext.Value
}

// How much of an input is read. What is beyond is named as odd, and all of the input is shown.
const (
	maxMembers  = 1000
	maxCommands = 20   // that differ
	maxPaths    = 1000 // files that it names
	maxParts    = 200  // folders of one
	maxValues   = 50_000
)

// lenient reads what agents send, also where it is not to be trusted.
var lenient = exact.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Read reads a raw input.
func Read(raw []byte) Input {
	i := parse(raw)
	if i.odd == "" && i.lone == "" {
		i.odd = oddOf(i)
	}
	return i
}

// parse is Read without a look at what is in the members.
func parse(raw []byte) Input {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return Input{}
	}

	var i Input
	if !jsontext.Value(raw).IsValid() {
		i.odd = "its input has a member twice, or is not JSON"
	}

	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient) // which copies nothing
	if many := TooMany(raw); many || dec.PeekKind() != '{' {
		i.lone = string(raw)
		if many {
			i.odd = "it has more values than are read"
		}
		return i
	}
	if _, err := dec.ReadToken(); err != nil {
		return i
	}
	for dec.PeekKind() == '"' {
		if len(i.members) == maxMembers {
			i.odd = "it has more members than are read"
			return i
		}

		name, err := dec.ReadToken()
		if err != nil {
			break
		}

		member := Member{Name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			break
		}

		end := int(dec.InputOffset())
		member.Value = raw[end-len(value) : end : end]
		i.members = append(i.members, member)
	}

	return i
}

// TooMany reports whether a raw input, or output, has more values than are read, however deep: each takes many times its bytes.
func TooMany(raw []byte) bool {
	few := func(sign string) bool { return bytes.Count(raw, []byte(sign)) < maxValues/5 }
	if few(",") && few(":") && few("[") && few("{") {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
	for range maxValues {
		if _, err := dec.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

// oddOf says why it is not sure what an agent makes of an input, "" if it is.
func oddOf(i Input) string {
	if paths := i.named(); len(paths) > maxPaths || len(i.alsoNamed()) > maxPaths || slices.ContainsFunc(paths, tooDeep) {
		return "it names more files, or deeper ones, than are looked at"
	}

	var commands []string
	for _, m := range i.members {
		if (m.Name == "command" || m.Name == "cmd") && !empty(m.Value) {
			text := i.line(m.Value)
			if text == "" || !plainWords(m.Value) || slices.ContainsFunc(commands, func(other string) bool { return other != text }) {
				return "it does not say in the usual way which command it runs"
			}
			commands = append(commands, text)
		}
	}

	for _, m := range i.members {
		if m.Name == "args" && !empty(m.Value) && (m.Value.Kind() != '[' || !plainWords(m.Value)) {
			return "it does not say in the usual way which arguments its command has"
		}
	}

	if len(commands) > 0 && len(i.args()) > 0 && strings.ContainsAny(commands[0], " \t\n;&|<>#$`\"'\\()") {
		return "it has arguments beside a command of several words"
	}

	return ""
}

// plainWords reports whether a list has only texts and numbers. Another value is no list.
func plainWords(value jsontext.Value) bool {
	return !slices.ContainsFunc(elements(value), func(e Member) bool {
		return e.Name != "" || e.Value.Kind() != '"' && e.Value.Kind() != '0'
	})
}

// Odd says why it is not sure what an agent makes of the input, "" if it is.
func (i Input) Odd() string { return i.odd }

// Members returns its members, in their order.
func (i Input) Members() []Member { return i.members }

// Lone is what it is if it has no members: a text, a list.
func (i Input) Lone() string { return i.lone }

// Command returns its shell text, a line for each if there are several; "" if it is no command.
func (i Input) Command() string {
	var commands []string
	for _, m := range i.members {
		if m.Name != "command" && m.Name != "cmd" || len(commands) == maxCommands { // several that differ are odd
			continue
		}
		if text := i.line(m.Value); text != "" && !slices.Contains(commands, text) {
			commands = append(commands, text)
		}
	}

	if len(commands) == 0 {
		return ""
	}
	if args := i.args(); len(args) > 0 {
		tail := " " + strings.Join(args, " ")
		for n := range commands {
			commands[n] += tail
		}
	}

	return strings.Join(commands, "\n")
}

// line returns a command as shell text; a list of words is quoted.
func (i Input) line(value jsontext.Value) string {
	var text string
	if exact.Unmarshal(value, &text, lenient) == nil {
		return text
	}
	return strings.Join(words(value), " ")
}

func (i Input) args() (list []string) {
	for _, m := range i.members {
		if m.Name == "args" {
			list = append(list, words(m.Value)...)
		}
	}
	return list
}

// words returns a list as words of shell text.
func words(value jsontext.Value) (list []string) {
	if value.Kind() != '[' {
		return nil
	}
	for _, e := range elements(value) {
		text := e.Shown()
		if quoted, err := syntax.Quote(text, syntax.LangBash); err == nil {
			text = quoted
		}
		list = append(list, text)
	}
	return list
}

// Dir returns the folder of its command, "" if it says none.
func (i Input) Dir() string {
	for _, m := range i.members {
		if text := textOf(m.Value); text != "" && in("folder", m.Name) {
			return text
		}
	}
	return ""
}

// maxDepth is how deep values are looked into.
const maxDepth = 20

// Paths returns the files that it names, however deep. The folder of a command is none. Where there are more, or some have more parts, than
// are looked at, the input is odd, and those are left out.
func (i Input) Paths() []string {
	list := slices.DeleteFunc(i.named(), tooDeep)
	return list[:min(len(list), maxPaths)]
}

func tooDeep(path string) bool { return strings.Count(path, "/") > maxParts }

// named is Paths with what is left out, and a path more than are looked at.
func (i Input) named() []string {
	var list []string
	command := i.Command() != ""
	for _, m := range i.members {
		if !command || !in("folder", m.Name) {
			list = appendPaths(list, m, 0)
		}
	}
	return list
}

func appendPaths(list []string, m Member, depth int) []string {
	if len(list) > maxPaths {
		return list
	}

	if HasPath(m.Name) {
		if text := textOf(m.Value); text != "" {
			return append(list, text)
		}
	}
	if depth == maxDepth {
		return list
	}
	for _, e := range m.Parts() {
		list = appendPaths(list, e, depth+1)
	}

	return list
}

// elements returns what a list or an object has, without names in a list.
func elements(value jsontext.Value) (list []Member) {
	switch value.Kind() {
	case '{':
		return parse(value).members // each level is read once
	case '[':
		var values []jsontext.Value
		if exact.Unmarshal(value, &values, lenient) == nil {
			for _, v := range values {
				list = append(list, Member{Value: v})
			}
		}
	}
	return list
}

// Text returns the text of a member, "" if there is none.
func (i Input) Text(name string) string {
	for _, m := range i.members {
		if m.Name == name {
			return textOf(m.Value)
		}
	}
	return ""
}

// Decode reads a member into a value, as far as it has its form.
func (i Input) Decode(name string, into any) {
	for _, m := range i.members {
		if m.Name == name {
			_ = exact.Unmarshal(m.Value, into, lenient) // another form is not for us
			return
		}
	}
}

// Texts returns all texts in it, however deep.
func (i Input) Texts() (list []string) {
	if i.lone != "" && !TooMany([]byte(i.lone)) {
		return textsIn(list, jsontext.Value(i.lone), 0)
	}
	for _, m := range i.members {
		list = textsIn(list, m.Value, 0)
	}
	return list
}

func textsIn(list []string, value jsontext.Value, depth int) []string {
	switch {
	case depth == maxDepth:
		return list
	case value.Kind() == '"':
		return append(list, textOf(value))
	}
	for _, e := range elements(value) {
		list = textsIn(list, e.Value, depth+1)
	}
	return list
}

func textOf(value jsontext.Value) (text string) {
	if value.Kind() == '"' {
		_ = exact.Unmarshal(value, &text, lenient) // it is one
	}
	return text
}

// empty reports whether a value says nothing.
func empty(value jsontext.Value) bool {
	text := bytes.TrimSpace(value)
	if n := len(text); n > 1 && (text[0] == '[' || text[0] == '{') {
		return len(bytes.TrimSpace(text[1:n-1])) == 0
	}
	return string(text) == "null" || string(text) == `""`
}

func compact(value jsontext.Value) []byte {
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return value
	}
	return out.Bytes()
}
