package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
func newShop(t *testing.T, before ...string) *toolbox {
	t.Helper()
	gopls, err := exec.Command(plugin(t) + "/scripts/gopls").Output()
	if err != nil {
		t.Fatalf("scripts/gopls: %v", err)
	}
	b := newToolbox(t, map[string]string{
		"go.mod": goMod, "cart.go": goCart, "shop.go": goShop, "cart_test.go": goTest, "notes.txt": "notes\n", "other/other.go": "package other\n",
	}, before...)
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

// What is in a file that may hold secrets is not told by way of a symbol of another file, unless the user allows it (behaviours 336, 505).
func TestToolsServerSecret(t *testing.T) {
	b := newShop(t)
	write(t, filepath.Join(b.dir, "id_token.go"), "package shop\n\n// Token is for the door.\nconst Token = \"hunter2\"\n")
	write(t, filepath.Join(b.dir, "door.go"), "package shop\n\nvar door = Token\n")
	hover := map[string]any{"path": "door.go", "symbol": "Token"}
	for _, answer := range []string{"reject_once", "allow_once"} {
		done := b.later(t, "hover", hover)
		b.must(t, fmt.Sprintf(`require("nvim-acp").permit(%q)`, answer))
		if answer == "allow_once" {
			has(t, answered(t, done), "hunter2", "failed:false")
			continue
		}
		text := answered(t, done)
		has(t, text, "Token is defined in id_token.go: ", "does not allow it", "failed:true")
		if strings.Contains(text, "hunter2") || strings.Contains(text, "for the door") {
			t.Errorf("a secret is told: %s", text)
		}
	}
	has(t, b.call(t, "hover", map[string]any{"path": "shop.go", "symbol": "Total"}), "func (c *Cart) Total() int")

	write(t, filepath.Join(b.dir, "gate.go"), "package shop\n\nconst gate = Token\n\nconst lock = gate\n\nvar n int = lock\n")
	done := b.later(t, "hover", map[string]any{"path": "gate.go", "symbol": "lock"})
	b.must(t, `require("nvim-acp").permit("reject_once")`)
	text := answered(t, done)
	has(t, text, "what gopls says of lock quotes id_token.go: ", "failed:true")
	text += b.call(t, "diagnostics", map[string]any{"path": "gate.go"})
	has(t, text, "gate.go:7:13: error: (not shown: it quotes id_token.go, which may hold secrets)")
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is told: %s", text)
	}
	list := b.call(t, "symbols", map[string]any{"query": "Token"})
	has(t, list, "1 symbol is not listed: in files that you may read only if the user allows it")
	if strings.Contains(list, "id_token") {
		t.Errorf("a secret file is told: %s", list)
	}
}

// Diagnostics are those of the text on the screen, when the server has looked at it; where no server is attached, that is said, and
// never that there are no problems (behaviours 316, 535).
func TestToolsDiagnostics(t *testing.T) {
	b := newShop(t)
	clean := b.call(t, "diagnostics", map[string]any{"path": "shop.go"})
	has(t, clean, "gopls: no problems in shop.go")
	b.must(t, `vim.cmd("edit shop.go") vim.api.nvim_buf_set_lines(0, 7, 8, false, { "\treturn c.Totl()" })`)
	has(t, b.call(t, "diagnostics", map[string]any{"path": "shop.go"}), "shop.go:8:11: error: c.Totl undefined", "compiler MissingFieldOrMethod")
	has(t, b.call(t, "diagnostics", nil), "shop.go:8:11: error", "Looked at 1 open file: shop.go. Of other files only what servers have reported")
	has(t, b.call(t, "diagnostics", map[string]any{"path": "notes.txt"}), "No language server is attached to notes.txt")
	if text := b.call(t, "diagnostics", map[string]any{"path": "notes.txt"}); strings.Contains(text, "no problems") {
		t.Errorf("no server knows the file, and it says %q", text)
	}
}

