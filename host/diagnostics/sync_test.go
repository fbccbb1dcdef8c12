package diagnostics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nvim-acp/nvim-acp/acp"
	"github.com/nvim-acp/nvim-acp/host/checkpoint"
	"github.com/nvim-acp/nvim-acp/host/feature"
	"github.com/nvim-acp/nvim-acp/host/session"
	"github.com/nvim-acp/nvim-acp/host/transcript"
)

// editingSession is a session whose agent has edited files.
type editingSession struct {
	fakeSession
	state *session.State
}

func (s editingSession) Do(step func(*session.State)) { step(s.state) }
func (s editingSession) Cwd() string                  { return s.roots[0] }
func (s editingSession) Short(path string) string     { return filepath.Base(path) }

func editing(roots []string, paths ...string) editingSession {
	s := editingSession{fakeSession{id: "a", roots: roots}, session.New(session.Config{
		ID: "a", NewLog: func() *transcript.Transcript { return transcript.New(transcript.Options{}) },
	})}
	for i, path := range paths {
		s.state.Update(&acp.ToolCall{
			ToolCallID: fmt.Sprint(i), Kind: acp.ToolKindEdit, Status: acp.ToolCallCompleted, Locations: []acp.ToolCallLocation{{Path: path}},
		})
	}
	return s
}

// What servers know is of the folders of a session, in their order; it begins with the first checkpoint, and a later one, which may have
// what they were not told yet, does not take its place (behaviour 1286).
func TestKnownOfFolders(t *testing.T) {
	var o lspSync
	first := checkpoint.Checkpoint{Trees: []checkpoint.Tree{{Top: "first"}}}
	o.begin([]string{"/a", "/b"}, first)
	o.begin([]string{"/a", "/b"}, checkpoint.Checkpoint{Trees: []checkpoint.Tree{{Top: "second"}}})
	if k := o.of([]string{"/a", "/b"}); !k.base || len(k.last.Trees) != 1 || k.last.Trees[0].Top != "first" {
		t.Errorf("servers know %v", k.last)
	}
	for _, roots := range [][]string{{"/a"}, {"/a/b"}, {"/b", "/a"}, {"/a/", "b"}} {
		if o.of(roots).base {
			t.Errorf("%q begins with what others know", roots)
		}
	}
}

// In folders without a checkpoint a file that the agent has edited is told once for each of its versions, until it is gone; where there is a
// checkpoint, or outside of the folders, that is not for this (behaviour 1286).
func TestChangedWithoutCheckpoint(t *testing.T) {
	dir := t.TempDir()
	held, file := filepath.Join(dir, "held", "f"), filepath.Join(dir, "f")
	outside := filepath.Join(t.TempDir(), "f")
	for _, path := range []string{held, file, outside} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := editing([]string{dir}, file, held, outside)
	now := checkpoint.Checkpoint{Trees: []checkpoint.Tree{{Top: filepath.Join(dir, "held")}}}

	var o lspSync
	k := o.of(s.Roots())
	for _, tt := range []struct {
		name string
		do   func() error
		want int
		gone bool
	}{
		{"at first", func() error { return nil }, 1, false},
		{"the same", func() error { return nil }, 0, false},
		{"another size", func() error { return os.WriteFile(file, []byte("two\n2\n"), 0o600) }, 1, false},
		{"another file", func() error {
			other := file + ".new"
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			err = errors.Join(os.WriteFile(other, []byte("new\n2\n"), 0o600), os.Chtimes(other, info.ModTime(), info.ModTime()))
			return errors.Join(err, os.Rename(other, file))
		}, 1, false},
		{"gone", func() error { return os.Remove(file) }, 1, true},
		{"still gone", func() error { return nil }, 0, false},
		{"again there", func() error { return os.WriteFile(file, nil, 0o600) }, 1, false},
	} {
		if err := tt.do(); err != nil {
			t.Fatal(err)
		}
		got := k.changed(s, now)
		info, told := got[file]
		if len(got) != tt.want || told != (tt.want > 0) || told && (info == nil) != tt.gone {
			t.Errorf("%s: got %v", tt.name, got)
		}
		for path, info := range got {
			k.stats[path] = info
		}
	}
}

// A file whose server may say more is looked at again, with its errors so far only if they are of its text as it is; servers that have left
// files, and errors beyond those that were answered, leave a look blind, which is said once for all files of one server (behaviour 1287).
func TestErrorsIn(t *testing.T) {
	const item = `"items": [{"message": "m"}], "count": 1`
	answers := map[string]string{
		"/settled": `{` + item + `, "settled": true}`,
		"/late":    `{` + item + `, "settled": false, "late": "slow"}`,
		"/fresh":   `{` + item + `, "settled": false, "late": "slower", "fresh": true}`,
		"/many":    `{"items": [{"message": "m"}], "count": 7, "settled": true}`,
		"/ended":   `{"settled": true, "ended": "srv has ended"}`,
		"/ended2":  `{"settled": true, "ended": "srv has ended"}`,
	}
	c := &Checks{hooks: Hooks{Know: func(_ context.Context, _ feature.Session, q string, args map[string]any, result any) error {
		answer, ok := answers[args["path"].(string)]
		if !ok || q != "diagnostics" {
			return errors.New("gone")
		}
		return json.Unmarshal([]byte(answer), result)
	}}}
	for _, tt := range []struct {
		paths, open []string
		found       int
		late        string
		blind       bool
		notes       []string
	}{
		{paths: []string{"/settled", "/gone"}, found: 1},
		{paths: []string{"/late", "/settled"}, open: []string{"/late"}, found: 1, late: "slow"},
		{paths: []string{"/fresh", "/late"}, open: []string{"/fresh", "/late"}, found: 1, late: "slower"},
		{paths: []string{"/many"}, found: 1, blind: true, notes: []string{"only the first 1 of 7 errors in many are looked at"}},
		{paths: []string{"/ended"}, blind: true, notes: []string{"srv has ended and has not looked at ended"}},
		{
			paths: []string{"/ended", "/ended2"}, blind: true,
			notes: []string{"srv has ended and has not looked at 2 changed files, ended among them"},
		},
	} {
		p := c.errorsIn(t.Context(), editing([]string{"/"}), tt.paths)
		if !slices.Equal(p.open, tt.open) || len(p.found) != tt.found || p.late != tt.late || p.blind != tt.blind || !slices.Equal(p.notes, tt.notes) {
			t.Errorf("%q: got %+v", tt.paths, p)
		}
	}
}
