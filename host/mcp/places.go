package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nvim-acp/nvim-acp/host/bounds"
)

type (
	quickfixIn struct {
		Title string       `json:"title,omitempty" jsonschema:"of a new list"`
		Items []quickfixAt `json:"items,omitempty" jsonschema:"a new list's entries, maybe none; without items the user's list is returned"`
	}
	quickfixAt struct {
		Path string `json:"path" jsonschema:"the file"`
		Line int    `json:"line" jsonschema:"the line, from 1"`
		Col  int    `json:"col,omitempty" jsonschema:"the column in bytes, from 1"`
		Text string `json:"text" jsonschema:"what is to be said of the place, on one line"`
		Kind string `json:"kind,omitempty" jsonschema:"error, warning, info or note"`
	}
	annotateIn struct {
		Items   []annotationAt `json:"items,omitempty" jsonschema:"the texts and their places"`
		Replace bool           `json:"replace,omitempty" jsonschema:"remove your earlier ones"`
	}
	annotationAt struct {
		Path string `json:"path" jsonschema:"the file"`
		Line int    `json:"line" jsonschema:"the line below which the text is shown, from 1"`
		Text string `json:"text" jsonschema:"a sentence or two, not Markdown"`
	}
	openIn struct {
		Path string `json:"path" jsonschema:"the file"`
		Line int    `json:"line,omitempty" jsonschema:"the line, from 1"`
		Last int    `json:"last,omitempty" jsonschema:"the last line of what is meant; without it the same"`
	}
)

// The most entries that a call may have, and that are listed.
const (
	maxQuickfix    = 500
	maxAnnotations = 100

	maxEntry      = 4 << 10 // bytes of the text of an entry, or of a title: one line is shown
	maxAnnotation = 16 << 10
)

// tooLong is the error for a text that has more than anybody reads there, nil if it has not.
func tooLong(text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return fmt.Errorf("the text has %d bytes; %d are shown at most", len(text), most)
}

// addPlaces adds the tools that lead the user to places.
func (s *server) addPlaces() {
	add(s, tool[quickfixIn]{
		name: "quickfix",
		description: "Returns the user's quickfix list: the places that they go through, such as errors of a build or matches of a " +
			"search. With items it makes a new list instead. Use it when the user speaks of these places or that list, and " +
			"instead of printing many places.",
		changes: true,
		title: func(in quickfixIn) string {
			if in.Items != nil {
				return fmt.Sprintf("Quickfix list of %d: %s", len(in.Items), in.Title)
			}
			return "Quickfix list"
		},
		run: s.quickfix,
	})
	add(s, tool[annotateIn]{
		name: "annotate",
		description: "Shows texts at lines of files in the editor, until the user dismisses them; the files do not change. Use it to " +
			"review or to explain code, instead of comments in the code or a list of line numbers.",
		changes: true,
		title: func(in annotateIn) string {
			if len(in.Items) == 0 {
				return "Remove annotations"
			}
			return "Annotate " + plural(len(in.Items), "place", "places")
		},
		run: s.annotate,
	})
	add(s, tool[openIn]{
		name: "open",
		description: "Shows the user a place in a file, in a window beside the one in which they work; their cursor does not move. " +
			"Use it when they ask where something is, or should look at something now.",
		changes: true,
		title:   func(in openIn) string { return "Show " + placeName(in.Path, in.Line) },
		run:     s.open,
	})
}

// placeName is a file with a line, if there is one.
func placeName(path string, line int) string {
	if line > 0 {
		return fmt.Sprintf("%s:%d", path, line)
	}
	return path
}

// entry is an entry of a quickfix list. One without a path is only text.
type entry struct {
	Path string `json:"path" msgpack:"path"`
	Line int    `json:"line" msgpack:"line"`
	Col  int    `json:"col" msgpack:"col"`
	Kind string `json:"kind" msgpack:"kind"`
	Text string `json:"text" msgpack:"text"`
}

func (s *server) quickfix(ctx context.Context, in quickfixIn) (string, error) {
	if in.Items != nil {
		return s.setQuickfix(ctx, in)
	}

	var found struct {
		Title string  `json:"title"`
		Count int     `json:"count"`
		At    int     `json:"idx"` // of the current entry, from 1
		Items []entry `json:"items"`
	}
	if err := s.know(ctx, "quickfix", map[string]any{}, &found); err != nil {
		return "", err
	}
	if found.Count == 0 {
		return "The quickfix list is empty.", nil
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, the user is at number %d\n", plain(found.Title), plural(found.Count, "entry", "entries"), found.At)
	free, quoted := s.freely(), s.desk.Quoted(ctx)
	for _, e := range found.Items {
		if e.Path != "" && !free(e.Path) {
			continue
		}

		e.Text = s.withoutSecrets(quoted, e.Text, e.Path)
		if e.Path != "" {
			b.WriteString(s.short(e.Path) + ":")
			if e.Line > 0 {
				fmt.Fprintf(&b, "%d:", e.Line)
			}
			if e.Col > 0 {
				fmt.Fprintf(&b, "%d:", e.Col)
			}
			b.WriteString(" ")
		}
		if e.Kind != "" {
			b.WriteString(e.Kind + ": ")
		}

		b.WriteString(strings.ReplaceAll(e.Text, "\n", "\n  ") + "\n")
	}

	if more := found.Count - len(found.Items); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}

	return b.String(), nil
}

