--- Mentions in a prompt, shown as chips and deleted as one.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.chips")

-- The most lines checked after one change: mentions in the rest of a long paste are sent, but not shown as chips.
local most = 500

---@type table<integer, { [1]: integer, [2]: integer }> the end of the last typed character, by buffer
local typed = {}

--- Marks the mentions in changed lines. The cost depends on those lines only, not on the length of the prompt.
---@param s acp.Session
---@param buf integer
---@param first integer 0-based
---@param last integer after the last
function M.draw(s, buf, first, last)
  api.nvim_buf_clear_namespace(buf, ns, first, last)
  local mention = require("nvim-acp.prompt.mention")
  for i, line in ipairs(api.nvim_buf_get_lines(buf, first, math.min(last, first + most), false)) do
    if line:find("@", 1, true) then
      for _, m in ipairs(require("nvim-acp.files.mention").scan(line)) do
        if mention.known(s, m) then
          api.nvim_buf_set_extmark(buf, ns, first + i - 1, m.from, { end_col = m.to, hl_group = "AcpMention" })
        end
      end
    end
  end
end

-- Returns the chip at a column of the current buffer: around it, or with `behind` ending there.
local function at(row, col, behind)
  local stop = #api.nvim_buf_get_lines(0, row, row + 1, false)[1]
  for _, mark in ipairs(api.nvim_buf_get_extmarks(0, ns, { row, 0 }, { row, stop }, { details = true })) do
    local from, to = mark[3], mark[4].end_col
    if (behind and to == col and from < to) or (not behind and from <= col and col < to) then
      return from, to
    end
  end
end

local function cursor()
  local pos = api.nvim_win_get_cursor(0)
  return pos[1] - 1, pos[2]
end

--- Removes the chip under the cursor, or before it.
---@param behind boolean
function M.remove(behind)
  local row, col = cursor()
  local from, to = at(row, col, behind)
  if from then
    local line = api.nvim_buf_get_lines(0, row, row + 1, false)[1]
    if not behind and line:sub(to + 1, to + 1) == " " then
      to = to + 1
    end
    api.nvim_buf_set_text(0, row, from, row, to, {})
  end
end

-- <BS> removes the chip before the cursor, unless it was just typed by hand.
local function backspace()
  local row, col = cursor()
  local done = typed[api.nvim_get_current_buf()]
  if (done and done[1] == row and done[2] == col) or not at(row, col, true) then
    return "<BS>"
  end
  return "<Cmd>lua require('nvim-acp.prompt.chips').remove(true)<CR>"
end

-- Maps a key of Normal mode that removes the chip under the cursor, else acts as always. It is not an expression, which
-- Neovim may evaluate before earlier keys have moved the cursor.
local function normal(keys)
  return function()
    local count, register = vim.v.count, vim.v.register
    local row, col = cursor()
    if count == 0 and at(row, col, false) then
      return M.remove(false)
    end
    require("nvim-acp.ui.ex").typed(('"%s%s%s'):format(register, count > 0 and count or "", keys))
  end
end

--- Sets the keys of a prompt's buffer. A mention just typed by hand is still corrected letter by letter.
---@param buf integer
function M.attach(buf)
  local desc = "nvim-acp: remove a mention, else as always"
  vim.keymap.set("i", "<BS>", backspace, { buffer = buf, expr = true, desc = desc })
  for _, keys in ipairs({ "x", "dw" }) do
    vim.keymap.set("n", keys, normal(keys), { buffer = buf, desc = desc })
  end
  local group = api.nvim_create_augroup("nvim-acp.chips." .. buf, { clear = true }) -- the keys are set more than once
  api.nvim_create_autocmd("InsertCharPre", {
    group = group,
    buffer = buf,
    callback = function()
      local row, col = cursor()
      typed[buf] = { row, col + #vim.v.char }
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = buf,
    callback = function()
      typed[buf] = nil
    end,
  })
end

return M
