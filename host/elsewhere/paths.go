package elsewhere

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
)

// Access is what an agent can do with a shared folder.
type Access int

// The kinds of access, in order.
const (
	Hidden   Access = iota // nothing of the share around it is to be seen there
	Named                  // paths correspond, but the files are only on the other side
	ReadOnly               // it can read the files
	Writable               // it can also write them
)

// Share is a folder that has a path here and one on the other side. Both are absolute and clean.
type Share struct {
	Here, There string
	Access      Access
	Socket      bool // that programs outside listen on, and no folder

	real string // Here with links resolved
}

// Map maps paths between this machine's files and those that an agent sees. It does not change, and its methods do not touch the
// disk.
type Map struct {
	place  string // for errors: "docker box"
	shares []Share
}

// NewMap returns the map of some shares; of two that have a path, the one with the longest root counts. It reads links.
func NewMap(place string, shares []Share) (*Map, error) {
	m := &Map{place: place}
	for _, s := range shares {
		if !path.IsAbs(s.Here) || !path.IsAbs(s.There) {
			return nil, acp.Errorf(acp.CodeInvalidParams, "paths: %q and %q are not both absolute", s.Here, s.There)
		}
		s.Here, s.There = path.Clean(s.Here), path.Clean(s.There)
		s.real = s.Here
		if real, err := buffers.Real(s.Here); err == nil {
			s.real = real
		}
		m.shares = append(m.shares, s)
	}

	return m, nil
}

// There returns the other side's path of a path here. The two lead back to each other.
func (m *Map) There(here string) (string, error) {
	there, ok := m.there(here)
	if !ok {
		return "", m.outside(here)
	}
	if back, _, ok := m.here(there); !ok || back != path.Clean(here) { // another share hides it there
		return "", m.outside(here)
	}
	return there, nil
}

func (m *Map) there(here string) (string, bool) {
	s, rest := longest(m.shares, here, func(s Share) string { return s.Here })
	if s.Access == Hidden {
		return "", false
	}
	return path.Join(s.There, rest), true
}

// Here returns the path of a path on the other side, and what the agent can do there. The path is only cleaned: what links here
// lead to, [Map.Reaches] judges.
func (m *Map) Here(there string) (string, Access, error) {
	here, access, ok := m.here(there)
	if !ok {
		return "", Hidden, m.outside(there)
	}
	return here, access, nil
}

func (m *Map) here(there string) (string, Access, bool) {
	s, rest := longest(m.shares, there, func(s Share) string { return s.There })
	return path.Join(s.Here, rest), s.Access, s.Access != Hidden
}

// Reaches returns an error unless a real path here, without links, is a file that the agent sees and, for a write, may change.
func (m *Map) Reaches(real string, write bool) error {
	s, _ := longest(m.shares, real, func(s Share) string { return s.real })
	switch {
	case s.Access == Hidden:
		return m.outside(real)
	case s.Access == Named:
		return acp.Errorf(acp.CodeInvalidParams, "%s: the files are only on %s, and not here", real, m.place)
	case write && s.Access == ReadOnly:
		return acp.Errorf(acp.CodeInvalidParams, "%s is read-only for %s", real, m.place)
	}
	return nil
}

// ReachesAll returns an error unless the agent sees a real path here with all that is in it but sockets.
func (m *Map) ReachesAll(real string) error {
	if err := m.Reaches(real, false); err != nil {
		return err
	}
	for _, s := range m.shares {
		if s.Access == Hidden && !s.Socket && buffers.Inside([]string{real}, s.real) && m.Reaches(s.real, false) != nil {
			return m.outside(s.real)
		}
	}
	return nil
}

// shows reports whether the agent saw a real path here if no socket were hidden.
func (m *Map) shows(real string) bool {
	folders := slices.DeleteFunc(slices.Clone(m.shares), func(s Share) bool { return s.Socket })
	s, _ := longest(folders, real, func(s Share) string { return s.real })
	return s.Access >= ReadOnly
}

// Shared reports whether any files are shared.
func (m *Map) Shared() bool {
	return slices.ContainsFunc(m.shares, func(s Share) bool { return s.Access >= ReadOnly })
}

func (m *Map) outside(name string) error {
	return acp.Errorf(acp.CodeInvalidParams, "%s is not shared with %s", name, m.place)
}

// longest returns the share with the longest root that a path is in, and the rest of the path; a hidden one if there is none. Of
// equal roots the later counts.
func longest(shares []Share, name string, root func(Share) string) (found Share, rest string) {
	if !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return Share{}, ""
	}

	name = path.Clean(name)
	best := -1
	for _, s := range shares {
		r := root(s)
		below, ok := strings.CutPrefix(name, r)
		if ok && len(r) >= best && (r == "/" || below == "" || below[0] == '/') {
			found, rest, best = s, strings.TrimPrefix(below, "/"), len(r)
		}
	}

	return found, rest
}

// mapURI applies a function to the path of a file URI. Other URIs stay as they are.
func mapURI(uri string, change func(string) (string, error)) (string, error) {
	if len(uri) < 5 || !strings.EqualFold(uri[:5], "file:") {
		return uri, nil
	}

	u, err := url.Parse(uri)
	if err != nil {
		return "", acp.Errorf(acp.CodeInvalidParams, "bad URI %q", uri)
	}
	if u.Host != "" && !strings.EqualFold(u.Host, "localhost") || u.Opaque != "" {
		return "", acp.Errorf(acp.CodeInvalidParams, "%s is of another host", uri)
	}

	changed, err := change(u.Path)
	if err != nil || changed == u.Path {
		return uri, err
	}

	u.Path, u.RawPath = changed, ""
	return u.String(), nil
}
