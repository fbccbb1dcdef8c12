package mcp

import "testing"

// Positions of language servers count in their own units, and may lie beyond a line's end; lines end as in the text (behaviour 535).
func TestApplyEdits(t *testing.T) {
	edit := func(line, from, last, to int, text string) textEdit {
		var e textEdit
		e.Range.Start, e.Range.End, e.Text = position{line, from}, position{last, to}, text
		return e
	}
	tests := []struct {
		name     string
		text     string
		encoding string
		edits    []textEdit
		want     string
		fails    bool
	}{
		{"none", "a\n", "utf-16", nil, "a\n", false},
		{"utf-16", "🙂ab\n", "utf-16", []textEdit{edit(0, 2, 0, 3, "x")}, "🙂xb\n", false},
		{"utf-8", "🙂ab\n", "utf-8", []textEdit{edit(0, 4, 0, 5, "x")}, "🙂xb\n", false},
		{"utf-32", "🙂ab\n", "utf-32", []textEdit{edit(0, 1, 0, 2, "x")}, "🙂xb\n", false},
		{"two, the later first", "a b\n", "utf-16", []textEdit{edit(0, 2, 0, 3, "y"), edit(0, 0, 0, 1, "x")}, "x y\n", false},
		{"insertions in one place keep their order", "a\n", "utf-16", []textEdit{edit(0, 0, 0, 0, "x"), edit(0, 0, 0, 0, "y")}, "xya\n", false},
		{"over lines", "a\nb\nc\n", "utf-16", []textEdit{edit(0, 1, 2, 0, "")}, "ac\n", false},
		{"beyond a line's end", "a\r\nb\r\n", "utf-16", []textEdit{edit(0, 99, 0, 99, "!")}, "a!\r\nb\r\n", false},
		{"CRLF", "a\r\nb\r\n", "utf-16", []textEdit{edit(0, 0, 1, 0, "x\ny\n")}, "x\r\ny\r\nb\r\n", false},
		{"CRLF, given so", "a\r\nb\r\n", "utf-16", []textEdit{edit(0, 0, 1, 0, "x\r\ny\r\n")}, "x\r\ny\r\nb\r\n", false},
		{"CRLF, a server that knows only the other", "a\r\nb\r\n", "utf-16", []textEdit{edit(0, 0, 2, 0, "a\nc\n")}, "a\r\nc\r\n", false},
		{"mixed", "a\r\nb\n", "utf-16", []textEdit{edit(0, 0, 1, 0, "x\n")}, "x\nb\n", false},
		{"the line after the last", "a", "utf-16", []textEdit{edit(1, 0, 1, 0, "\nb")}, "a\nb", false},
		{"no such line", "a", "utf-16", []textEdit{edit(7, 0, 7, 0, "x")}, "", true},
		{"overlapping", "abc", "utf-16", []textEdit{edit(0, 0, 0, 2, "x"), edit(0, 1, 0, 3, "y")}, "", true},
		{"turned round", "abc", "utf-16", []textEdit{edit(0, 2, 0, 1, "x")}, "", true},
		{"negative", "abc", "utf-16", []textEdit{edit(-1, 0, 0, 1, "x")}, "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := applyEdits(test.text, test.edits, test.encoding)
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

// Edits come by file in two forms; file operations and other places are refused.
func TestProposal(t *testing.T) {
	var p proposal
	p.Edit.Changes = map[string][]textEdit{"file:///b%20c": {{Text: "x"}}, "file:///a": {{Text: "y"}}}
	files, err := p.files()
	if err != nil || len(files) != 2 || files[0].path != "/a" || files[1].path != "/b c" {
		t.Errorf("got %v, %v", files, err)
	}
	p.Edit.Changes = map[string][]textEdit{"untitled:one": nil}
	if _, err := p.files(); err == nil {
		t.Error("what is no file is changed")
	}
	p.Edit.Documents = append(p.Edit.Documents, struct {
		Kind     string `json:"kind"`
		Document struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Edits []textEdit `json:"edits"`
	}{Kind: "delete"})
	if _, err := p.files(); err == nil {
		t.Error("a file is deleted")
	}
}
