package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

type (
	placeIn struct {
		Path   string `json:"path" jsonschema:"the file in which the symbol occurs"`
		Symbol string `json:"symbol" jsonschema:"the symbol, as it is written there"`
		Line   int    `json:"line,omitempty" jsonschema:"the line in which it occurs, from 1; without it the first occurrence"`
	}
	symbolsIn struct {
		Path  string `json:"path,omitempty" jsonschema:"the file whose symbols are listed; with query, any file of the language"`
		Query string `json:"query,omitempty" jsonschema:"part of the names of symbols, searched in the whole workspace"`
	}
)

// addSymbols adds the tools that ask language servers.
func (s *server) addSymbols() {
	of := func(what string) func(placeIn) string {
		return func(in placeIn) string { return what + " of " + in.Symbol }
	}

	add(s, tool[placeIn]{
		name: "definition",
		description: "Returns where a symbol is defined, from the language server. Use it instead of grep: it follows imports, types and " +
			"shadowing, also into libraries.",
		title: of("Definition"),
		run:   func(ctx context.Context, in placeIn) (string, error) { return s.locations(ctx, in, "definition") },
	})
	add(s, tool[placeIn]{
		name: "references",
		description: "Returns all uses of a symbol in the workspace, from the language server. Use it instead of grep before you change " +
			"something: it finds uses of this symbol only, not of others of that name.",
		title: of("References"),
		run:   func(ctx context.Context, in placeIn) (string, error) { return s.locations(ctx, in, "references") },
	})
	add(s, tool[placeIn]{
		name: "hover",
		description: "Returns the type, signature and documentation of a symbol, from the language server. Use it instead of searching " +
			"through the sources of libraries.",
		title: of("Type"),
		run:   s.hover,
	})
	add(s, tool[symbolsIn]{
		name: "symbols",
		description: "Lists the functions, types and other symbols of a file with their lines, or finds symbols by name in the workspace " +
			"(query). Use it instead of reading a long file or of grep for a definition.",
		title: func(in symbolsIn) string {
			if in.Query != "" {
				return "Symbols " + in.Query
			}
			return "Symbols of " + in.Path
		},
		run: s.symbols,
	})
}

// at are the arguments of a question about a symbol in a file.
func (s *server) at(ctx context.Context, in placeIn) (map[string]any, error) {
	if in.Symbol == "" {
		return nil, errors.New("no symbol is given")
	}
	real, err := s.file(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"path": real, "symbol": in.Symbol}
	if in.Line > 0 {
		args["line"] = in.Line
	}
	return args, nil
}

// location is a place in a file, by its lines, from 1.
type location struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Last int    `json:"last"`
}

const (
	maxLocations = 200 // that are listed
	maxTexts     = 40  // files whose lines are shown
	longestLine  = 200 // bytes
)

func (s *server) locations(ctx context.Context, in placeIn, kind string) (string, error) {
	args, err := s.at(ctx, in)
	if err != nil {
		return "", err
	}

	args["kind"] = kind
	var found struct {
		Server string     `json:"server"`
		Failed []string   `json:"failed"`
		Count  int        `json:"count"`
		List   []location `json:"list"`
	}
	if err := s.know(ctx, "locations", args, &found); err != nil {
		return "", err
	}
	if len(found.List) == 0 {
		none := fmt.Sprintf("%s knows no %s of %s.", found.Server, kind, in.Symbol)
		return s.withFailed(ctx, none, found.Failed, args), nil
	}

	var b strings.Builder
	lines := map[string][]string{} // of files
	for i, l := range found.List {
		if i == maxLocations {
			break
		}
		fmt.Fprintf(&b, "%s:%d", s.short(l.Path), l.Line)
		if text := s.line(ctx, l, lines); text != "" {
			b.WriteString(": " + text)
		}
		b.WriteString("\n")
	}

	if more := found.Count - min(len(found.List), maxLocations); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}

	return s.withFailed(ctx, b.String(), found.Failed, args), nil
}

// withFailed returns an answer with why other language servers have not answered.
func (s *server) withFailed(ctx context.Context, text string, failed []string, args map[string]any) string {
	if len(failed) == 0 {
		return text
	}

	asked, _ := args["path"].(string) // which the agent may read
	quoted := s.desk.Quoted(ctx)
	lines := []string{strings.TrimRight(text, "\n")}
	for _, why := range failed {
		lines = append(lines, s.withoutSecrets(quoted, plain(why), asked))
	}
	return strings.Join(lines, "\n")
}

