package tests

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// annotations are the rows that are shown below the lines of a buffer, each behind its line.
const annotations = `(function(name)
	local out = {}
	for id, ns in pairs({ vim.api.nvim_get_namespaces()["nvim-acp.annotations"] }) do
		for _, m in ipairs(vim.api.nvim_buf_get_extmarks(vim.fn.bufnr(name), ns, 0, -1, { details = true })) do
			for _, row in ipairs(m[4].virt_lines) do
				table.insert(out, (m[2] + 1) .. row[1][1])
			end
		end
	end
	return table.concat(out, "\n")
end)(%q)`

// Annotations go with a file that the user renames, in Neovim or outside of it, and stay with it where they copy it (behaviours 845).
func TestToolsAnnotateRenamed(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	b.must(t, `vim.cmd("edit a.txt")`)
	shown := func(name string) string { return b.must(t, fmt.Sprintf(annotations, name)) }
	b.call(t, "annotate", map[string]any{"items": []map[string]any{{"path": "a.txt", "line": 2, "text": "why two?"}}})
	b.must(t, `vim.cmd("silent saveas copy.txt")`)
	if left := shown("copy.txt"); left != "" {
		t.Errorf("the copy has %q", left)
	}
	b.must(t, `vim.cmd("edit a.txt")`)
	has(t, shown("a.txt"), "2▌ scripted: why two?")
	b.must(t, `vim.fn.rename("a.txt", "b.txt") vim.cmd("silent saveas! b.txt")`)
	has(t, shown("b.txt"), "2▌ scripted: why two?")
	has(t, b.must(t, `vim.inspect(require("nvim-acp").annotations())`), "b.txt")
}

// Annotations go with their lines where the file is read again, as after another branch was checked out (behaviour 1687).
func TestToolsAnnotateRead(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"})
	b.must(t, `vim.cmd("edit a.txt")`)
	b.call(t, "annotate", map[string]any{"items": []map[string]any{
		{"path": "a.txt", "line": 2, "text": "why two?"}, {"path": "a.txt", "line": 4, "text": "why four?"},
	}})
	for _, step := range []struct{ text, read, want string }{
		{"zero one two three four", "checktime", "3▌ scripted: why two?\n5▌ scripted: why four?"},
		{"two three four", "edit", "1▌ scripted: why two?\n3▌ scripted: why four?"},
		{"new two three FOUR", "checktime", "2▌ scripted: why two?\n3▌ scripted: why four?"},
		{"new one two three four", "edit!", "3▌ scripted: why two?\n4▌ scripted: why four?"},
		{"one", "checktime", "1▌ scripted: why two?\n1▌ scripted: why four?"},
	} {
		write := fmt.Sprintf(`vim.fn.writefile(vim.split(%q, " "), "a.txt")`, step.text)
		b.must(t, write+fmt.Sprintf(` vim.bo.autoread = true vim.cmd("silent %s")`, step.read))
		if got := b.must(t, fmt.Sprintf(annotations, "a.txt")); got != step.want {
			t.Errorf("%s of %s: got\n%s, want\n%s", step.read, step.text, got, step.want)
		}
		if got := b.must(t, `tostring(require("nvim-acp").annotations()[1].line)`); got != step.want[:1] {
			t.Errorf("%s of %s: the first annotation is said to be at %s", step.read, step.text, got)
		}
	}
}

// Annotations stay with the text of their lines where a command or a plugin replaces lines by others, and no other line that is like it is
// taken for theirs (behaviours 1379, 1453).
func TestToolsAnnotateFollows(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "1 one\n2 two\n3 three\n4 four\n"})
	b.must(t, `vim.cmd("edit a.txt")`)
	b.call(t, "annotate", map[string]any{"items": []map[string]any{{"path": "a.txt", "line": 2, "text": "why two?"}}})
	for _, step := range []struct{ does, want string }{
		{`vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.api.nvim_buf_get_lines(0, 0, -1, false))`, "2"},
		{`vim.cmd("sort!")`, "3"},
		{`vim.cmd("silent %!sort")`, "2"},
		{`vim.cmd("2move$")`, "4"},
		{`vim.cmd("silent %!sed 's/^/ /; 1i new'")`, "5"},
		{`vim.fn.append(0, vim.fn.getline(5))`, "6"}, // a line like it
		{`vim.fn.setline(6, "another")`, "6"},
	} {
		b.must(t, step.does)
		b.must(t, `require("nvim-acp.files.follow").flush(vim.api.nvim_get_current_buf())`)
		if got := b.must(t, fmt.Sprintf(annotations, "a.txt")); got != step.want+"▌ scripted: why two?" {
			t.Errorf("after %s: got %q, want it at %s", step.does, got, step.want)
		}
	}
}