// later calls a tool that asks the user, and returns what it says when it is answered.
func (b *toolbox) later(t *testing.T, name string, args map[string]any) <-chan string {
	t.Helper()
	if err := b.wait(`require("nvim-acp").status().pending == 0`); err != nil { // of an earlier call
		t.Fatal(err)
	}
	done := make(chan string, 1)
	go func() { // until the question is answered
		text, failed, err := b.use(context.Background(), name, args)
		done <- fmt.Sprint(text, " failed:", failed, " ", err)
	}()
	if err := b.wait(`require("nvim-acp").status().pending == 1`); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, b.scene())
	}
	return done
}

// A rename changes three files, once the user has allowed it, merged with what they type meanwhile; a rejected one changes none
// (behaviour 317).
func TestToolsRename(t *testing.T) {
	b := newShop(t)
	b.must(t, `vim.cmd("edit shop.go") vim.api.nvim_buf_set_lines(0, 2, 3, false, { "// Checkout sells a cart, größer 🙂 than before." })`)
	args := map[string]any{"path": "cart.go", "symbol": "Total", "line": 7, "name": "Count"}

	done := b.later(t, "rename", args)
	has(t, b.must(t, `vim.inspect(require("nvim-acp.state").current().permissions[1])`), "func (c *Cart) Count()", "files = 3")
	b.must(t, `require("nvim-acp").permit("reject_once")`)
	has(t, answered(t, done), "does not allow it", "failed:true")
	for name, text := range map[string]string{"cart.go": goCart, "shop.go": goShop, "cart_test.go": goTest} {
		if got := b.file(t, name); got != text {
			t.Errorf("%s has changed: %s", name, got)
		}
	}

	done = b.later(t, "rename", args)
	b.must(t, `vim.api.nvim_buf_set_lines(0, 0, 0, false, { "// typed while it was asked" })`)
	has(t, b.call(t, "read", map[string]any{"path": "shop.go"}), "typed while it was asked")
	write(t, filepath.Join(b.dir, "cart.go"), goCart+"\n// appended while it was asked\n")
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "Rename Total to Count: 4 places in 3 files changed: cart.go, cart_test.go, shop.go.", "failed:false")
	has(t, b.file(t, "cart.go"), "Count returns", "Count() int", "appended while it was asked")
	has(t, b.file(t, "cart_test.go"), "c.Count() != 1")
	has(t, b.file(t, "shop.go"), "return c.Count()")
	has(t, b.must(t, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`), "typed while it was asked", "größer 🙂", "return c.Count()")
	has(t, b.must(t, `tostring(vim.bo.modified)`), "true")
}

// If one file of a rename cannot be changed, none is, and the answer says so (behaviours 503, 534).
func TestToolsRenameWhole(t *testing.T) {
	b := newShop(t)
	args := map[string]any{"path": "cart.go", "symbol": "Total", "line": 7, "name": "Count"}
	theirs := strings.Replace(goShop, "return c.Total()", "return c.Total() + 1", 1)
	for _, test := range []struct{ name, does, want string }{
		{"the same line has changed", "", "shop.go: the same lines have been changed meanwhile; nothing was changed"},
		{"the same line has changed in a buffer", `vim.cmd("edit shop.go") vim.fn.setline(8, "\treturn c.Total() + 2")`, "shop.go: the same lines have been changed meanwhile; nothing was changed"},
		{"it must not be modified", `vim.bo.modifiable = false`, "nothing was changed"},
	} {
		done := b.later(t, "rename", args)
		if test.does == "" {
			write(t, filepath.Join(b.dir, "shop.go"), theirs)
		}
		b.must(t, test.does+` require("nvim-acp").permit("allow_once")`)
		has(t, answered(t, done), test.want, "failed:true")
		if b.file(t, "cart.go") != goCart || b.file(t, "cart_test.go") != goTest || b.file(t, "shop.go") != theirs {
			t.Errorf("%s: a part of it is done", test.name)
		}
	}
}

// Of two changes of the same files the second is proposed for what the first has left (behaviour 534).
func TestToolsRenames(t *testing.T) {
	b := newShop(t)
	b.must(t, `vim.cmd("edit shop.go") asked = 0 local requests = require("nvim-acp.knowledge.requests") local request = requests.request
		requests.request = function(task, clients, method, ...)
			if method == "textDocument/rename" then asked = asked + 1 end
			return request(task, clients, method, ...) end`)
	both := []<-chan string{b.later(t, "rename", map[string]any{"path": "cart.go", "symbol": "Total", "line": 7, "name": "Count"})}
	second := make(chan string, 1)
	go func() { // until the second question is answered
		text, failed, err := b.use(context.Background(), "rename", map[string]any{"path": "cart.go", "symbol": "Cart", "line": 4, "name": "Basket"})
		second <- fmt.Sprint(text, " failed:", failed, " ", err)
	}()
	both = append(both, second)
	if err := b.wait(`asked >= 3`); err != nil { // each is proposed, and the first again, for texts that nobody else changes
		t.Fatalf("%v\n%s", err, b.scene())
	}
	for _, done := range both {
		if err := b.wait(`require("nvim-acp").status().pending == 1`); err != nil {
			t.Fatalf("%v\n%s", err, b.scene())
		}
		b.must(t, `require("nvim-acp").permit("allow_once")`)
		has(t, answered(t, done), "places in 3 files changed: cart.go, cart_test.go, shop.go.", "failed:false")
	}
	has(t, b.file(t, "cart.go"), "func (c *Basket) Count() int")
	has(t, b.file(t, "shop.go"), "func Checkout(c *Basket) int", "return c.Count()")
	has(t, b.must(t, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`), "func Checkout(c *Basket) int", "return c.Count()")
	has(t, b.file(t, "cart_test.go"), "c := &Basket{", "c.Count() != 1")
}

