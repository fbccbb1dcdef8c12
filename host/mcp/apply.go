package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxProposals is how often a language server is asked for a change while its files are being changed.
const maxProposals = 5

// errMoving says that no proposal could be made of texts as they are.
var errMoving = errors.New("the text is being changed meanwhile; nothing was done, try again")

// apply applies what a language server proposes, once the user allows it. While one change waits for them, another one of the same files
// is not made yet: it is proposed for what the first has left.
func (s *server) apply(ctx context.Context, propose func() (proposal, Use, error)) (string, error) {
	var held []string
	release := func() {}
	defer func() { release() }()
	for range maxProposals {
		p, u, err := propose()
		if err != nil {
			return "", err
		}

		changes, places, err := s.changes(ctx, p)
		if err != nil {
			return "", err
		}
		if wanted := union(held, changes); len(wanted) > len(held) {
			release()
			held = wanted
			if release, err = s.desk.Proposing(ctx, held...); err != nil {
				release = func() {}
				return "", err
			}
			continue // another change may have been made while it waited
		}

		var same bool
		if err := s.know(ctx, "same", map[string]any{"ticks": p.Ticks}, &same); err != nil {
			return "", err
		}
		if !same {
			continue
		}

		done, err := s.change(ctx, u, changes, places)
		return s.withFailed(ctx, done, p.Failed, nil), err
	}

	return "", errMoving
}

// union returns the paths of a list, sorted, with those of changes.
func union(paths []string, changes []Change) []string {
	all := slices.Clone(paths)
	for _, c := range changes {
		all = append(all, c.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// changes returns what a proposal makes of files, and in how many places.
func (s *server) changes(ctx context.Context, p proposal) (changes []Change, places int, err error) {
	files, err := p.files()
	if err != nil {
		return nil, 0, err
	}
	for _, f := range files {
		real, err := s.desk.Real(f.path)
		if err != nil {
			return nil, 0, err
		}
		if err := s.desk.Barred(real); err != nil { // what it holds is shown to the user only, with the question
			return nil, 0, err
		}

		old, err := s.text(ctx, real, nil, nil)
		if err != nil {
			return nil, 0, err
		}

		text, err := applyEdits(old, f.edits, p.Encoding)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", s.short(real), err)
		}
		if text != old {
			changes, places = append(changes, Change{Path: real, Old: old, New: text}), places+len(f.edits)
		}
	}

	return changes, places, nil
}

// change makes changes, once the user allows it.
func (s *server) change(ctx context.Context, u Use, changes []Change, places int) (string, error) {
	if len(changes) == 0 {
		return "Nothing is to be changed.", nil
	}

	note, err := s.desk.Change(ctx, true, u, changes)
	if err != nil {
		return "", err
	}

	var names []string
	for _, c := range changes {
		names = append(names, s.short(c.Path))
	}

	done := fmt.Sprintf("%s: %s in %s changed: %s. %s", u.Title,
		plural(places, "place", "places"), plural(len(names), "file", "files"), strings.Join(names, ", "), note)
	return strings.TrimSpace(done), nil
}
