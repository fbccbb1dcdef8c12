package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Language servers learn of files that nobody has open and that were created, changed or deleted during a turn, and what they have
// said of a file that is gone is not repeated (behaviour 461).
func TestToolsDisk(t *testing.T) {
	b := newShop(t)
	b.must(t, `require("nvim-acp").prompt("work")`)
	b.must(t, `vim.cmd("edit shop.go")`)
	has(t, b.call(t, "diagnostics", map[string]any{"path": "shop.go"}), "no problems")

	says := func(want, not string) {
		t.Helper()
		var got string
		err := poll(patience, func() (bool, error) { // a server may take longer than it is waited for
			got = b.call(t, "diagnostics", nil)
			return strings.Contains(got, want) && (not == "" || !strings.Contains(got, not)), nil
		})
		if err != nil {
			t.Errorf("got %s, want %q in it, and not %q", got, want, not)
		}
	}

	write(t, filepath.Join(b.dir, "helper.go"), "package shop\n\nfunc helper() int { return \"x\" }\n")
	says("helper.go:3:", "")
	has(t, b.call(t, "diagnostics", map[string]any{"path": "helper.go"}), "helper.go:3:") // which loads it
	write(t, filepath.Join(b.dir, "cart.go"), strings.ReplaceAll(goCart, "Total", "Count"))
	says("shop.go:8:11: error: c.Total undefined", "")
	has(t, b.call(t, "references", map[string]any{"path": "cart.go", "symbol": "Count", "line": 7}), "cart.go:7")
	if err := os.Remove(filepath.Join(b.dir, "helper.go")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(b.dir, "cart.go"), goCart)
	says("gopls: no problems in the open files", "helper.go")
	if got := b.must(t, `tostring(vim.fn.bufloaded(vim.fn.getcwd() .. "/helper.go"))`); got != "0" {
		t.Error("the buffer of a file that is gone is still loaded")
	}
}

// A file that others create while the user is asked whether the agent may is theirs, also if it is in a buffer only (behaviour 503).
func TestToolsCreated(t *testing.T) {
	for name, create := range map[string]func(b *toolbox, path string){
		"disk": func(b *toolbox, path string) { write(t, path, "of the user\n") },
		"buffer": func(b *toolbox, path string) {
			b.must(t, `vim.cmd("edit .env.new | call setline(1, 'of the user')")`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newToolbox(t, nil, `vim.g.asked = 0`, `vim.api.nvim_create_autocmd("User", { pattern = "AcpPermission", callback = function() vim.g.asked = vim.g.asked + 1 end })`)
			done := b.later(t, "edit", map[string]any{"path": ".env.new", "old": "", "new": "of the agent\n"})
			b.must(t, `require("nvim-acp").permit("allow_once")`)
			if err := b.wait(`vim.g.asked == 2 and require("nvim-acp").status().pending == 1`); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(b.dir, ".env.new")
			create(b, path)
			b.must(t, `require("nvim-acp").permit("allow_once")`)
			has(t, answered(t, done), "created meanwhile", "failed:true")
			if text, err := os.ReadFile(path); name == "disk" && string(text) != "of the user\n" || name == "buffer" && err == nil {
				t.Errorf("the file has %q, %v", text, err)
			}
		})
	}
}