// A rename that touches a file that may hold secrets asks once, with the whole change; where a rule allows the rename, that file is
// still asked about (behaviour 504).
func TestToolsRenameSecret(t *testing.T) {
	for name, rules := range map[string]string{"asks": "{}", "ruled": `{ { kind = "edit", action = "allow" } }`} {
		t.Run(name, func(t *testing.T) {
			b := newShop(t, `(function() require("nvim-acp.config").options.rules = `+rules+` asked = 0
				vim.api.nvim_create_autocmd("User", { pattern = "AcpPermission", callback = function() asked = asked + 1 end }) end)()`)
			write(t, filepath.Join(b.dir, "id_token.go"), "package shop\n\nvar token = (&Cart{}).Total()\n")
			args := map[string]any{"path": "cart.go", "symbol": "Total", "line": 7, "name": "Count"}
			done := b.later(t, "rename", args)
			has(t, b.must(t, `vim.inspect(require("nvim-acp.state").current().permissions[1])`), "id_token.go", "it may hold secrets")
			b.must(t, `require("nvim-acp").permit("reject_once")`)
			has(t, answered(t, done), "does not allow it", "failed:true")
			if b.file(t, "cart.go") != goCart {
				t.Error("a part of it is done")
			}

			done = b.later(t, "rename", args)
			b.must(t, `require("nvim-acp").permit("allow_once")`)
			has(t, answered(t, done), "4 files changed", "id_token.go", "failed:false")
			has(t, b.file(t, "id_token.go"), "Count()")
			has(t, b.must(t, `tostring(asked)`), "2")
		})
	}
}

func (b *toolbox) file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Code actions are listed, and applied by their title once the user has allowed it (behaviour 317).
func TestToolsAction(t *testing.T) {
	b := newShop(t)
	write(t, filepath.Join(b.dir, "loose.go"), "package shop\n\nimport \"os\"\n\nfunc loose() { strings.ToUpper(\"x\") }\n")
	args := map[string]any{"path": "loose.go", "line": 3}
	has(t, b.call(t, "code_action", args), "Organize Imports")
	args["title"] = "No such action"
	has(t, b.refused(t, "code_action", args), "no code action")
	args["title"] = "Organize Imports"
	done := b.later(t, "code_action", args)
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "Organize Imports", "loose.go", "failed:false")
	if text := b.file(t, "loose.go"); !strings.Contains(text, `import "strings"`) || strings.Contains(text, `"os"`) {
		t.Errorf("got %s", text)
	}
}

