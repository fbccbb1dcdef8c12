--- A file beside its text without the changes of an agent, in Vim's diff mode.
local M = {}

local api = vim.api

--- Asks for the text of a file without the changes, to compare it.
---@param e acp.Reviewed
function M.ask(e)
  require("nvim-acp.rpc").notify("review_base", { session = e.session, path = e.path })
end

-- Goes to the first change of a window in diff mode.
local function first_change()
  api.nvim_win_set_cursor(0, { 1, 0 })
  if vim.fn.diff_hlID(1, 1) == 0 then
    vim.cmd("silent! normal! ]c")
  end
end

--- Compares a file with its text without the changes, in Vim's diff mode, in a tab.
---@param path string
---@param lines string[]
function M.show(path, lines)
  local foreign, load = require("nvim-acp.ui.foreign"), require("nvim-acp.files.load")
  local buf = require("nvim-acp.files.buffer").find(path) or load.add(path)
  if not load.plain(buf) and vim.uv.fs_stat(path) then
    return require("nvim-acp.ui.message").warn("not a file: " .. path)
  end
  vim.bo[buf].buflisted = true
  local scratch = foreign.buffer("before", path, lines, "nofile")
  local back = require("nvim-acp.ui.window").back()
  local before = require("nvim-acp.ui.window").tab(scratch)
  vim.bo[scratch].bufhidden = "wipe"
  foreign.colour(scratch, foreign.type_of(path))
  vim.cmd.diffthis()
  vim.keymap.set("n", "q", back, { buffer = scratch, nowait = true, desc = "close the comparison" })
  local _, room = require("nvim-acp.ui.window").open(buf, true, { split = "right" })
  if not room then
    api.nvim_win_call(before, function()
      vim.cmd.diffoff()
    end)
    return require("nvim-acp.ui.message").warn("there is no room to compare two texts")
  end
  local marks = require("nvim-acp.review.marks")
  marks.bare(buf, true) -- diff mode shows the changes itself, and cannot align virtual lines
  vim.cmd.diffthis()
  first_change()
  local mine = vim.fn.maparg("q", "n", false, true).buffer ~= 1
  if mine then -- in other windows the file has Neovim's own
    vim.keymap.set("n", "q", function()
      if vim.wo.diff then
        return back()
      end
      require("nvim-acp.ui.ex").typed("q")
    end, { buffer = buf, nowait = true, desc = "close the comparison" })
  end
  api.nvim_create_autocmd("BufWipeout", {
    buffer = scratch,
    callback = function()
      marks.bare(buf, false)
      if mine then
        pcall(vim.keymap.del, "n", "q", { buffer = buf })
      end
    end,
  })
end

return M
