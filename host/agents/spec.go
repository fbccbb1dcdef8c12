package agents

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/host/elsewhere"
	"github.com/nvim-acp/nvim-acp/host/rules"
)

// Spec says how to start an agent.
type Spec struct {
	Name       string            `msgpack:"name"`
	Title      string            `msgpack:"title"`
	Command    string            `msgpack:"command"`
	Args       []string          `msgpack:"args"`
	Env        map[string]string `msgpack:"env"`
	Cwd        string            `msgpack:"cwd"` // "": the session's
	Install    string            `msgpack:"install"`
	Login      string            `msgpack:"login"` // how to log in, in words
	AuthMethod string            `msgpack:"auth_method"`
	Kept       []string          `msgpack:"kept"` // login methods for which Lua has a key, and uses it by itself
	Quirks     map[string]any    `msgpack:"quirks"`
	Mode       string            `msgpack:"mode"`
	Model      string            `msgpack:"model"`
	Options    map[string]any    `msgpack:"options"`

	Servers map[string]Server `msgpack:"mcp_servers"`
	Rules   []rules.Rule      `msgpack:"rules"` // of the project's

	Elsewhere *elsewhere.Spec `msgpack:"elsewhere"` // where it runs; nil: here
	Dirs      []string        `msgpack:"-"`         // the session's further folders
	Session   string          `msgpack:"-"`         // local id of the session that it is for; "": none
}

// Key is the same for specs that one process can serve, for sessions in a folder.
func (s Spec) Key(cwd string) string {
	parts := append([]string{s.Name, s.Command, s.Cwd, s.Elsewhere.Key(cwd, s.Dirs)}, s.Args...)
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		parts = append(parts, k+"="+s.Env[k])
	}
	return strings.Join(parts, "\x00")
}

// place is the same for what has one process: specs of one key, or sessions of an agent that serves one each.
func (s Spec) place(cwd string) string {
	if s.Quirk("process_per_session") && s.Session != "" {
		return s.Key(cwd) + "\x00\x00" + s.Session
	}
	return s.Key(cwd)
}

// Where names the place in which the agent runs, "" if that is here.
func (s Spec) Where() string {
	if s.Elsewhere == nil {
		return ""
	}
	return s.Elsewhere.Head
}

// Quirk reports whether a peculiarity of the agent is set.
func (s Spec) Quirk(name string) bool {
	on, _ := s.Quirks[name].(bool)
	return on
}

// Reads returns how the agent reads files, as its preset says: "disk", "editor" or "" if it does not say.
func (s Spec) Reads() string {
	how, _ := s.Quirks["reads"].(string)
	return how
}

// Counts returns how the agent counts tokens in the answer to a prompt, as its preset says: "session", "request" or "", which is by
// turns.
func (s Spec) Counts() string {
	how, _ := s.Quirks["tokens"].(string)
	return how
}

// initializeTimeout is how long an agent may take to answer initialize: some unpack themselves first.
const (
	initializeTimeout = 60 * time.Second
	maxPatience       = 24 * 60 * 60 // seconds
)

// Patience is how long an agent may take to answer initialize.
func (s Spec) Patience() time.Duration {
	if n := number(s.Quirks["initialize_seconds"]); n > 0 {
		return time.Duration(min(n, maxPatience) * float64(time.Second))
	}
	return initializeTimeout
}

// number is a number as msgpack has it, else 0.
func number(value any) float64 {
	switch n := value.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	}
	return 0
}

// LoginHint is how to log in, as the preset says it, for the end of a sentence.
func (s Spec) LoginHint() string {
	if s.Login == "" {
		return ""
	}
	return "; " + s.Login
}

// Server is a server of the Model Context Protocol as it is configured: started by the agent, or at a URL.
type Server struct {
	Command string            `msgpack:"command"`
	Args    []string          `msgpack:"args"`
	Env     map[string]string `msgpack:"env"`
	Type    string            `msgpack:"type"` // "stdio", "http" or "sse"; "": by what else is given
	URL     string            `msgpack:"url"`
	Headers map[string]string `msgpack:"headers"`
	Project bool              `msgpack:"project"` // it comes from the project, not from the user
}
