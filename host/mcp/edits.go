package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// proposal is a WorkspaceEdit of a language server.
type proposal struct {
	Server   string         `json:"server"`
	Encoding string         `json:"encoding"` // in which positions count: "utf-8", "utf-16" or "utf-32"
	Ticks    map[string]int `json:"ticks"`    // of the loaded files, when it was made
	Failed   []string       `json:"failed"`   // why other servers have not answered
	Edit     struct {
		Changes   map[string][]textEdit `json:"changes"`
		Documents []struct {
			Kind     string `json:"kind"` // of a file operation, "" of edits
			Document struct {
				URI string `json:"uri"`
			} `json:"textDocument"`
			Edits []textEdit `json:"edits"`
		} `json:"documentChanges"`
	} `json:"edit"`
}

// textEdit replaces a range of a text.
type textEdit struct {
	Range struct {
		Start position `json:"start"`
		End   position `json:"end"`
	} `json:"range"`
	Text string `json:"newText"`
}

// position is a place in a text: a line and a number of units in it, both from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// fileEdits are the edits of one file.
type fileEdits struct {
	path  string
	edits []textEdit
}

// files returns the edits by file, sorted by path.
func (p *proposal) files() ([]fileEdits, error) {
	byPath := map[string][]textEdit{}
	add := func(uri string, edits []textEdit) error {
		u, err := url.Parse(uri)
		if err != nil || u.Scheme != "file" || u.Path == "" {
			return fmt.Errorf("%s changes something that is not a file: %s", p.Server, uri)
		}
		byPath[u.Path] = append(byPath[u.Path], edits...)
		return nil
	}
	for _, d := range p.Edit.Documents {
		if d.Kind != "" {
			return nil, fmt.Errorf("%s would %s files, which this tool does not do", p.Server, d.Kind)
		}
		if err := add(d.Document.URI, d.Edits); err != nil {
			return nil, err
		}
	}

	if len(p.Edit.Documents) == 0 {
		for uri, edits := range p.Edit.Changes {
			if err := add(uri, edits); err != nil {
				return nil, err
			}
		}
	}

	var list []fileEdits
	for path, edits := range byPath {
		list = append(list, fileEdits{path, edits})
	}

	slices.SortFunc(list, func(a, b fileEdits) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// hasCRLF reports whether all lines of a text end in "\r\n".
func hasCRLF(text string) bool {
	ends := strings.Count(text, "\r\n")
	return ends > 0 && ends == strings.Count(text, "\n")
}

// applyEdits returns a text with edits made, whose positions are all in the text as it is. New lines end as those of the text do: some
// servers know one kind of line end only.
func applyEdits(text string, edits []textEdit, encoding string) (string, error) {
	type span struct {
		from, to int
		text     string
	}
	lines, crlf := lineStarts(text), hasCRLF(text)
	var spans []span
	for _, e := range edits {
		from, err := offset(text, lines, e.Range.Start, encoding)
		if err != nil {
			return "", err
		}

		to, err := offset(text, lines, e.Range.End, encoding)
		if err != nil {
			return "", err
		}
		if to < from {
			return "", errors.New("an edit ends before it begins")
		}
		if crlf {
			e.Text = strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n", "\r\n")
		}

		spans = append(spans, span{from, to, e.Text})
	}

	slices.SortStableFunc(spans, func(a, b span) int { return a.from - b.from })

	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.from < at {
			return "", errors.New("two edits overlap")
		}
		b.WriteString(text[at:s.from] + s.text)
		at = s.to
	}

	return b.String() + text[at:], nil
}

// lineStarts returns the offsets at which lines begin.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// offset returns the byte of a position. One beyond the end of its line is that end, as the protocol says; the line after the last
// one is the end of the text.
func offset(text string, lines []int, p position, encoding string) (int, error) {
	switch {
	case p.Line < 0 || p.Character < 0 || p.Line > len(lines):
		return 0, fmt.Errorf("there is no line %d", p.Line+1)
	case p.Line == len(lines):
		return len(text), nil
	}

	line := text[lines[p.Line]:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = strings.TrimSuffix(line[:i], "\r")
	}

	at := 0
	for units := p.Character; units > 0 && at < len(line); {
		r, size := utf8.DecodeRuneInString(line[at:])
		switch encoding {
		case "utf-8":
			units -= size
		case "utf-32":
			units--
		default:
			units -= max(utf16.RuneLen(r), 1)
		}
		at += size
	}

	return lines[p.Line] + at, nil
}
