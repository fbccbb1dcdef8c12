package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvim-acp/nvim-acp/tests/hostile"
)

// drawPlaces shows all that tools have made: lists, their windows and titles, annotations, messages, also as commands print them.
const drawPlaces = `
	vim.o.ruler, vim.o.laststatus, vim.o.title, vim.o.icon = true, 2, true, true
	local function draw()
		vim.cmd("redraw! | redrawstatus! | redrawtabline")
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			vim.api.nvim_eval_statusline(vim.wo[win].statusline, { winid = win })
			vim.api.nvim_eval_statusline(vim.wo[win].winbar, { winid = win, use_winbar = true })
		end
	end
	local function hidden(text)
		assert(not text:find("[%z\1-\8\11-\31\127]"), "a text has a control character: " .. vim.inspect(text))
	end
	hidden(vim.fn.getqflist({ title = 0 }).title)
	for _, item in ipairs(vim.fn.getqflist()) do
		hidden(item.text)
	end
	vim.cmd("copen") draw()
	for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
		hidden(line)
	end
	vim.cmd("normal! G0zt") draw()
	vim.cmd("normal! \r") draw()
	vim.fn.execute("silent! clist! | silent! chistory | silent! cnext | silent! cprevious | silent! messages")
	vim.cmd("silent! edit a.txt") draw()
	vim.cmd("AcpAnnotations") draw()
	for _, item in ipairs(vim.fn.getqflist()) do
		hidden(item.text)
	end
	for _, m in ipairs(vim.api.nvim_buf_get_extmarks(vim.fn.bufnr("a.txt"), -1, 0, -1, { details = true })) do
		for _, row in ipairs(m[4].virt_lines or {}) do
			hidden(row[1][1])
		end
	end
	vim.cmd("silent! cclose | silent! only! | silent! AcpAnnotations! dismiss")
	draw()`

// What agents say by the editor's tools, of any harmful text, is text wherever it is shown, and a longer one than anybody
// reads there is refused (behaviour 1047).
func TestHostileTools(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": strings.Repeat("line\n", 500)})
	b.must(t, `_G.Hostile = setmetatable({ ran = false }, { __call = function(self) self.ran = true return "" end })
		vim.cmd("function! Hostile(...)\nlua Hostile.ran = true\nendfunction") vim.cmd("edit a.txt")`)
	check := func(what string) {
		t.Helper()
		b.must(t, drawPlaces)
		hits, _ := filepath.Glob(filepath.Join(b.dir, hit+"*"))
		if ran := b.must(t, `tostring(Hostile.ran)`); len(hits) > 0 || ran != "false" {
			t.Fatalf("%s was run: %v, %s", what, hits, ran)
		}
	}

	var texts []string
	for _, text := range hostile.Corpus(hit) {
		if strings.TrimSpace(text) != "" && !strings.Contains(text, hostile.Raw) {
			texts = append(texts, text[:min(len(text), 4000)])
		}
	}
	for from := 0; from < len(texts); from += 20 {
		var items []map[string]any
		for i, text := range texts[from:min(from+20, len(texts))] {
			items = append(items, map[string]any{"path": "a.txt", "line": i + 1, "text": text})
		}
		b.call(t, "quickfix", map[string]any{"title": texts[from], "items": items})
		b.call(t, "annotate", map[string]any{"items": items, "replace": true})
		check(fmt.Sprintf("one of texts %d to %d", from, from+20))
	}
	for i, text := range texts { // the title is where Neovim has it evaluated, if anywhere
		b.call(t, "quickfix", map[string]any{"title": text, "items": []map[string]any{{"path": "a.txt", "line": i%500 + 1, "text": "x"}}})
		b.must(t, `(function() vim.cmd("copen | redraw! | redrawstatus!")
			vim.api.nvim_eval_statusline(vim.wo.statusline, {}) vim.cmd("cclose") end)()`)
	}
	check("a title")
	for _, text := range texts {
		_, _, _ = b.use(t.Context(), "open", map[string]any{"path": text})
		_, _, _ = b.use(t.Context(), "quickfix", map[string]any{"items": []map[string]any{{"path": text, "line": 1, "text": "x"}}})
		odd := []map[string]any{{"path": "a.txt", "line": 1, "text": "x", "kind": text}}
		_, _, _ = b.use(t.Context(), "quickfix", map[string]any{"items": odd})
		_, _, _ = b.use(t.Context(), "annotate", map[string]any{"items": []map[string]any{{"path": text, "line": 1, "text": "x"}}})
	}
	check("a path")

	for _, huge := range []string{
		hostile.Huge(hit), strings.Repeat("%{writefile([],'"+hit+"')}", 1<<20/30), strings.Repeat("\x1b\u0301", 1<<19),
	} {
		stop := b.editor.bystander()
		item := []map[string]any{{"path": "a.txt", "line": 1, "text": huge}}
		kind := []map[string]any{{"path": "a.txt", "line": 1, "text": "x", "kind": huge}}
		for name, said := range map[string]string{
			"an entry":      b.refused(t, "quickfix", map[string]any{"items": item}),
			"a title":       b.refused(t, "quickfix", map[string]any{"title": huge, "items": []any{}}),
			"an annotation": b.refused(t, "annotate", map[string]any{"items": item}),
			"a kind":        b.refused(t, "quickfix", map[string]any{"items": kind}),
			"a path":        b.refused(t, "annotate", map[string]any{"items": []map[string]any{{"path": huge, "line": 1, "text": "x"}}}),
		} {
			if len(said) > 10_000 {
				t.Errorf("%s of %d bytes is refused in %d", name, len(huge), len(said))
			}
		}
		waited := stop()
		t.Logf("%d bytes: Neovim waits %v at most", len(huge), waited.at(1))
	}
	check("a huge text")
	if wrong := wrongs.FindString(b.must(t, `vim.fn.execute("messages")`)); wrong != "" {
		t.Errorf("something went wrong: %.500s", wrong)
	}
}
