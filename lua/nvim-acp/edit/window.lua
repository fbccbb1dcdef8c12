--- An answer in a window, where the user changes it before it is taken: `:w` takes it.
local M = {}

local api = vim.api
local place = require("nvim-acp.edit.place")

local function close(buf)
  vim.bo[buf].modified = false
  vim.schedule(function()
    require("nvim-acp.ui.deferred").delete(buf)
  end)
end

local function show(buf)
  local height = math.max(3, math.min(api.nvim_buf_line_count(buf) + 1, math.floor(vim.o.lines * 0.5)))
  local win = require("nvim-acp.ui.window").open(buf, true, { split = "below", height = height })
  require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").whole)
  local bar = require("nvim-acp.ui.bar")
  bar.set(win, "winbar", { { "AcpKey", " :w takes this text, :q goes back" }, bar.cut })
end

--- Opens the answer of a place in a split: as the user has left it, if it was changed there and not taken.
---@param p acp.Place
---@param take fun(more: table): boolean takes a text in place of the answer
function M.open(p, take)
  if p.text and api.nvim_buf_is_loaded(p.text) and vim.bo[p.text].modified then
    return show(p.text)
  end
  local base = place.lines(p)
  local got = require("nvim-acp.rpc").ask("edit_take", { session = p.s.id, lines = base })
  if not got then
    return require("nvim-acp.ui.message").warn("there is nothing to edit")
  end
  local first, last = place.rows(p)
  local name = require("nvim-acp.edit.request").name(p.buf, first, last)
  local foreign = require("nvim-acp.ui.foreign")
  local lines = require("nvim-acp.files.rebase").apply(base, got.hunks)
  local buf = foreign.buffer("edit", name, lines, "acwrite")
  for _, option in ipairs({ "tabstop", "shiftwidth", "expandtab", "softtabstop" }) do
    vim.bo[buf][option] = vim.bo[p.buf][option]
  end
  require("nvim-acp.ui.keys").commands(buf, { { ":w", "take this text" }, { ":q", "go back" } })
  p.text = buf
  show(buf)
  foreign.colour(buf, vim.bo[p.buf].filetype)
  api.nvim_create_autocmd("BufHidden", {
    buffer = buf,
    callback = function()
      if not vim.bo[buf].modified then -- what was changed stays for the next time
        close(buf)
      end
    end,
  })
  require("nvim-acp.ui.write").on(buf, "takes it", function()
    local text = api.nvim_buf_get_lines(buf, 0, -1, false)
    if take({ base = base, text = text, changed = true }) then
      close(buf)
    end
  end)
end

return M
