package elsewhere

import (
	"encoding/json"
	"strings"
)

// Spec says where an agent runs, as Lua has made it of the configuration and the data file of the kind.
type Spec struct {
	Kind      string     `msgpack:"kind"`
	Title     string     `msgpack:"title"`     // for messages and the head of the chat: "docker box"
	Head      string     `msgpack:"head"`      // names it in the head of the chat: "sandbox"
	Wrap      []string   `msgpack:"wrap"`      // the words before a command
	TTY       []string   `msgpack:"tty"`       // those before one that has a terminal; nil: as Wrap
	Master    []string   `msgpack:"master"`    // those before the line of a connection that places share
	Check     []string   `msgpack:"check"`     // a command that succeeds if the place can be used
	Joined    bool       `msgpack:"joined"`    // a shell there reads the words after them, as one text
	Login     bool       `msgpack:"login"`     // commands get the environment of a login shell there
	Direct    bool       `msgpack:"direct"`    // its processes are children of ours, with the environment that we give them
	Sandbox   bool       `msgpack:"sandbox"`   // it is bubblewrap, whose words are made here
	Network   bool       `msgpack:"network"`   // of a sandbox
	Paths     [][]string `msgpack:"paths"`     // pairs: here, there
	Folder    string     `msgpack:"folder"`    // where nothing is shared: the folder there
	Read      []string   `msgpack:"read"`      // further folders that a sandbox can read …
	Write     []string   `msgpack:"write"`     // … and write
	Env       []string   `msgpack:"env"`       // names of variables that it gets from here; a * at the end is for any rest
	Reconnect bool       `msgpack:"reconnect"` // a broken line may come back
	Install   string     `msgpack:"install"`   // how to get the program that it needs
	Runtime   []string   `msgpack:"runtime"`   // folders from which Neovim runs files, when the session was opened
}

// Key is the same for specs that one process can serve, started for some folders.
func (s *Spec) Key(cwd string, dirs []string) string {
	if s == nil {
		return ""
	}

	same := *s
	same.Runtime = nil // grows as plugins are loaded
	text, err := json.Marshal(same)
	if err != nil {
		return "" // texts and lists of them always encode
	}

	parts := []string{string(text)}
	if s.Sandbox || s.Folder != "" || strings.Contains(parts[0], "{here}") || strings.Contains(parts[0], "{name}") {
		parts = append(append(parts, cwd), dirs...)
	}

	return strings.Join(parts, "\x00")
}