// bothServer is a language server with an action that has an edit and a command, and one that has its edit once it is asked for.
const bothServer = `
local uri
local function request(method, params, done)
	uri = (params.textDocument or {}).uri or uri or ""
	local edit = { changes = { [uri] = { {
		range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } }, newText = "fixed " } } } }
	local answers = {
		initialize = { capabilities = { codeActionProvider = { resolveProvider = true } } },
		["textDocument/codeAction"] = {
			{ title = "Fix it", edit = edit, command = { title = "Clean up", command = "fake.clean" } },
			{ title = "Fix it later", data = { id = 1 } },
			{ title = "Run it", command = { title = "Run it", command = "fake.run" } },
			{ title = "Refuse it", edit = edit, disabled = { reason = "not now" } },
		},
		["codeAction/resolve"] = params.title == "Fix it later" and params.data.id == 1 and { edit = edit } or nil,
	}
	if method == "workspace/executeCommand" then
		vim.g.ran = true
	end
	vim.schedule(function() done(nil, answers[method] or vim.NIL) end)
	return true, 1
end
vim.lsp.start({ name = "fake", cmd = function()
	return { request = function(...) return request(...) end, notify = function() end, is_closing = function() end, terminate = function() end }
end })`

// An action that has an edit and a command is made without the command, and the user and the agent are told so; one that has its edit only
// when the server is asked for that is made as well (behaviour 317).
func TestToolsActionCommand(t *testing.T) {
	b := newToolbox(t, map[string]string{"a.txt": "one\n"})
	b.must(t, `vim.cmd("edit a.txt")`+bothServer)
	done := b.later(t, "code_action", map[string]any{"path": "a.txt", "line": 1, "title": "Fix it"})
	has(t, b.must(t, `vim.inspect(require("nvim-acp.state").current().permissions[1])`), "Fix it (its command fake.clean is not run)")
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "1 place in 1 file changed: a.txt.", "its command fake.clean is not run.", "failed:false")
	has(t, b.must(t, `vim.fn.getline(1) .. tostring(vim.g.ran)`), "fixed onenil")

	done = b.later(t, "code_action", map[string]any{"path": "a.txt", "line": 1, "title": "Fix it later"})
	has(t, b.must(t, `vim.inspect(require("nvim-acp.state").current().permissions[1])`), "Fix it later")
	b.must(t, `require("nvim-acp").permit("allow_once")`)
	has(t, answered(t, done), "1 place in 1 file changed: a.txt.", "failed:false")
	has(t, b.must(t, `vim.fn.getline(1)`), "fixed fixed one")

	// An action is named as a whole, or by a part of its title that no other has.
	for _, test := range []struct {
		line  int
		title string
		want  string
	}{
		{1, "RUN", `"Run it" runs a command of fake, which this tool does not do`},
		{1, "it", `no code action, or more than one, is called "it" there`},
		{1, "Refuse it", `no code action, or more than one, is called "Refuse it" there`},
		{0, "", "there is no line 0, the file has 1"},
		{2, "", "there is no line 2, the file has 1"},
	} {
		has(t, b.refused(t, "code_action", map[string]any{"path": "a.txt", "line": test.line, "title": test.title}), test.want)
	}
	has(t, b.refused(t, "code_action", map[string]any{"path": "a.txt", "line": 1, "last": 3}), "there is no line 3, the file has 1")
	done = b.later(t, "code_action", map[string]any{"path": "a.txt", "line": 1, "title": "LATER"})
	b.must(t, `require("nvim-acp").permit("reject_once")`)
	answered(t, done)
	has(t, b.must(t, `vim.fn.getline(1)`), "fixed fixed one")
}
