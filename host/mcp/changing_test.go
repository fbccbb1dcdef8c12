package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// fileDesk is a desk of one file with a text, whose read may fail.
type fileDesk struct {
	Desk
	text    string
	fails   error
	note    string // on what is changed
	refused error
	changed []Change
}

func (d *fileDesk) Cwd() string                                   { return "/p" }
func (d *fileDesk) Real(path string) (string, error)              { return path, nil }
func (d *fileDesk) Barred(string) error                           { return nil }
func (d *fileDesk) MayRead(context.Context, string) error         { return nil }
func (d *fileDesk) Alone(context.Context, string) (func(), error) { return func() {}, nil }
func (d *fileDesk) Read(context.Context, string, *uint32, *uint32) (string, error) {
	return d.text, d.fails
}

func (d *fileDesk) Change(_ context.Context, _ bool, _ Use, changes []Change) (string, error) {
	d.changed = changes
	return d.note, d.refused
}

// Only a file that does not exist is created: one that cannot be read stays as it is, and the answer says why (behaviour 317).
func TestCreate(t *testing.T) {
	for _, test := range []struct {
		fails error
		says  string
	}{
		{errors.New("not a text file"), "not a text file"},
		{context.DeadlineExceeded, "the editor did not answer"},
		{fs.ErrPermission, "permission denied"},
	} {
		d := &fileDesk{fails: test.fails}
		got, err := (&server{desk: d}).edit(context.Background(), editIn{Path: "a", New: "new\n"})
		if err == nil || !strings.Contains(err.Error(), test.says) || d.changed != nil {
			t.Errorf("%v: got %q, %v, and %v is changed", test.fails, got, err, d.changed)
		}
	}
	d := &fileDesk{fails: fmt.Errorf("read: %w", fs.ErrNotExist)}
	got, err := (&server{desk: d}).edit(context.Background(), editIn{Path: "a", New: "new\n"})
	if err != nil || got != "a: created, 1 line." || len(d.changed) != 1 || !d.changed[0].Missing {
		t.Errorf("got %q, %v, and %v is changed", got, err, d.changed)
	}
}

// An edit says what it has made of the file: how much of it is new, and what the editor notes on that; or why nothing is changed
// (behaviour 317).
func TestEdit(t *testing.T) {
	none := fmt.Errorf("read: %w", fs.ErrNotExist)
	for _, test := range []struct {
		name         string
		text         string
		fails        error
		in           editIn
		note         string
		made, answer string
		err          string
	}{
		{name: "a file of a line", fails: none, in: editIn{New: "a\n"}, made: "a\n", answer: "/q/f: created, 1 line."},
		{name: "a file of lines", fails: none, in: editIn{New: "a\nb\nc"}, made: "a\nb\nc", answer: "/q/f: created, 3 lines."},
		{name: "a file of nothing", fails: none, in: editIn{}, answer: "/q/f: created, 0 lines."},
		{name: "an empty file", in: editIn{New: "a\nb\n"}, made: "a\nb\n", answer: "/q/f: 2 lines written into the empty file."},
		{name: "a place", text: "a\nb\n", in: editIn{Old: "b", New: "c\nd"}, made: "a\nc\nd\n", answer: "/q/f: 1 place replaced."},
		{name: "a place, all of them", text: "a\nb\n", in: editIn{Old: "b", All: true}, made: "a\n\n", answer: "/q/f: 1 place replaced."},
		{name: "places", text: "b a\nb\n", in: editIn{Old: "b", New: "c", All: true}, made: "c a\nc\n", answer: "/q/f: 2 places replaced."},
		{name: "a note", text: "a", in: editIn{Old: "a", New: "b"}, note: "It is saved.\n", made: "b", answer: "/q/f: 1 place replaced. It is saved."},
		{name: "places, of which one is meant", text: "b b", in: editIn{Old: "b"}, err: "/q/f: old occurs 2 times; give more of what is around it, or set all"},
		{name: "no place", text: "a", in: editIn{Old: "b"}, err: "/q/f: old does not occur in the text on the screen; read it with the tool read"},
		{name: "no file", fails: none, in: editIn{Old: "b"}, err: none.Error()},
		{name: "a file that is there", text: "a", in: editIn{New: "b"}, err: "old is empty, which creates a file, but there is one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.in.Path = "/q/f"
			d := &fileDesk{text: test.text, fails: test.fails, note: test.note}
			got, err := (&server{desk: d}).edit(t.Context(), test.in)
			if test.err != "" {
				if err == nil || err.Error() != test.err || d.changed != nil {
					t.Errorf("got %q, %v, and %v is changed; want %s", got, err, d.changed, test.err)
				}
				return
			}
			if err != nil || got != test.answer {
				t.Errorf("got %q, %v, want %q", got, err, test.answer)
			}
			want := Change{Path: "/q/f", Old: test.text, New: test.made, Missing: test.fails != nil}
			if len(d.changed) != 1 || d.changed[0] != want {
				t.Errorf("changed %+v, want %+v", d.changed, want)
			}

			d.refused = errors.New("the user refuses")
			if got, err := (&server{desk: d}).edit(t.Context(), test.in); got != "" || !errors.Is(err, d.refused) {
				t.Errorf("refused: got %q, %v", got, err)
			}
		})
	}
}

// What is replaced has the line ends of the whole text; where they are mixed, those that are given (behaviour 317).
func TestReplaceLineEnds(t *testing.T) {
	for _, test := range []struct {
		name, text, old, new string
		want                 string // "" if old does not occur
	}{
		{"LF", "a\nb\n", "a\nb", "x\ny", "x\ny\n"},
		{"CRLF", "a\r\nb\r\n", "a\nb", "x\ny", "x\r\ny\r\n"},
		{"CRLF, one line", "a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n"},
		{"mixed", "a\nb\nc\r\nd\n", "a\nb\n", "x\ny\n", "x\ny\nc\r\nd\n"},
		{"mixed, one line", "a\nb\nc\r\nd\n", "d", "x\ny", "a\nb\nc\r\nx\ny\n"},
		{"mixed, as it is", "a\nb\nc\r\nd\n", "c\r\nd", "x\r\ny", "a\nb\nx\r\ny\n"},
		{"mixed, not as it is", "a\nb\nc\r\nd\n", "c\nd", "x", ""},
	} {
		got, _, err := replace(test.text, editIn{Old: test.old, New: test.new})
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: got %q, %v, want %q", test.name, got, err, test.want)
		}
		if err != nil && !strings.Contains(err.Error(), `some lines end in "\r\n"`) {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
}