func (s *server) setQuickfix(ctx context.Context, in quickfixIn) (string, error) {
	if len(in.Items) > maxQuickfix {
		return "", fmt.Errorf("a list has %d entries at most, not %d", maxQuickfix, len(in.Items))
	}

	files := s.files()
	entries := []entry{}
	for i, item := range in.Items {
		real, err := files(ctx, item.Path, item.Line)
		switch {
		case err != nil:
			return "", fmt.Errorf("item %d: %w", i+1, err)
		case item.Kind != "" && item.Kind != "error" && item.Kind != "warning" && item.Kind != "info" && item.Kind != "note":
			kind := bounds.Cut(item.Kind, maxEntry)
			return "", fmt.Errorf("item %d: no kind is called %q; there are error, warning, info and note", i+1, kind)
		}
		if err := tooLong(item.Text, maxEntry); err != nil {
			return "", fmt.Errorf("item %d: %w", i+1, err)
		}
		entries = append(entries, entry{Path: real, Line: item.Line, Col: max(item.Col, 0), Kind: item.Kind, Text: item.Text})
	}

	title := in.Title
	if strings.TrimSpace(title) == "" {
		title = "Places"
	}
	if err := tooLong(title, maxEntry); err != nil {
		return "", fmt.Errorf("title: %w", err)
	}

	var count int
	if err := s.know(ctx, "set_quickfix", map[string]any{"title": title, "items": entries}, &count); err != nil {
		return "", err
	}
	if count == 0 {
		return "The user has an empty quickfix list now, and has been notified; earlier lists are still there.", nil
	}

	return fmt.Sprintf("The user has a quickfix list of %s now, and has been notified; earlier lists are still there.",
		plural(count, "entry", "entries")), nil
}

func (s *server) annotate(ctx context.Context, in annotateIn) (string, error) {
	switch {
	case len(in.Items) == 0 && !in.Replace:
		return "", errors.New("there are no items")
	case len(in.Items) > maxAnnotations:
		return "", fmt.Errorf("a call has %d items at most, not %d", maxAnnotations, len(in.Items))
	}

	files := s.files()
	entries := []entry{}
	for i, item := range in.Items {
		real, err := files(ctx, item.Path, item.Line)
		switch {
		case err != nil:
			return "", fmt.Errorf("item %d: %w", i+1, err)
		case strings.TrimSpace(item.Text) == "":
			return "", fmt.Errorf("item %d has no text", i+1)
		}
		if err := tooLong(item.Text, maxAnnotation); err != nil {
			return "", fmt.Errorf("item %d: %w", i+1, err)
		}
		entries = append(entries, entry{Path: real, Line: item.Line, Text: item.Text})
	}

	var now struct {
		Count int `json:"count"`
	}
	if err := s.know(ctx, "annotate", map[string]any{"items": entries, "replace": in.Replace}, &now); err != nil {
		return "", err
	}

	return fmt.Sprintf("The editor shows %s of yours, until the user dismisses them.", plural(now.Count, "annotation", "annotations")), nil
}

func (s *server) open(ctx context.Context, in openIn) (string, error) {
	real, err := s.file(ctx, in.Path)
	if err != nil {
		return "", err
	}
	if in.Line < 0 {
		return "", fmt.Errorf("there is no line %d", in.Line)
	}

	args := map[string]any{"path": real, "name": s.short(real), "line": in.Line, "last": max(in.Last, in.Line)}
	var done struct {
		Shown bool `json:"shown"`
		Line  int  `json:"line"`
	}
	if err := s.know(ctx, "open", args, &done); err != nil {
		return "", err
	}

	where := placeName(s.short(real), done.Line)
	if !done.Shown {
		return "The user is busy in the editor, so " + where + " is not opened; they have been notified.", nil
	}
	if done.Line < in.Line {
		return fmt.Sprintf("%s is in a window beside the user's: the file has no line %d, this is its last one.", where, in.Line), nil
	}

	return where + " is in a window beside the user's.", nil
}

// files returns a function that is [server.file] for places: it asks once for each file, and wants a line.
func (s *server) files() func(ctx context.Context, path string, line int) (real string, err error) {
	known := map[string]string{}
	return func(ctx context.Context, path string, line int) (string, error) {
		if line < 1 {
			return "", fmt.Errorf("there is no line %d", line)
		}
		if real, ok := known[path]; ok {
			return real, nil
		}
		real, err := s.file(ctx, path)
		if err == nil {
			known[path] = real
		}
		return real, err
	}
}

// freely returns a function that reports whether the agent may read a file without a question; it asks once for each.
func (s *server) freely() func(path string) bool {
	known := map[string]bool{}
	return func(path string) bool {
		free, ok := known[path]
		if !ok {
			real, err := s.desk.Real(path)
			free = err == nil && filepath.IsAbs(path) && s.desk.IsFree(real)
			known[path] = free
		}
		return free
	}
}
