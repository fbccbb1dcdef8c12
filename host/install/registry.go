// Package install puts agents into a folder of ours, each at one version, as a registry of the Agent Client Protocol describes
// them. The command `nvim-acp install` runs it, a process for each piece of work; nothing here runs by itself.
package install

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/nvim-acp/nvim-acp/internal/lazy"
)

// Registry is a list of agents in the format of the public registry.
type Registry struct {
	Version string  `json:"version"`
	Agents  []Agent `json:"agents"`
}

// Agent is one agent of a registry, at the version that it pins.
type Agent struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Version      string       `json:"version"`
	Description  string       `json:"description"`
	Distribution Distribution `json:"distribution"`
}

// Distribution is the ways in which an agent can be had; at least one is set.
type Distribution struct {
	Binary map[string]Target `json:"binary,omitempty"` // by platform, such as linux-x86_64
	NPX    *Package          `json:"npx,omitempty"`
	UVX    *Package          `json:"uvx,omitempty"`
}

// Target is an archive with a program, or the program itself.
type Target struct {
	Archive string            `json:"archive"`
	SHA256  string            `json:"sha256,omitempty"`
	Cmd     string            `json:"cmd"` // its path in the archive
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// Package is a package of npm or of PyPI, with its version or without.
type Package struct {
	Package string            `json:"package"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// maxRegistry is how many bytes a registry may have.
const maxRegistry = 8 << 20

// Read reads a registry. What it says of single agents is checked when one is planned.
func Read(r io.Reader) (*Registry, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxRegistry))
	if err != nil {
		return nil, err
	}

	var raw struct {
		Version string            `json:"version"`
		Agents  []json.RawMessage `json:"agents"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("not a registry of agents: %w", err)
	}

	list := Registry{Version: raw.Version}
	for _, entry := range raw.Agents {
		var a Agent
		if json.Unmarshal(entry, &a) == nil { // others are not ours to read: the registry may know more than we do
			list.Agents = append(list.Agents, a)
		}
	}

	if len(list.Agents) == 0 {
		return nil, fmt.Errorf("not a registry of agents: it has none")
	}

	return &list, nil
}

// Find returns the agent with an id.
func (r *Registry) Find(id string) (Agent, error) {
	for _, a := range r.Agents {
		if a.ID == id {
			return a, nil
		}
	}
	return Agent{}, fmt.Errorf("the registry has no agent %q", id)
}

// What becomes a name of a file or an argument of a program has one of these forms: none is an option, or leaves a folder.
var (
	idForm      = lazy.Regexp(`^[a-z0-9][a-z0-9-]{0,63}$`)
	versionForm = lazy.Regexp(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$`)
	npmForm     = lazy.Regexp(`^(@[a-z0-9][a-z0-9._~-]*/)?[A-Za-z0-9][A-Za-z0-9._~-]*$`)
	pypiForm    = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._,-]+\])?$`)
	sumForm     = lazy.Regexp(`^[0-9a-f]{64}$`)
)

func checkVersion(version string) error {
	if !versionForm().MatchString(version) || strings.Contains(version, "..") {
		return fmt.Errorf("%q is not the name of a version", version)
	}
	return nil
}

// splitPackage returns a package's name and its version, which is the agent's where none is given.
func splitPackage(text, version string) (name, pinned string) {
	if name, pinned, ok := strings.Cut(text, "=="); ok {
		return name, pinned
	}
	if at := strings.LastIndexByte(text, '@'); at > 0 { // the first may belong to a scope
		return text[:at], text[at+1:]
	}
	return text, version
}
