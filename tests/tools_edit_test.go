package tests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// An edit replaces one place, merged into what is on the screen, and says where it cannot (behaviour 317).
func TestToolsEdit(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\ntwo\n", "dos.txt": "a\r\nb\r\n", "mixed.txt": "a\nb\nc\r\nd\n", "bin.dat": "\x00\x01\xff"})
	b.must(t, `vim.cmd("edit a.txt") vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })`)
	has(t, b.refused(t, "edit", map[string]any{"path": "a.txt", "old": "one", "new": "x"}), "does not occur in the text on the screen")
	has(t, b.refused(t, "edit", map[string]any{"path": "a.txt", "old": "two", "new": "x"}), "occurs 2 times")
	has(t, b.refused(t, "edit", map[string]any{"path": "a.txt", "old": "", "new": "x"}), "there is one")
	has(t, b.call(t, "edit", map[string]any{"path": "a.txt", "old": "two", "new": "2", "all": true}), "a.txt: 2 places replaced.")
	has(t, b.must(t, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|")`), "typed|2|2")
	b.call(t, "edit", map[string]any{"path": "dos.txt", "old": "a\nb", "new": "a\nc"})
	if got, want := b.file(t, "dos.txt"), "a\r\nc\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	has(t, b.call(t, "edit", map[string]any{"path": "sub/new.txt", "old": "", "new": "fresh\n"}), "sub/new.txt: created, 1 line.")
	if got := b.file(t, "sub/new.txt"); got != "fresh\n" {
		t.Errorf("got %q", got)
	}
	has(t, b.refused(t, "edit", map[string]any{"path": "bin.dat", "old": "", "new": "gone\n"}), "not a text file")
	if got := b.file(t, "bin.dat"); got != "\x00\x01\xff" {
		t.Errorf("what could not be read is overwritten: %q", got)
	}
	b.call(t, "edit", map[string]any{"path": "mixed.txt", "old": "a\nb\n", "new": "x\ny\n"})
	if got, want := b.file(t, "mixed.txt"), "x\ny\nc\r\nd\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.must(t, `vim.cmd("undo")`)
	has(t, b.must(t, `table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("a.txt"), 0, -1, false), "|")`), "typed|two|two")
}

// Where the user changes the same lines while they are asked about an edit, the agent is told that both versions are there (behaviour 317).
func TestToolsEditConflict(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "a.txt")
	write(t, outside, "one\ntwo\n")
	b := newToolbox(t, nil, `require("nvim-acp.config").options.fs.outside = { read = "allow", write = "ask" }`)
	b.must(t, fmt.Sprintf(`vim.cmd.edit(%q)`, outside))
	done := b.later(t, "edit", map[string]any{"path": outside, "old": "one", "new": "ONE"})
	b.must(t, `vim.api.nvim_buf_set_lines(0, 0, 1, false, { "typed" })`)
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "The same lines were changed meanwhile in", "both versions are in the editor", "failed:false")
	has(t, b.must(t, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|")`), "|typed|", "|ONE|")
}

// A file that the agent must not read is not changed either, whatever else may be (behaviour 317).
func TestToolsActionUnread(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "a.txt")
	write(t, outside, "one\n")
	b := newToolbox(t, map[string]string{"a.txt": "one\n"}, `require("nvim-acp.config").options.fs.outside = { read = "deny", write = "allow" }`)
	b.must(t, `vim.cmd("edit a.txt")`+strings.Replace(bothServer, "[uri]", fmt.Sprintf("[%q]", "file://"+outside), 1))
	has(t, b.refused(t, "code_action", map[string]any{"path": "a.txt", "line": 1, "title": "Fix it later"}), "it is outside")
	if text, err := os.ReadFile(outside); err != nil || string(text) != "one\n" {
		t.Errorf("it has %q %v", text, err)
	}
}

// Edits of one file that are asked for at the same time are all made, open or not, and line ends stay (behaviour 317).
func TestToolsEditsTogether(t *testing.T) {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("line %02d", i))
	}
	text := strings.Join(lines, "\n") + "\n"
	b := newToolbox(t, map[string]string{"open.txt": text, "closed.txt": text, "dos.txt": "a\r\nb\r\nc\r\n"})
	b.must(t, `vim.cmd("edit open.txt")`)
	for _, name := range []string{"open.txt", "closed.txt"} {
		var calls sync.WaitGroup
		for i := 0; i < 60; i += 5 {
			calls.Go(func() {
				got, failed, err := b.use(context.Background(), "edit", map[string]any{"path": name, "old": fmt.Sprintf("line %02d", i), "new": fmt.Sprintf("LINE %02d", i)})
				if err != nil || failed {
					t.Errorf("%s: %v %s", name, err, got)
				}
			})
		}
		calls.Wait()
		got := b.file(t, name)
		for i := 0; i < 60; i += 5 {
			if !strings.Contains(got, fmt.Sprintf("LINE %02d\n", i)) {
				t.Errorf("%s lacks line %d", name, i)
			}
		}
	}
	b.call(t, "edit", map[string]any{"path": "dos.txt", "old": "b\n", "new": "x\r\ny\r\n"})
	if got, want := b.file(t, "dos.txt"), "a\r\nx\r\ny\r\nc\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
