package tests

import (
	"fmt"
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
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	want := "  selected, lines 1-200:\n  " + strings.Join(lines[:100], "\n  ") + "\n"
	if _, got, _ := strings.Cut(b.call(t, "buffers", nil), "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	for _, test := range []struct{ keys, mode, want string }{
		{"3G$vbk0", "v", "2-3:\n  line 2\n  line 3\n"}, // begun at its end
		{"3G$hvbl", "v", "3-3:\n  ine \n"},
		{"3G0lvl", "v", "3-3:\n  in\n"},
		{"3G0lvj", "v", "3-4:\n  ine 3\n  li\n"},
		{"3G0lvjh", "v", "3-4:\n  ine 3\n  l\n"},
		{"4G$V", "V", "4-4:\n  line 4\n"},
		{"4G$Vkk", "V", "2-4:\n  line 2\n  line 3\n  line 4\n"},
		{"4G0llgh", "s", "4-4:\n  n\n"},
		{"4G0llgH", "S", "4-4:\n  line 4\n"},
		{"4G0l<C-v>jl", "\x16", "4-5:\n  ine 4\n  lin\n"},
		{"1G$vG$", "v", "1-200:\n  1\n  " + strings.Join(lines[1:100], "\n  ") + "\n"},
		{"1G0vG0", "v", "1-200:\n  " + strings.Join(lines[:100], "\n  ") + "\n"},
		{"4G0l", "n", ""},
		{"<C-w>wV", "V", ""}, // in the chat
	} {
		b.must(t, `(function() vim.api.nvim_input("<Esc><C-w>t") done = nil end)()`)
		b.must(t, fmt.Sprintf(`vim.api.nvim_input(%q)`, test.keys+"<Cmd>lua done = true<CR>"))
		if err := b.wait(fmt.Sprintf(`done and vim.api.nvim_get_mode().mode == %q`, test.mode)); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(b.call(t, "buffers", nil), "selected, lines ")
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.keys, got, test.want)
		}
	}

	b.must(t, `vim.api.nvim_buf_set_lines(vim.fn.bufnr("a.txt"), 0, -1, false, { ("x"):rep(5000) })`)
	b.must(t, `vim.api.nvim_input("<Esc><C-w>tV")`)
	if err := b.wait(`vim.api.nvim_get_mode().mode == "V" and vim.fn.bufname() == "a.txt"`); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.call(t, "buffers", nil), "x"); got != 4096+len("xt")-1 {
		t.Errorf("got %d of a long line", got)
	}
}

// Buffers whose text is not a file's are not among the open files, whatever their names; the current one is the file beside them (behaviour 1349).
func TestToolsOpenFiles(t *testing.T) {
	b := newToolbox(t, map[string]string{
		"a.txt": "one\ntwo\n", "hidden.txt": "1\n", "changed.txt": "1\n2\n", "unlisted.txt": "1\n", "aside.txt": "1\n", "tab.txt": "1\n",
	})
	buffers := func(want string) {
		t.Helper()
		if got := b.call(t, "buffers", nil); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	buffers("No file is open in the editor.")
	b.must(t, `(function()
		vim.o.hidden = true
		vim.cmd("edit hidden.txt | edit changed.txt | call setline(1, 'x') | edit unlisted.txt | setlocal nobuflisted | edit a.txt | normal! G$")
		vim.cmd("tabedit tab.txt | tabprevious | belowright split | 1 | split aside.txt | wincmd j")
		for _, kind in ipairs({ "nofile", "nowrite", "acwrite", "help" }) do
			vim.cmd("new " .. kind .. ".txt")
			vim.bo.buftype = kind
			vim.cmd("close")
		end
		vim.cmd("new other:///x.txt | close")
		vim.fn.bufadd("added.txt")
	end)()`)
	others := "changed.txt (2 lines), unsaved changes\na.txt (2 lines), lines 1-2 on the screen, lines 1-2 on the screen%s\n" +
		"tab.txt (1 line), lines 1-1 on the screen\naside.txt (1 line), lines 1-1 on the screen%s\nhidden.txt (1 line)\n"
	here := fmt.Sprintf(others, ", the user is here: line 1, column 3", "")
	b.must(t, `vim.cmd("normal! $")`)
	buffers(here)
	b.must(t, `vim.cmd("wincmd k")`)
	buffers(fmt.Sprintf(others, "", ", the user is here: line 1, column 1"))
	b.must(t, `vim.cmd("wincmd j")`)
	b.must(t, `require("nvim-acp").chat()`) // to which they have come from there
	buffers(here)
	b.must(t, `vim.cmd("stopinsert | tabnext | tabonly | rightbelow new | setlocal buftype=nofile | new | setlocal buftype=nofile")`) // the file is in another window
	got := b.call(t, "buffers", nil)
	has(t, got, "tab.txt (1 line), lines 1-1 on the screen, the user is here: line 1, column 1\n")

	b.must(t, `(function() for i = 1, 250 do vim.fn.bufload(vim.fn.bufadd(i .. ".txt")) vim.bo[vim.fn.bufnr(i .. ".txt")].buflisted = true end end)()`)
	got = b.call(t, "buffers", nil)
	if has(t, got, "and 55 more, which are neither on the screen nor have unsaved changes\n"); strings.Count(got, "\n") != 201 {
		t.Errorf("got %q", got)
	}
}
