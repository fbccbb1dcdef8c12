package tests

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const (
	goMod  = "module example.org/shop\n\ngo 1.24\n"
	goCart = `package shop

// Cart is what a customer buys.
type Cart struct{ Items []string }

// Total returns the number of items.
func (c *Cart) Total() int { return len(c.Items) }
`
	goShop = `package shop

// Checkout sells a cart.
func Checkout(c *Cart) int {
	if c == nil {
		return 0
	}
	return c.Total()
}
`
	goTest = `package shop

import "testing"

func TestTotal(t *testing.T) {
	c := &Cart{Items: []string{"a"}}
	if c.Total() != 1 || Checkout(c) != 1 {
		t.Error("wrong")
	}
}
`
)

// newShop is a toolbox on a Go module with gopls, which starts for Go files.
func newShop(t *testing.T) *toolbox {
	t.Helper()
	gopls, err := exec.Command(plugin(t) + "/scripts/gopls").Output()
	if err != nil {
		t.Fatalf("scripts/gopls: %v", err)
	}
	b := newToolbox(t, map[string]string{
		"go.mod": goMod, "cart.go": goCart, "shop.go": goShop, "cart_test.go": goTest, "notes.txt": "notes\n", "other/other.go": "package other\n",
	})
	b.must(t, fmt.Sprintf(`vim.api.nvim_create_autocmd("FileType", { pattern = "go", callback = function(args)
		vim.lsp.start({ name = "gopls", cmd = { %q }, root_dir = %q, cmd_env = { XDG_CACHE_HOME = "", XDG_CONFIG_HOME = "" } })
	end })`, strings.TrimSpace(string(gopls)), b.dir))
	return b
}

// The tools answer by the language server, also of files that are not open, and say where none is attached (behaviour 316).
func TestToolsServer(t *testing.T) {
	b := newShop(t)
	has(t, b.call(t, "definition", map[string]any{"path": "shop.go", "symbol": "Total"}), "cart.go:7: func (c *Cart) Total() int")
	has(t, b.call(t, "definition", map[string]any{"path": "cart_test.go", "symbol": "Cart", "line": 6}), "cart.go:4: type Cart struct")
	has(t, b.call(t, "references", map[string]any{"path": "cart.go", "symbol": "Total", "line": 7}), "cart.go:7", "shop.go:8: return c.Total()", "cart_test.go:7")
	has(t, b.call(t, "hover", map[string]any{"path": "shop.go", "symbol": "Checkout", "line": 4}), "func Checkout(c *Cart) int", "sells a cart")
	has(t, b.call(t, "symbols", map[string]any{"path": "cart.go"}), "struct Cart", "Total", "lines 7-7")
	has(t, b.call(t, "symbols", map[string]any{"query": "Checkout"}), "shop.go:4: function Checkout")
	has(t, b.refused(t, "definition", map[string]any{"path": "shop.go", "symbol": "Nothing"}), `the file has no "Nothing"`)
	has(t, b.refused(t, "hover", map[string]any{"path": "shop.go", "symbol": "Cart", "line": 99}), "there is no line 99")
	has(t, b.refused(t, "definition", map[string]any{"path": "notes.txt", "symbol": "notes"}), "No language server is attached", "filetype text")
	has(t, b.refused(t, "definition", map[string]any{"path": "missing.go", "symbol": "x"}), "no such file")
}

// Diagnostics are those of the text on the screen, when the server has looked at it; where no server is attached, that is said, and
// never that there are no problems (behaviour 316).
func TestToolsDiagnostics(t *testing.T) {
	b := newShop(t)
	clean := b.call(t, "diagnostics", map[string]any{"path": "shop.go"})
	has(t, clean, "gopls: no problems in shop.go")
	b.must(t, `vim.cmd("edit shop.go") vim.api.nvim_buf_set_lines(0, 7, 8, false, { "\treturn c.Totl()" })`)
	start := time.Now()
	has(t, b.call(t, "diagnostics", map[string]any{"path": "shop.go"}), "shop.go:8:11: error: c.Totl undefined", "compiler MissingFieldOrMethod")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	has(t, b.call(t, "diagnostics", nil), "shop.go:8:11: error")
	has(t, b.call(t, "diagnostics", map[string]any{"path": "notes.txt"}), "No language server is attached to notes.txt")
	if text := b.call(t, "diagnostics", map[string]any{"path": "notes.txt"}); strings.Contains(text, "no problems") {
		t.Errorf("no server knows the file, and it says %q", text)
	}
}
