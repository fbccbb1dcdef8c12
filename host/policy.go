package host

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/paths"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// realRoots are the folders of a session, links resolved.
func realRoots(cwd string, dirs ...string) []string {
	var roots []string
	for _, dir := range append([]string{cwd}, dirs...) {
		real, err := buffers.Real(dir)
		if err != nil {
			real = dir
		}
		roots = append(roots, real)
	}
	return roots
}

// furtherDirs are the absolute ones of dirs, each once and without cwd.
func furtherDirs(cwd string, dirs []string) []string {
	var list []string
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		if filepath.IsAbs(dir) && dir != filepath.Clean(cwd) && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// allow decides whether an agent may read or write a file: by the settings, and where they say so by the user.
// The request is shown as the raw form; change returns what would be written, nil for a read.
func (s *Session) allow(ctx context.Context, who session.Child, what, real string, req any, change func() *acp.Diff) error {
	if a, _ := s.connection(); a != nil {
		if err := a.Place().Reaches(real, what == "write"); err != nil {
			return err // whatever the rules say: a link may lead out of what is shared
		}
	}
	rule, why := s.rule(what, real)
	switch rule {
	case "allow":
		return nil
	case "deny":
		return acp.Errorf(acp.CodeInvalidParams, "%s: %s", real, why)
	}
	choice, err := s.choose(ctx, permission.New{
		Kind: what, Title: "wants to " + what + " a file", Lines: []string{plain.OneLine(real), why},
		Options: []acp.PermissionOption{
			{OptionID: "allow", Name: "Allow", Kind: acp.AllowOnce},
			{OptionID: "reject", Name: "Reject", Kind: acp.RejectOnce},
		},
		Raw: mustJSON(req), Diff: change(), Child: who.ID, Who: who.Name,
	})
	if err != nil {
		return err
	}
	if choice != "allow" {
		return acp.Errorf(acp.CodeInvalidParams, "%s: the user does not allow it", real)
	}
	return nil
}

func (s *Session) rule(what, real string) (rule, why string) {
	fs := s.host.settings().FS
	for _, pattern := range fs.Secret {
		if secret(pattern, real) {
			return "ask", "it may hold secrets (" + pattern + ")"
		}
	}
	if buffers.Inside(s.roots, real) {
		return "allow", ""
	}
	rule = fs.Outside.Read
	if what == "write" {
		rule = fs.Outside.Write
	}
	if rule == "" {
		rule = "ask"
	}
	return rule, "it is outside " + s.cwd
}

// secret reports that a file may hold secrets, by the settings.
func (s *Session) secret(path string) bool {
	patterns := s.host.settings().FS.Secret
	return slices.ContainsFunc(patterns, func(p string) bool { return secret(p, path) })
}

// secret matches a real path, and the folders above it, against a pattern, whatever the case of letters. A pattern that is not
// absolute is for any folder. One that cannot be read takes every file for a secret: it fails closed.
func secret(pattern, path string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	pattern = paths.Expand(pattern)
	if strings.HasPrefix(pattern, "/") {
		folder, rest := doublestar.SplitPattern(pattern)
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			pattern = strings.TrimSuffix(real, "/") + "/" + rest
		}
	} else {
		pattern = "**/" + pattern
	}
	pattern, path = strings.ToLower(pattern), strings.ToLower(path) // many file systems take either for the other
	for ; ; path = filepath.Dir(path) {
		if ok, err := doublestar.Match(pattern, path); ok || err != nil {
			return true
		}
		if path == "/" || path == "." {
			return false
		}
	}
}
