package host

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/secrets"
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
	if why := s.whySecret(real); why != "" {
		return "ask", why
	}
	fs := s.host.settings().FS
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

// secretPatterns are the patterns of files that may hold secrets.
func (s *Session) secretPatterns() secrets.Patterns {
	return secrets.Compile(s.host.settings().FS.Secret, s.roots)
}

// secret reports that a file may hold secrets, by the settings.
func (s *Session) secret(path string) bool { return s.whySecret(path) != "" }

// whySecret says why a file may hold secrets: by one of its names. "" if it may not. It waits for the disk.
func (s *Session) whySecret(path string) string {
	patterns := s.secretPatterns()
	if pattern := patterns.Match(path); pattern != "" {
		return "it may hold secrets (" + pattern + ")"
	}
	if id, several := secrets.Linked(path); several {
		known, all := s.links.of(patterns)
		switch other := known[id]; {
		case other != "":
			return "it may hold secrets: it is " + s.short(other) + " by another name"
		case !all:
			return "it may hold secrets: it has another name, and there are too many files to find it"
		}
	}
	return ""
}

// linked are the files that may hold secrets, as they were a moment ago. It is safe for concurrent use.
type linked struct {
	mu    sync.Mutex // guards all below
	known map[secrets.ID]string
	all   bool // there are no others
	until time.Time
}

const (
	maxLinks  = 2 * time.Second // for the files to be found
	leastSure = time.Second     // for how long they are known, and ten times as long as it took to find them
)

func (l *linked) of(patterns secrets.Patterns) (known map[secrets.ID]string, all bool) {
	l.mu.Lock()
	known, all, until := l.known, l.all, l.until
	l.mu.Unlock()
	if time.Now().Before(until) {
		return known, all
	}

	ctx, stop := context.WithTimeout(context.Background(), maxLinks)
	defer stop()
	begun := time.Now()
	known, all = patterns.Known(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.all, l.until = known, all, time.Now().Add(max(leastSure, 10*time.Since(begun)))
	return known, all
}
