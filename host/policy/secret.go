// Package policy decides what agents may do: by rules, by the settings, and by whether a file may hold secrets.
package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/buffers"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/permission"
	"github.com/nvim-acp/nvim-acp/host/plain"
	"github.com/nvim-acp/nvim-acp/host/rules"
	"github.com/nvim-acp/nvim-acp/host/secrets"
	"github.com/nvim-acp/nvim-acp/host/session"
)

// Allow decides whether an agent may read or write a file: by the settings, and where they say so by the user.
// The request is shown as the raw form; change returns what would be written, nil for a read.
func (p *Policy) Allow(
	ctx context.Context, s feature.Session, who session.Child, what, real string, req any, change func() *acp.Diff,
) error {
	if a := feature.Agent(s); a != nil {
		if err := a.Place().Reaches(real, what == "write"); err != nil {
			return err // whatever the rules say: a link may lead out of what is shared
		}
	}

	asked := rules.Request{Kind: "read", Paths: []string{real}}
	if what == "write" {
		asked.Kind, asked.Edits = "edit", asked.Paths
	}
	if why := p.Denied(s, asked); why != "" {
		return acp.Errorf(acp.CodeInvalidParams, "%s: %s", real, why)
	}

	id, several := secrets.Identify(real)
	rule, why := p.rule(s, what, real, id, several)
	switch rule {
	case "allow":
		p.of(s).judged.Note(real, id)
		return nil
	case "deny":
		return acp.Errorf(acp.CodeInvalidParams, "%s: %s", real, why)
	}

	choice, err := feature.Choose(ctx, s, permission.New{
		Kind: what, Title: "wants to " + what + " a file", Lines: []string{plain.OneLine(real), why},
		Options: []acp.PermissionOption{
			{OptionID: "allow", Name: "Allow", Kind: acp.AllowOnce},
			{OptionID: "reject", Name: "Reject", Kind: acp.RejectOnce},
		},
		Raw: req, Diff: change(), Child: who.ID, Who: who.Name,
	})

	if err != nil {
		return err
	}
	if choice != "allow" {
		return acp.Errorf(acp.CodeInvalidParams, "%s: the user does not allow it", real)
	}

	p.of(s).judged.Note(real, id)
	return nil
}

// Rule returns what the settings say of an agent that reads or writes a file, "allow", "ask" or "deny", and why. It waits for the disk.
func (p *Policy) Rule(s feature.Session, what, real string) (rule, why string) {
	id, several := secrets.Identify(real)
	return p.rule(s, what, real, id, several)
}

// rule is Rule of a path that leads to a file.
func (p *Policy) rule(s feature.Session, what, real string, id secrets.ID, several bool) (rule, why string) {
	if why := p.whySecretIs(s, real, id, several); why != "" {
		return "ask", why
	}

	fs := p.host.Settings().FS
	if buffers.Inside(s.Roots(), real) {
		return "allow", ""
	}

	rule = fs.Outside.Read
	if what == "write" {
		rule = fs.Outside.Write
	}
	if rule == "" {
		rule = "ask"
	}

	return rule, "it is outside " + s.Cwd()
}

// Opened returns an error if a file that was opened under a path is another one than was allowed, and may hold secrets: the path can have
// come to lead there in between. It waits for the disk.
func (p *Policy) Opened(s feature.Session, real string, stat buffers.Stat) error {
	id := secrets.IDOf(stat.Device, stat.Inode)
	patterns := p.patterns(s)
	if p.of(s).judged.Is(real, id) || patterns.Match(real) != "" {
		return nil
	}

	known, all := p.of(s).known.of(patterns.Known)
	switch other := known[id]; {
	case len(other) > 0:
		return fmt.Errorf("%s: %w: it is %s by another name, which may hold secrets", real, buffers.ErrMoved, s.Short(other[0]))
	case !all:
		return fmt.Errorf("%s: %w, and there are too many files to know whether it may hold secrets now", real, buffers.ErrMoved)
	}
	return nil
}

// patterns are the patterns of files that may hold secrets.
func (p *Policy) patterns(s feature.Session) secrets.Patterns {
	return secrets.Compile(p.host.Settings().FS.Secret, s.Roots())
}

// Secret reports that a file may hold secrets, by the settings.
func (p *Policy) Secret(s feature.Session, path string) bool { return p.whySecret(s, path) != "" }

// whySecret says why a file may hold secrets: by one of its names. "" if it may not. It waits for the disk.
func (p *Policy) whySecret(s feature.Session, path string) string {
	id, several := secrets.Identify(path)
	return p.whySecretIs(s, path, id, several)
}

// whySecretIs is whySecret of a path that leads to a file.
func (p *Policy) whySecretIs(s feature.Session, path string, id secrets.ID, several bool) string {
	patterns := p.patterns(s)
	if pattern := patterns.Match(path); pattern != "" {
		return "it may hold secrets (" + pattern + ")"
	}

	if several {
		known, all := p.of(s).known.of(patterns.Known)
		switch other := known[id]; {
		case len(other) > 0:
			return "it may hold secrets: it is " + s.Short(other[0]) + " by another name"
		case !all:
			return "it may hold secrets: it has another name, and there are too many files to find it"
		}
	}

	return ""
}

// found returns the files that may hold secrets and that a text may find in some folders, by any name, and whether they are all: not if
// that is not known until some time, which is set by the first of the texts. The text may be for paths from further folders. It waits for
// the disk.
func (p *Policy) found(s feature.Session, g rules.Glob, folders, from []string, until *time.Time) (paths []string, all bool) {
	patterns := p.patterns(s)
	known, all := p.of(s).known.of(patterns.Known)
	others, some := p.of(s).others.of(func(ctx context.Context) (map[string][]string, bool) { return patterns.Others(ctx, known) })
	if until.IsZero() {
		*until = time.Now().Add(maxFind)
	}

	names := maps.Clone(others)
	for _, list := range known {
		for _, path := range list {
			names[path] = append([]string{path}, names[path]...)
		}
	}

	search := secrets.NewSearch(g.Text, g.Names)
	for path, list := range names {
		finds := func(name string) bool {
			return slices.ContainsFunc(folders, func(folder string) bool { return search.Finds(folder, name, from...) })
		}
		if time.Now().After(*until) {
			return paths, false
		}
		if slices.ContainsFunc(list, finds) {
			paths = append(paths, path)
		}
	}

	slices.Sort(paths)
	return paths, all && some || !search.Wild()
}

// maxFind is how long it may take to know what the texts of a call find.
const maxFind = 2 * time.Second

// recent is what was found on the disk a moment ago. It is safe for concurrent use.
type recent[T any] struct {
	mu    sync.Mutex // guards all below
	found T
	all   bool // there is no more
	until time.Time
}

const (
	maxLinks  = 2 * time.Second // for the files to be found
	leastSure = time.Second     // for how long they are known, and ten times as long as it took to find them
)

// of returns what was found, or what is found now, and whether that is all.
func (r *recent[T]) of(find func(ctx context.Context) (T, bool)) (found T, all bool) {
	r.mu.Lock()
	found, all, until := r.found, r.all, r.until
	r.mu.Unlock()

	if time.Now().Before(until) {
		return found, all
	}

	ctx, stop := context.WithTimeout(context.Background(), maxLinks)
	defer stop()
	begun := time.Now()
	found, all = find(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()

	r.found, r.all, r.until = found, all, time.Now().Add(max(leastSure, 10*time.Since(begun)))
	return found, all
}
