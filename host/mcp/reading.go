package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

type (
	buffersIn struct{}
	readIn    struct {
		Path  string `json:"path" jsonschema:"the file, absolute or relative to the session's folder"`
		Line  uint32 `json:"line,omitempty" jsonschema:"the first line, from 1; without it the whole file"`
		Limit uint32 `json:"limit,omitempty" jsonschema:"how many lines; without it all that follow"`
	}
	diagnosticsIn struct {
		Path string `json:"path,omitempty" jsonschema:"one file, loaded if it is not open; without it all that servers have spoken of"`
	}
)

// addReading adds the tools that read what is on the screen.
func (s *server) addReading() {
	add(s, tool[buffersIn]{
		name: "buffers",
		description: "Lists the files that are open in the user's editor: which have unsaved changes, which one the user works on, " +
			"the lines on the screen, the cursor and the selection. Use it when the user says \"this\", \"here\" or \"the selection\".",
		title: func(buffersIn) string { return "Open buffers" },
		run:   s.buffers,
	})
	add(s, tool[readIn]{
		name: "read",
		description: "Returns a file's text as it is on the user's screen, with unsaved changes; of a file that is not open, the " +
			"disk's. Use it instead of cat or your own read tool for files that buffers lists as unsaved.",
		title: func(in readIn) string { return "Read " + in.Path },
		run:   s.read,
	})
	add(s, tool[diagnosticsIn]{
		name: "diagnostics",
		description: "Returns the problems that language servers and linters find in a file, or in all open ones, after they have " +
			"looked at its latest text. Use it after edits instead of a whole build. The answer says if no server looks at the " +
			"file: that is not \"no problems\".",
		title: func(in diagnosticsIn) string { return strings.TrimSpace("Diagnostics " + in.Path) },
		run:   s.diagnostics,
	})
}

// buffer is an open file as the editor describes it.
type buffer struct {
	Path      string   `json:"path"`
	Modified  bool     `json:"modified"`
	Lines     int      `json:"lines"`
	Shown     [][2]int `json:"shown"`
	Current   bool     `json:"current"`
	Cursor    []int    `json:"cursor"`
	Selection *struct {
		First int    `json:"first"`
		Last  int    `json:"last"`
		Text  string `json:"text"`
	} `json:"selection"`
}

