package session

import "slices"

// Servers are the MCP servers that the agent was given.
type Servers struct {
	screen   *Screen
	names    []string
	searched uint64   // the message up to which its stderr was searched for what became of them
	unserved []string // a sentence on each server that it was not given
	said     []string // those that were shown
}

// Set notes the MCP servers that the agent was given, by name, and sentences on those that it was not.
func (v *Servers) Set(names, unserved []string) { v.names, v.unserved = names, unserved }

// Given returns the names of the MCP servers that the agent was given, and up to which message its stderr was searched for what
// became of them.
func (v *Servers) Given() (names []string, searched uint64) { return v.names, v.searched }

// Searched notes up to which message the agent's stderr was searched.
func (v *Servers) Searched(n uint64) { v.searched = n }

// say says which servers the agent does not have, and more sentences on such; each once.
func (v *Servers) say(more []string) {
	for _, text := range slices.Concat(v.unserved, more) {
		if !slices.Contains(v.said, text) {
			v.said = append(v.said, text)
			v.screen.note(text, "AcpWarning")
		}
	}
}
