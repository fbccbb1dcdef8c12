package tests

import (
	"strings"
	"testing"
)

// A language server is told of files in its folders that have changed on the disk, as it writes their names, unless it has them open or Neovim
// tells it; the buffer of a file that is gone is unloaded, if it was loaded for a server and is nobody else's (behaviour 461).
func TestToolsWatched(t *testing.T) {
	b := newToolbox(t, map[string]string{"real/open.txt": "one\n", "real/closed.txt": "one\n", "real/kept.txt": "one\n", "real/typed.txt": "one\n", "real/seen.txt": "one\n"})
	b.must(t, `(function()
		vim.o.hidden = true
		dir = vim.fn.getcwd()
		vim.uv.fs_symlink(dir .. "/real", dir .. "/link")
		told = {}
		function start(name, folder, dynamic)
			local id = vim.lsp.start({ name = name, root_dir = folder, workspace_folders = folder and { { uri = vim.uri_from_fname(folder), name = name } },
				capabilities = { workspace = { didChangeWatchedFiles = { dynamicRegistration = dynamic } } },
				cmd = function()
					return {
						request = function(_, _, done) vim.schedule(function() done(nil, { capabilities = { textDocumentSync = 1 } }) end) return true, 1 end,
						notify = function(method, params)
							for _, change in ipairs(method == "workspace/didChangeWatchedFiles" and params.changes or {}) do
								table.insert(told, name .. " " .. change.type .. vim.uri_to_fname(change.uri):gsub(dir, "", 1))
							end
							return true
						end,
						is_closing = function() return false end, terminate = function() end,
					}
				end })
			vim.wait(10000, function() return vim.lsp.get_client_by_id(id).initialized end)
			return id
		end
		vim.cmd("edit real/open.txt")
		start("real", dir .. "/real")
		start("link", dir .. "/link")
		start("sub", dir .. "/real/sub")
		dynamic = start("dynamic", dir .. "/real", true)
		log = require("nvim-acp.knowledge.diagnostics_log")
		log.follow()
		function tell(changes)
			told = {}
			local seq, done = log.of(dynamic).seq, nil
			require("nvim-acp.knowledge.task").start(function(task)
				done = require("nvim-acp.knowledge.watched").tell(task, { changes = vim.tbl_map(function(c)
					return { path = c[1]:sub(1, 1) == "/" and c[1] or dir .. "/" .. c[1], kind = c[2] }
				end, changes) })
			end, error)
			vim.wait(10000, function() return done end)
			table.sort(told)
			return table.concat(told, ", ") .. " +" .. log.of(dynamic).seq - seq
		end
	end)()`)
	for _, test := range []struct{ changes, want string }{
		{`{ "real/new.txt", 1 }, { "real/closed.txt", 2 }, { "real/gone.txt", 3 }`,
			"link 1/link/new.txt, link 2/link/closed.txt, link 3/link/gone.txt, real 1/real/new.txt, real 2/real/closed.txt, real 3/real/gone.txt +1"},
		{`{ "real/open.txt", 2 }`, " +0"},
		{`{ "real/open.txt", 3 }`, "link 3/link/open.txt, real 3/real/open.txt +1"},
		{`{ "other/new.txt", 1 }, { "realest/new.txt", 1 }, { "leaf/new.txt", 1 }, { "/elsewhere.txt", 1 }`, " +0"},
		{`{ "real/sub/new.txt", 1 }`, "link 1/link/sub/new.txt, real 1/real/sub/new.txt, sub 1/real/sub/new.txt +1"},
	} {
		if got := b.must(t, `tell({ `+test.changes+` })`); got != test.want {
			t.Errorf("%s: got %q, want %q", test.changes, got, test.want)
		}
	}
	// A buffer that a client has, and that goes meanwhile, is none.
	if got := b.must(t, `(function() vim.lsp.get_client_by_id(dynamic).attached_buffers[999] = true return tell({ { "real/new.txt", 2 } }) end)()`); got != "link 2/link/new.txt, real 2/real/new.txt +1" {
		t.Errorf("beside a buffer that is gone: got %q", got)
	}
	b.must(t, `(function() vim.cmd("silent %bdelete") start("all", "/") end)()`)
	if got := b.must(t, `tell({ { "/elsewhere.txt", 1 } })`); got != "all 1/elsewhere.txt +0" {
		t.Errorf("of the root: got %q", got)
	}

	for _, name := range []string{"closed", "kept", "typed", "seen"} {
		b.call(t, "diagnostics", map[string]any{"path": "real/" + name + ".txt"}) // which loads it
	}
	b.must(t, `(function()
		function buf(name) return vim.fn.bufnr(dir .. "/real/" .. name .. ".txt") end
		vim.bo[buf("kept")].buflisted = true
		vim.api.nvim_buf_set_lines(buf("typed"), 0, -1, false, { "typed" })
		vim.cmd("sbuffer " .. buf("seen"))
		tell({ { "real/closed.txt", 3 }, { "real/kept.txt", 3 }, { "real/typed.txt", 3 }, { "real/seen.txt", 3 } })
	end)()`)
	loaded := b.must(t, `table.concat(vim.tbl_map(function(name)
		return name .. tostring(buf(name) > 0 and vim.api.nvim_buf_is_loaded(buf(name)))
	end, { "closed", "kept", "typed", "seen" }), " ")`)
	if want := "closedfalse kepttrue typedtrue seentrue"; loaded != want {
		t.Errorf("loaded are %s, want %s", strings.TrimSpace(loaded), want)
	}
}
