package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvim-acp/nvim-acp/internal/regular"
)

// ManifestName is the file in an agent's folder that says what is in it. Lua reads it too.
const ManifestName = "agent.json"

// Manifest says what is installed in a folder. A folder without one is not whole.
type Manifest struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Version   string            `json:"version"`
	How       string            `json:"how"`
	Source    string            `json:"source"`
	SHA256    string            `json:"sha256"`  // of the archive, as it was downloaded
	Program   string            `json:"program"` // below the folder, or the name of one on $PATH
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Installed int64             `json:"installed"` // Unix time
	Notes     []string          `json:"notes"`     // warnings of the installer
}

func (p *Plan) manifest() *Manifest {
	return &Manifest{
		ID: p.ID, Name: p.Name, Version: p.Version, How: p.How, Source: p.Source, SHA256: p.SHA256,
		Program: p.Program, Args: p.Args, Env: p.Env, Installed: time.Now().Unix(),
	}
}

func (m *Manifest) write(folder string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, ManifestName)
	_ = os.Remove(path) // an archive may have a link of that name
	f, err := regular.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Close())
}

func readManifest(folder string) (*Manifest, error) {
	text, err := regular.ReadFile(filepath.Join(folder, ManifestName))
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return &m, nil
}

// Installed returns what is installed of an agent, the latest installation last.
func Installed(root, id string) []*Manifest {
	entries, _ := os.ReadDir(filepath.Join(root, id)) // none: nothing is installed
	var list []*Manifest
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if m, err := readManifest(filepath.Join(root, id, e.Name())); err == nil && m.Version == e.Name() {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *Manifest) int { return int(a.Installed - b.Installed) })
	return list
}

// Changes says how what a plan installs differs from what is there.
func Changes(m *Manifest, p *Plan) []string {
	var list []string
	say := func(what, from, to string) {
		if from != to {
			list = append(list, fmt.Sprintf("%s: %s → %s", what, from, to))
		}
	}

	say("version", m.Version, p.Version)
	say("by", m.How, p.How)
	say("source", m.Source, p.Source)
	say("arguments", strings.Join(m.Args, " "), strings.Join(p.Args, " "))
	for name, value := range p.Env {
		if m.Env[name] != value {
			list = append(list, "variable: "+name+"="+value)
		}
	}

	return list
}

// Newer reports whether a version comes after another, by the numbers in them.
func Newer(version, than string) bool {
	a, b := numbers(version), numbers(than)
	if c := slices.Compare(a, b); c != 0 {
		return c > 0
	}
	// 1.0.0 comes after 1.0.0-rc: what follows a hyphen comes before the version itself.
	_, pre, _ := strings.Cut(version, "-")
	_, old, _ := strings.Cut(than, "-")
	return pre != old && (pre == "" || old != "" && pre > old)
}

func numbers(version string) []int {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	var list []int
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		list = append(list, n)
	}
	return list
}
