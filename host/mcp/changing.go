package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

type (
	editIn struct {
		Path string `json:"path" jsonschema:"the file"`
		Old  string `json:"old" jsonschema:"the text to replace, exactly, with enough around it to occur once; empty to create a file"`
		New  string `json:"new" jsonschema:"the text in its place"`
		All  bool   `json:"all,omitempty" jsonschema:"replace every occurrence"`
	}
	renameIn struct {
		Path   string `json:"path" jsonschema:"a file in which the symbol occurs"`
		Symbol string `json:"symbol" jsonschema:"the symbol, as it is written there"`
		Line   int    `json:"line,omitempty" jsonschema:"the line in which it occurs, from 1; without it the first occurrence"`
		Name   string `json:"name" jsonschema:"its new name"`
	}
	actionIn struct {
		Path  string `json:"path" jsonschema:"the file"`
		Line  int    `json:"line" jsonschema:"the first line, from 1"`
		Last  int    `json:"last,omitempty" jsonschema:"the last line; without it the same"`
		Title string `json:"title,omitempty" jsonschema:"the action to apply, by its title; without it the actions are listed"`
	}
)

// addChanging adds the tools that change files.
func (s *server) addChanging() {
	add(s, tool[editIn]{
		name: "edit",
		description: "Replaces a text in a file as it is on the user's screen. The edit is merged with what the user types meanwhile, " +
			"and can be undone in the editor. Use it for files that buffers lists as unsaved.",
		changes: true,
		title:   editTitle,
		run:     s.edit,
	})
	add(s, tool[renameIn]{
		name: "rename",
		description: "Renames a symbol everywhere, by the language server; the user is asked with the whole change. Use it instead of " +
			"replacing texts: it changes this symbol only, in all files.",
		changes: true,
		title:   renameTitle,
		run:     s.rename,
	})
	add(s, tool[actionIn]{
		name: "code_action",
		description: "Lists what the language server offers for some lines (quick fixes of diagnostics, refactorings, organizing " +
			"imports), or applies one of them by its title; the user is asked with the whole change. Use it instead of " +
			"writing such an edit yourself.",
		changes: true,
		title: func(in actionIn) string {
			if in.Title == "" {
				return "Code actions of " + in.Path
			}
			return in.Title
		},
		run: s.codeAction,
	})
}

func editTitle(in editIn) string { return "Edit " + in.Path }

// lineCount returns the number of lines of a text, the last one counted whether it ends or not.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func (s *server) edit(ctx context.Context, in editIn) (string, error) {
	real, err := s.file(ctx, in.Path)
	if err != nil {
		return "", err
	}

	done, err := s.desk.Alone(ctx, real) // what is changed here is what the call before has made of it
	if err != nil {
		return "", err
	}

	defer done()
	change := Change{Path: real, New: in.New}
	count := 1
	change.Old, err = s.text(ctx, real, nil, nil)
	switch {
	case in.Old == "" && errors.Is(err, fs.ErrNotExist):
		change.Missing = true
	case err != nil:
		return "", err
	case in.Old == "" && change.Old != "":
		return "", errors.New("old is empty, which creates a file, but there is one")
	case in.Old != "":
		if change.New, count, err = replace(change.Old, in); err != nil {
			return "", fmt.Errorf("%s: %w", s.short(real), err)
		}
	}

	note, err := s.desk.Change(ctx, false, use("edit", editTitle(in), in), []Change{change})
	if err != nil {
		return "", err
	}

	what := plural(count, "place", "places") + " replaced"
	switch {
	case change.Missing:
		what = "created, " + plural(lineCount(in.New), "line", "lines")
	case in.Old == "":
		what = plural(lineCount(in.New), "line", "lines") + " written into the empty file"
	}

	return strings.TrimSpace(fmt.Sprintf("%s: %s. %s", s.short(real), what, note)), nil
}

// replace returns a text with one text in it replaced, and how often it was.
func replace(text string, in editIn) (changed string, count int, err error) {
	from, to := in.Old, in.New
	ends := strings.Count(text, "\r\n")
	crlf := hasCRLF(text)                        // else each line has its own end, as it is given
	if crlf && !strings.Contains(from, "\r\n") { // as read has shown it
		to = strings.ReplaceAll(to, "\r\n", "\n")
		from, to = strings.ReplaceAll(from, "\n", "\r\n"), strings.ReplaceAll(to, "\n", "\r\n")
	}

	count = strings.Count(text, from)
	switch {
	case count == 0 && ends > 0 && !crlf:
		return "", 0, errors.New(`old does not occur in the text on the screen, of which some lines end in "\r\n" and some in "\n"; ` +
			"read it with the tool read")
	case count == 0:
		return "", 0, errors.New("old does not occur in the text on the screen; read it with the tool read")
	case count > 1 && !in.All:
		return "", 0, fmt.Errorf("old occurs %d times; give more of what is around it, or set all", count)
	}

	return strings.ReplaceAll(text, from, to), count, nil
}

func renameTitle(in renameIn) string { return fmt.Sprintf("Rename %s to %s", in.Symbol, in.Name) }

func (s *server) rename(ctx context.Context, in renameIn) (string, error) {
	args, err := s.at(ctx, placeIn{Path: in.Path, Symbol: in.Symbol, Line: in.Line})
	if err != nil {
		return "", err
	}
	if in.Name == "" {
		return "", errors.New("no new name is given")
	}
	args["name"] = in.Name
	return s.apply(ctx, func() (p proposal, u Use, err error) {
		err = s.know(ctx, "rename", args, &p)
		return p, use("rename", renameTitle(in), in), err
	})
}

func (s *server) codeAction(ctx context.Context, in actionIn) (string, error) {
	real, err := s.file(ctx, in.Path)
	if err != nil {
		return "", err
	}

	args := map[string]any{"path": real, "line": in.Line, "last": max(in.Last, in.Line), "title": in.Title}
	if in.Title != "" {
		return s.applyAction(ctx, in, args)
	}

	var p struct {
		Server string   `json:"server"`
		Titles []string `json:"titles"`
		Failed []string `json:"failed"`
	}
	if err := s.know(ctx, "code_actions", args, &p); err != nil {
		return "", err
	}
	if len(p.Titles) == 0 {
		return s.withFailed(ctx, p.Server+" offers nothing there.", p.Failed, args), nil
	}

	quoted := s.desk.Quoted(ctx)
	for i, title := range p.Titles {
		p.Titles[i] = s.withoutSecrets(quoted, plain(title), "")
	}

	return s.withFailed(ctx, strings.Join(p.Titles, "\n"), p.Failed, args), nil
}

// applyAction makes the edit of a code action, without the command that it would run after that.
func (s *server) applyAction(ctx context.Context, in actionIn, args map[string]any) (string, error) {
	left := ""
	done, err := s.apply(ctx, func() (proposal, Use, error) {
		var p struct {
			proposal
			Command string `json:"command"`
		}
		if err := s.know(ctx, "code_actions", args, &p); err != nil {
			return proposal{}, Use{}, err
		}

		title := in.Title
		if p.Command != "" {
			left = "its command " + plain(p.Command) + " is not run"
			title += " (" + left + ")"
		}

		return p.proposal, use("code_action", title, in), nil
	})
	if err == nil && left != "" {
		done += " This tool makes the edit of the action only; " + left + "."
	}

	return done, err
}
