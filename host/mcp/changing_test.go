package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// fileDesk is a desk of one file, whose read may fail.
type fileDesk struct {
	Desk
	fails   error
	changed []Change
}

func (d *fileDesk) Cwd() string                                   { return "/p" }
func (d *fileDesk) Real(path string) (string, error)              { return path, nil }
func (d *fileDesk) Barred(string) error                           { return nil }
func (d *fileDesk) MayRead(context.Context, string) error         { return nil }
func (d *fileDesk) Alone(context.Context, string) (func(), error) { return func() {}, nil }
func (d *fileDesk) Read(context.Context, string, *uint32, *uint32) (string, error) {
	return "", d.fails
}

func (d *fileDesk) Change(_ context.Context, _ bool, _ Use, changes []Change) (string, error) {
	d.changed = changes
	return "", nil
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
