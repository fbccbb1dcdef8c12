--- The file beside the list of changes: that of the row under the cursor, at its change.
local M = {}

local api = vim.api

--- Reports whether a file is not where it was. The host looks for it then, and the list follows.
---@param e acp.Reviewed
---@return boolean
function M.is_away(e)
  if vim.uv.fs_stat(e.path) then
    return false
  end
  require("nvim-acp.review").look(true)
  return true
end

-- Returns what a row shows, by which one is known again.
local function name_of(row)
  return table.concat({ row.e.session, row.e.path, row.hunk and row.e.ids[row.hunk] or "" }, ":")
end

local shown ---@type string? the name of the row that was shown last

--- Shows the file of a row, or a hunk of it.
---@param row acp.ReviewRow
---@param back integer? the window that is the current one then
function M.show(row, back)
  shown = name_of(row)
  require("nvim-acp.files.buffer").go(row.e.path, (row.e.rows[row.hunk or row.hunks[1]] or 0) + 1)
  require("nvim-acp.review.marks").reveal()
  if back then
    api.nvim_set_current_win(back)
  end
end

--- Goes to the file of a row, or compares one that was deleted with what it was.
---@param row acp.ReviewRow?
function M.open(row)
  if row and row.e.kind == "deleted" then
    require("nvim-acp.review.compare").ask(row.e)
  elseif row and M.is_away(row.e) then
    local path = require("nvim-acp.ui.text").visible(vim.fn.fnamemodify(row.e.path, ":~:."))
    require("nvim-acp.ui.message").info(path .. " is not there; it is looked for under another name")
  elseif row then
    M.show(row)
  end
end

local soon = 60 -- milliseconds: a held key passes rows without opening their files
local most = 256 * 1024 -- bytes of a file that is read for this

-- Reports whether the file of a row is there, and showing it takes no time.
local function is_quick(row)
  local stat = vim.uv.fs_stat(row.e.path)
  return stat ~= nil and (stat.size <= most or require("nvim-acp.files.buffer").find(row.e.path) ~= nil)
end

--- Has the window beside the list show the row that the cursor has come to. Where no window is, nothing opens.
---@param buf integer of the list
---@param current fun(): acp.ReviewRow?
function M.follow(buf, current)
  local waiting = 0
  shown = nil
  local function show(turn)
    local win, row = api.nvim_get_current_win(), current()
    local here = turn == waiting and api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode == "n"
    if here and row and row.e.kind ~= "deleted" and require("nvim-acp.files.window").last() and is_quick(row) then
      M.show(row, win)
    end
  end
  api.nvim_create_autocmd("CursorMoved", {
    buffer = buf,
    callback = function()
      waiting = waiting + 1
      local turn, row = waiting, current()
      if row and name_of(row) ~= shown then
        vim.defer_fn(function()
          show(turn)
        end, soon)
      end
    end,
  })
end

return M
