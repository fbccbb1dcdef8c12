--- Holds back lines of diffs that are far from all windows: for a line above it Neovim draws a whole window again, and
--- keys wait. An extmark without anything to show keeps their place.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.edits.held")

---@type table<integer, table<integer, fun(row: integer)>> by buffer and extmark: draws the lines
local held = {}

-- Returns the ranges of rows that windows show of a buffer, with as many again above and below.
local function ranges(buf)
  local list = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local margin = api.nvim_win_get_height(win)
    table.insert(list, { math.max(vim.fn.line("w0", win) - 1 - margin, 0), vim.fn.line("w$", win) + margin })
  end
  return list
end

--- Returns a function that reports whether a window is near a row of a buffer, as it is now.
---@param buf integer
---@return fun(row: integer): boolean
function M.of(buf)
  local list = ranges(buf)
  return function(row)
    for _, r in ipairs(list) do
      if r[1] <= row and row <= r[2] then
        return true
      end
    end
    return false
  end
end

--- Holds lines back until a window comes near to their row.
---@param buf integer
---@param row integer
---@param draw fun(row: integer) draws them, at their row of that moment
---@return integer extmark
function M.hold(buf, row, draw)
  local id = api.nvim_buf_set_extmark(buf, ns, row, 0, { strict = false })
  held[buf] = held[buf] or {}
  held[buf][id] = draw
  return id
end

--- Returns the row of lines that are held back.
---@param buf integer
---@param id integer
---@return integer?
function M.row(buf, id)
  return api.nvim_buf_get_extmark_by_id(buf, ns, id, {})[1]
end

--- Forgets lines that are held back.
---@param buf integer
---@param id integer?
function M.drop(buf, id)
  if not id or not held[buf] or not api.nvim_buf_is_valid(buf) then
    return
  end
  api.nvim_buf_del_extmark(buf, ns, id)
  held[buf][id] = nil
  if next(held[buf]) == nil then
    held[buf] = nil
  end
end

--- Draws lines that were held back and are near a window now.
---@param buf integer
function M.reveal(buf)
  for _, r in ipairs(held[buf] and ranges(buf) or {}) do
    for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, { r[1], 0 }, { r[2], -1 }, {})) do
      local draw = held[buf] and held[buf][mark[1]]
      M.drop(buf, mark[1])
      if draw then
        require("nvim-acp.ui.try").call(draw, mark[2])
      end
    end
  end
end

local group = api.nvim_create_augroup("nvim-acp.edits.held", {})

local function reveal_all()
  for _, buf in ipairs(vim.tbl_keys(held)) do
    M.reveal(buf)
  end
end

api.nvim_create_autocmd({ "WinScrolled", "BufWinEnter" }, { group = group, callback = reveal_all })

api.nvim_create_autocmd("BufUnload", { -- the lines are gone; `:edit` would leave the extmarks
  group = group,
  callback = function(args)
    if held[args.buf] then
      api.nvim_buf_clear_namespace(args.buf, ns, 0, -1)
      held[args.buf] = nil
    end
  end,
})

-- Before windows are drawn: a search at the command line and a substitution that asks scroll without an event, and
-- folds show other lines without scrolling. Neovim draws all windows again when a provider comes or goes, so it stays.
api.nvim_set_decoration_provider(ns, {
  on_start = reveal_all,
})

return M