// line returns a line of a file, "" if the agent may not simply read it, or enough files were read.
func (s *server) line(ctx context.Context, l location, known map[string][]string) string {
	lines, ok := known[l.Path]
	if !ok && len(known) < maxTexts && filepath.IsAbs(l.Path) {
		if real, err := s.desk.Real(l.Path); err == nil && s.desk.IsFree(real) {
			text, _ := s.text(ctx, real, nil, nil) // without it there is only the place
			lines = strings.Split(text, "\n")
		}
		known[l.Path] = lines
	}
	if l.Line < 1 || l.Line > len(lines) {
		return ""
	}

	text := strings.TrimSpace(lines[l.Line-1])
	return text[:min(len(text), longestLine)]
}

func (s *server) hover(ctx context.Context, in placeIn) (string, error) {
	args, err := s.at(ctx, in)
	if err != nil {
		return "", err
	}

	var found struct {
		Server string   `json:"server"`
		Failed []string `json:"failed"`
		Text   string   `json:"text"`
		Homes  []string `json:"homes"` // files in which the symbol is defined
	}
	if err := s.know(ctx, "hover", args, &found); err != nil {
		return "", err
	}
	if strings.TrimSpace(found.Text) == "" {
		return s.withFailed(ctx, fmt.Sprintf("%s says nothing of %s.", found.Server, in.Symbol), found.Failed, args), nil
	}

	told := []string{args["path"].(string)} // files that the agent may know
	for _, home := range found.Homes {      // whose text it may be
		if err := s.mayTell(ctx, home); err != nil {
			return "", fmt.Errorf("%s is defined in %s: %w", in.Symbol, s.short(home), err)
		}
		if real, err := s.desk.Real(home); err == nil {
			told = append(told, real)
		}
	}

	for _, real := range s.desk.Quoted(ctx)(found.Text) { // the value of a constant, say
		if slices.Contains(told, real) {
			continue
		}
		if err := s.mayTell(ctx, real); err != nil {
			return "", fmt.Errorf("what %s says of %s quotes %s: %w", found.Server, in.Symbol, s.short(real), err)
		}
	}

	return s.withFailed(ctx, found.Text, found.Failed, args), nil
}

// mayTell returns an error if the agent must not know what is in a file. It may ask the user. What is not a file belongs to a
// library.
func (s *server) mayTell(ctx context.Context, path string) error {
	if !filepath.IsAbs(path) {
		return nil
	}
	real, err := s.desk.Real(path)
	if err != nil || s.desk.IsFree(real) {
		return err
	}
	return s.desk.MayRead(ctx, real)
}

func (s *server) symbols(ctx context.Context, in symbolsIn) (string, error) {
	args := map[string]any{"query": in.Query}
	if in.Path == "" && in.Query == "" {
		return "", errors.New("neither path nor query is given")
	}
	if in.Path != "" {
		real, err := s.file(ctx, in.Path)
		if err != nil {
			return "", err
		}
		args["path"] = real
	}

	var found struct {
		Server string   `json:"server"`
		Failed []string `json:"failed"`
		List   []struct {
			location
			Name   string `json:"name"`
			Kind   string `json:"kind"`
			Detail string `json:"detail"`
			Depth  int    `json:"depth"`
		} `json:"list"`
	}
	if err := s.know(ctx, "symbols", args, &found); err != nil {
		return "", err
	}

	if len(found.List) == 0 {
		return s.withFailed(ctx, found.Server+" knows no such symbol.", found.Failed, args), nil
	}

	var b strings.Builder
	hidden, free := 0, s.freely()
	asked, _ := args["path"].(string) // which the agent may read
	quoted := s.desk.Quoted(ctx)
	for _, sym := range found.List {
		if filepath.IsAbs(sym.Path) && !free(sym.Path) {
			hidden++
			continue
		}

		b.WriteString(strings.Repeat("  ", sym.Depth))
		if sym.Path != "" {
			fmt.Fprintf(&b, "%s:%d: ", s.short(sym.Path), sym.Line)
		}

		fmt.Fprintf(&b, "%s %s", strings.ToLower(sym.Kind), s.withoutSecrets(quoted, plain(sym.Name), asked))
		if sym.Detail != "" {
			b.WriteString(" " + s.withoutSecrets(quoted, plain(sym.Detail), asked))
		}
		if sym.Path == "" {
			fmt.Fprintf(&b, ", lines %d-%d", sym.Line, sym.Last)
		}

		b.WriteString("\n")
	}

	if hidden > 0 {
		fmt.Fprintf(&b, "%s not listed: in files that you may read only if the user allows it\n",
			plural(hidden, "symbol is", "symbols are"))
	}

	return s.withFailed(ctx, b.String(), found.Failed, args), nil
}
