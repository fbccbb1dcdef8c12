package tests

import (
	"strconv"
	"strings"
	"testing"
)

// Of a selection an agent is given the first hundred lines, and where it ends (behaviour 1407).
func TestToolsSelection(t *testing.T) {
	var text strings.Builder
	for n := range 200 {
		text.WriteString("line " + strconv.Itoa(n+1) + "\n")
	}
	b := newToolbox(t, map[string]string{"a.txt": text.String()})
	b.must(t, `(function() vim.cmd("edit a.txt") vim.api.nvim_input("ggVG") end)()`)
	if err := b.wait(`vim.api.nvim_get_mode().mode == "V" and vim.fn.line(".") == 200`); err != nil {
		t.Fatal(err)
	}
	got := b.call(t, "buffers", nil)
	if has(t, got, "line 1\n", "line 100", "200"); strings.Contains(got, "line 101") {
		t.Errorf("got %q", got)
	}

	// One that was begun at its end.
	b.must(t, `vim.api.nvim_input("<Esc>3G$vbk0")`)
	if err := b.wait(`vim.api.nvim_get_mode().mode == "v" and vim.fn.line(".") == 2`); err != nil {
		t.Fatal(err)
	}
	has(t, b.call(t, "buffers", nil), "lines 2-3:\n  line 2\n  line 3\n")
	b.must(t, `vim.api.nvim_input("<Esc>3G$hvbl")`)
	if err := b.wait(`vim.fn.line(".") == 3 and vim.fn.col(".") == 2`); err != nil {
		t.Fatal(err)
	}
	has(t, b.call(t, "buffers", nil), "lines 3-3:\n  ine \n")
}

// Buffers whose text is not a file's are not among the open files, whatever their names; the current one is the file beside them (behaviour 1349).
func TestToolsOpenFiles(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\ntwo\n"})
	b.must(t, `(function()
		vim.cmd("edit a.txt | normal! G")
		for _, kind in ipairs({ "nofile", "nowrite", "acwrite", "help" }) do
			vim.cmd("new " .. kind .. ".txt")
			vim.bo.buftype = kind
		end
	end)()`)
	got := b.call(t, "buffers", nil)
	if has(t, got, "a.txt (2 lines)", "the user is here: line 2"); strings.Contains(got, "nofile") || strings.Contains(got, "write") || strings.Contains(got, "help") {
		t.Errorf("got %q", got)
	}
}
