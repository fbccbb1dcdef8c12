package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/plain"
)

// The kinds of login methods.
const (
	ByAgent    = "agent"    // authenticate is sent
	ByTerminal = "terminal" // a command is run in a terminal window
	ByUser     = "user"     // the user sets a variable, and starts again
	ByKey      = "key"      // authenticate is sent with a key that the user gives
)

// Method is a way to log in, as the editor is told of it.
type Method struct {
	ID          string            `msgpack:"id"`
	Name        string            `msgpack:"name"`
	Description string            `msgpack:"description"`
	Kind        string            `msgpack:"kind"`
	Argv        []string          `msgpack:"argv"`  // of a terminal …
	Env         map[string]string `msgpack:"env"`   // …, what is set in it …
	Hide        []string          `msgpack:"hide"`  // … and what is not
	Cwd         string            `msgpack:"cwd"`   // and where it runs
	Shown       string            `msgpack:"shown"` // all of the command, for the user to read
}

// LoginMethods are the ways to log in that the agent offers and we have.
func (a *Agent) LoginMethods(cwd string) []Method {
	list := []Method{}
	if a.Info == nil {
		return list
	}
	for _, m := range a.Info.AuthMethods {
		if got, ok := a.method(m, cwd); ok {
			list = append(list, got)
		}
	}
	return list
}

// LoginIDs are the ids of those methods.
func (a *Agent) LoginIDs(cwd string) []string {
	var ids []string
	for _, m := range a.LoginMethods(cwd) {
		ids = append(ids, m.ID)
	}
	return ids
}

// apiKey is the name in _meta of a method that takes a key, and of the key in its request.
const apiKey = "api-key"

// KeyMeta returns a key in the form that the agent reads: a string, or for some, as their presets say, an object.
func (s Spec) KeyMeta(key string) acp.Meta {
	var form any = key
	if how, _ := s.Quirks["api_key"].(string); how == "object" {
		form = map[string]string{"apiKey": key}
	}
	text, err := json.Marshal(form)
	if err != nil {
		return nil // no string does that
	}
	return acp.Meta{apiKey: acp.Raw(text)}
}

func (a *Agent) method(m acp.AuthMethod, cwd string) (Method, bool) {
	got := Method{
		ID: m.ID, Name: plain.Brief(m.Name), Description: plain.Brief(m.Description),
		Env: map[string]string{}, Argv: []string{},
	}
	kind, args := m.Type, m.Args
	if kind == "" { // some say it there
		kind = metaOf[string](m.Meta, "type")
		if kind == acp.AuthTerminal {
			args = metaOf[[]string](m.Meta, "args")
		}
	}

	given := metaOf[struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}](m.Meta, "terminal-auth")
	switch {
	case kind == acp.AuthTerminal:
		got.runs(append(append([]string{a.Spec.Command}, a.Spec.Args...), args...), m.Env)
	case kind == "" && given.Command != "":
		got.runs(append([]string{given.Command}, given.Args...), given.Env)
	case (kind == "" || kind == "agent") && m.Meta[apiKey] != nil:
		got.Kind = ByKey
		return got, true
	case kind == "" || kind == "agent":
		got.Kind = ByAgent
		return got, true
	case kind == "env_var":
		got.Kind = ByUser
		return got, true
	default:
		return got, false
	}

	got.Cwd = cwd
	if a.Spec.Cwd != "" {
		got.Cwd = a.Spec.Cwd
	}

	env := maps.Clone(a.Spec.Env)
	if env == nil {
		env = map[string]string{}
	}

	maps.Copy(env, got.Env)
	got.Env = env
	for _, name := range hidden {
		if _, configured := a.Spec.Env[name]; !configured {
			got.Hide = append(got.Hide, name)
		}
	}

	return got, true
}

// runs makes it a method that runs a command, with what the method itself sets in its environment.
func (m *Method) runs(argv []string, env map[string]string) {
	m.Kind, m.Argv, m.Env = ByTerminal, argv, map[string]string{}
	maps.Copy(m.Env, env)
	maps.DeleteFunc(m.Env, func(name, _ string) bool { return slices.Contains(hidden, name) })
	var words []string
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		words = append(words, name+"="+quoted(m.Env[name]))
	}
	for _, arg := range argv {
		words = append(words, quoted(arg))
	}
	m.Shown = plain.Visible(strings.Join(words, " "))
}

func quoted(word string) string {
	text, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return fmt.Sprintf("%q", word)
	}
	return text
}

// metaOf is what stands under a name of _meta, zero if it is not there or is something else.
func metaOf[T any](meta acp.Meta, name string) T {
	var value, none T
	if acp.Unmarshal(meta[name], &value) != nil {
		return none
	}
	return value
}