func (s *server) buffers(ctx context.Context, _ buffersIn) (string, error) {
	var open struct {
		Files []buffer `json:"files"`
		Count int      `json:"count"`
	}
	if err := s.know(ctx, "buffers", map[string]any{}, &open); err != nil {
		return "", err
	}

	var b strings.Builder
	for _, f := range open.Files {
		real, err := s.desk.Real(f.Path)
		if err != nil || !s.desk.IsFree(real) || !s.desk.IsFree(f.Path) {
			continue
		}

		fmt.Fprintf(&b, "%s (%s)", s.short(f.Path), plural(f.Lines, "line", "lines"))
		if f.Modified {
			b.WriteString(", unsaved changes")
		}
		for _, w := range f.Shown {
			fmt.Fprintf(&b, ", lines %d-%d on the screen", w[0], w[1])
		}

		if f.Current && len(f.Cursor) == 2 {
			fmt.Fprintf(&b, ", the user is here: line %d, column %d", f.Cursor[0], f.Cursor[1])
		}

		b.WriteString("\n")
		if sel := f.Selection; sel != nil {
			fmt.Fprintf(&b, "  selected, lines %d-%d:\n%s\n", sel.First, sel.Last, indented(sel.Text))
		}
	}

	if more := open.Count - len(open.Files); more > 0 {
		fmt.Fprintf(&b, "and %d more, which are neither on the screen nor have unsaved changes\n", more)
	}
	if b.Len() == 0 {
		return "No file is open in the editor.", nil
	}

	return b.String(), nil
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

func (s *server) read(ctx context.Context, in readIn) (string, error) {
	real, err := s.file(ctx, in.Path)
	if err != nil {
		return "", err
	}
	var line, limit *uint32
	if in.Line > 0 {
		line = &in.Line
	}
	if in.Limit > 0 {
		limit = &in.Limit
	}
	return s.text(ctx, real, line, limit)
}

// diagnostics are what the editor knows of the problems of files.
type diagnostics struct {
	Items []struct {
		Path     string `json:"path"`
		Line     int    `json:"line"`
		Col      int    `json:"col"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Source   string `json:"source"`
		Code     string `json:"code"`
	} `json:"items"`
	Count   int      `json:"count"`
	Settled bool     `json:"settled"`
	Late    string   `json:"late"`  // which server has not settled, and why
	Ended   string   `json:"ended"` // which servers have left the file since the turn began, and how
	Servers []string `json:"servers"`
	Looked  []string `json:"looked"` // where all are meant: the files that servers have open
	Missing string   `json:"missing"`
}

// settleTime is how long diagnostics are waited for.
const settleTime = 15 * time.Second

func (s *server) diagnostics(ctx context.Context, in diagnosticsIn) (string, error) {
	args := map[string]any{"wait": settleTime.Milliseconds()}
	what := "the open files"
	if in.Path != "" {
		real, err := s.file(ctx, in.Path)
		if err != nil {
			return "", err
		}
		args["path"], what = real, s.short(real)
	}

	var found diagnostics
	if err := s.know(ctx, "diagnostics", args, &found); err != nil {
		return "", err
	}

	var b strings.Builder
	hidden := 0
	free := s.freely()
	quoted := func(string) []string { return nil }
	if len(found.Items) > 0 {
		quoted = s.desk.Quoted(ctx)
	}

	asked, _ := args["path"].(string) // which the agent may read
	for _, d := range found.Items {
		d.Message = s.withoutSecrets(quoted, d.Message, asked)
		if in.Path == "" && !free(d.Path) {
			hidden++
			continue
		}
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s", s.short(d.Path), d.Line, d.Col, d.Severity, strings.ReplaceAll(d.Message, "\n", "\n  "))
		if d.Source != "" || d.Code != "" {
			fmt.Fprintf(&b, " (%s)", plain(strings.TrimSpace(d.Source+" "+d.Code)))
		}
		b.WriteString("\n")
	}

	if more := found.Count - len(found.Items); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	switch {
	case found.Missing != "":
		b.WriteString(found.Missing + "\n")
	case len(found.Servers) == 0:
		b.WriteString("No language server runs in the editor, so nothing is known of problems. Name a file to have its server started.\n")
	case !found.Settled:
		late := cmp.Or(found.Late, found.Ended, strings.Join(found.Servers, ", "))
		fmt.Fprintf(&b, "Not settled: %s. This may not be all; ask again later.\n", s.withoutSecrets(s.desk.Quoted(ctx), late, asked))
	case len(found.Items)-hidden == 0:
		fmt.Fprintf(&b, "%s: no problems in %s.\n", strings.Join(found.Servers, ", "), what)
	}

	if in.Path == "" && len(found.Servers) > 0 {
		b.WriteString(s.looked(found.Looked, free))
	}

	return b.String(), nil
}

// maxLooked is how many files are named that were looked at.
const maxLooked = 20

// looked says which files the problems of all are known of: many servers look at open files only.
func (s *server) looked(paths []string, free func(path string) bool) string {
	var names []string
	for _, path := range paths {
		if free(path) {
			names = append(names, s.short(path))
		}
	}

	text := "Looked at " + plural(len(names), "open file", "open files")
	if len(names) > 0 {
		text += ": " + strings.Join(names[:min(len(names), maxLooked)], ", ")
	}
	if more := len(names) - maxLooked; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}

	return text + ". Of other files only what servers have reported by themselves is here: that may not be all. Name a file to have " +
		"it looked at.\n"
}