// Annotations are shown below their lines, follow them, come back with their file, and go when the user or the agent says so; the
// text stays as it is, and what they say cannot do anything (behaviour 332).
func TestToolsAnnotate(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "later.txt": "1\n2\n"})
	b.must(t, `vim.cmd("edit a.txt")`)
	shown := func(name string) string { return b.must(t, fmt.Sprintf(annotations, name)) }
	item := func(path string, line int, text string) map[string]any {
		return map[string]any{"path": path, "line": line, "text": text}
	}
	args := map[string]any{"items": []map[string]any{item("a.txt", 2, "why two?\nand \x1b]0;x\x07 not %{2}"), item("later.txt", 2, "of a file that is not open")}}
	has(t, b.call(t, "annotate", args), "shows 2 annotations of yours")
	has(t, shown("a.txt"), "2▌ scripted: why two?", "2▌ and ^[]0;x^G not %{2}")
	b.must(t, `vim.api.nvim_buf_set_lines(0, 0, 0, false, { "zero" })`)
	has(t, shown("a.txt"), "3▌ scripted: why two?")
	b.call(t, "edit", map[string]any{"path": "a.txt", "old": "two", "new": "TWO"})
	has(t, shown("a.txt"), "3▌ scripted: why two?")
	b.must(t, `vim.api.nvim_buf_set_lines(0, 2, 2, false, { "right above" }) vim.api.nvim_buf_set_lines(0, 2, 3, false, {})`)
	has(t, shown("a.txt"), "3▌ scripted: why two?")
	b.must(t, `vim.cmd("silent edit! later.txt")`)
	has(t, shown("later.txt"), "2▌ scripted: of a file")
	b.must(t, `vim.cmd("bunload! a.txt | edit a.txt")`)
	has(t, shown("a.txt"), "3▌ scripted: why two?")
	has(t, b.must(t, `vim.inspect(require("nvim-acp").annotations())`), `agent = "scripted"`, "line = 3", "why two?")

	b.must(t, `vim.cmd("AcpAnnotations")`)
	has(t, b.must(t, `vim.bo.buftype .. vim.fn.getqflist()[2].text`), "quickfixscripted: of a file")
	b.must(t, `vim.cmd("cclose | wincmd t | buffer a.txt | 3AcpAnnotations dismiss")`)
	if left := shown("a.txt"); left != "" {
		t.Errorf("dismissed, and there is %q", left)
	}
	has(t, b.call(t, "annotate", map[string]any{"items": []map[string]any{item("a.txt", 1, "new")}, "replace": true}), "shows 1 annotation of yours")
	has(t, shown("a.txt"), "1▌ scripted: new")
	if left := shown("later.txt"); left != "" {
		t.Errorf("replaced, and there is %q", left)
	}
	b.must(t, `vim.cmd("AcpAnnotations clear")`)
	if left := shown("a.txt"); left != "" {
		t.Errorf("cleared, and there is %q", left)
	}

	has(t, b.refused(t, "annotate", map[string]any{"items": []map[string]any{item("a.txt", 1, " ")}}), "item 1 has no text")
	has(t, b.refused(t, "annotate", map[string]any{"items": []map[string]any{item("a.txt", 99, "x")}}), "no line 99, it has 4")
	write(t, filepath.Join(b.dir, "closed.txt"), strings.Repeat("a line\n", 20_000)+"the last")
	for line, there := range map[int]bool{20_000: true, 20_001: true, 20_002: false} {
		args := map[string]any{"items": []map[string]any{item("closed.txt", line, "x")}, "replace": true}
		if there {
			has(t, b.call(t, "annotate", args), "shows 1 annotation of yours")
		} else {
			has(t, b.refused(t, "annotate", args), "closed.txt has no line 20002, it has 20001")
		}
	}

	// Too many change nothing.
	many := func(n int, replace bool) map[string]any {
		return map[string]any{"items": slices.Repeat([]map[string]any{item("a.txt", 1, "x")}, n), "replace": replace}
	}
	has(t, b.call(t, "annotate", many(100, true)), "shows 100 annotations of yours")
	has(t, b.call(t, "annotate", many(100, false)), "shows 200 annotations of yours")
	has(t, b.refused(t, "annotate", many(1, false)), "there are 200 already, and no more than 200 are shown at a time")
	has(t, b.must(t, `#require("nvim-acp").annotations()`), "200")
	has(t, b.call(t, "annotate", many(100, true)), "shows 100 annotations of yours")
	b.must(t, `vim.cmd("AcpAnnotations clear")`)

	has(t, b.refused(t, "annotate", map[string]any{"items": []map[string]any{item("none.txt", 1, "x")}}), "no such file")
	has(t, b.refused(t, "annotate", nil), "there are no items")
	has(t, b.must(t, `tostring(vim.bo.modified)`), "false")
	b.must(t, `vim.notify = function(text) vim.g.said = text end vim.cmd("1AcpAnnotations dismiss")`)
	has(t, b.must(t, `vim.g.said`), "no annotation here")

	b.call(t, "annotate", map[string]any{"items": []map[string]any{item("later.txt", 2, "of what is gone")}})
	b.must(t, `vim.cmd("bunload! later.txt")`)
	write(t, filepath.Join(b.dir, "later.txt"), "1\n")
	b.must(t, `vim.cmd("silent edit! later.txt")`)
	has(t, shown("later.txt"), "1▌ scripted: of what is gone")
	b.must(t, `vim.cmd("buffer a.txt")`)

	long := strings.Repeat("x", 60) + strings.Repeat("ü", 60) + "end"
	b.call(t, "annotate", map[string]any{"items": []map[string]any{item("a.txt", 1, long)}})
	rows := strings.NewReplacer("1▌ ", "", "\n", "").Replace(shown("a.txt"))
	if want := "scripted:" + long; rows != want { // all of it, in rows that have room
		t.Errorf("got %q, want %q", rows, want)
	}
	for _, row := range strings.Split(shown("a.txt"), "\n") {
		if n := len([]rune(row)); n > 93 {
			t.Errorf("a row has %d cells: %q", n, row)
		}
	}
}
