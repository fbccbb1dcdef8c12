--- The height of the prompt, and the place of a chat in a float.
local M = {}

--- Returns the place of a chat in a float, prompt included.
---@return table config of nvim_open_win
function M.float()
  local chat = require("nvim-acp.config").options.chat
  local width = math.min(chat.width or 100, vim.o.columns - 4)
  local height = math.min(chat.height or math.floor(vim.o.lines * 0.8), vim.o.lines - 6)
  return {
    relative = "editor",
    width = math.max(width, 1),
    height = math.max(height, 3),
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = require("nvim-acp.ui.style").border(),
    style = "minimal",
  }
end

--- Places a chat in a float, with a prompt of that many rows below the transcript, and returns the prompt's place.
---@param above integer the transcript's window
---@param rows integer
---@return table config
function M.stack(above, rows)
  local all = M.float()
  local upper = vim.tbl_extend("force", all, { height = math.max(all.height - rows - 2, 3) }) -- two borders between
  vim.api.nvim_win_set_config(above, upper)
  return vim.tbl_extend("force", all, { height = rows, row = all.row + upper.height + 2 })
end

-- Reports whether a window has another above or below it, so that its height affects no other windows.
local function stacked(win)
  local function within(node, parent)
    if node[1] == "leaf" then
      return node[2] == win and parent == "col"
    end
    for _, child in ipairs(node[2]) do
      if within(child, node[1]) then
        return true
      end
    end
    return false
  end
  return within(vim.fn.winlayout(vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win))), nil)
end

--- Sets the height of a prompt's window, if that affects only the chat.
---@param s acp.Session
---@param win integer
---@param rows integer
function M.set_height(s, win, rows)
  if vim.api.nvim_win_get_height(win) == rows then
    return
  elseif vim.api.nvim_win_get_config(win).relative == "" then
    if stacked(win) then
      vim.api.nvim_win_set_height(win, rows)
    end
    return
  end
  local above = require("nvim-acp.state.buffers").windows(s, "transcript", vim.api.nvim_win_get_tabpage(win))[1]
  if above then
    vim.api.nvim_win_set_config(win, M.stack(above, rows))
  end
end

--- Scrolls a window back as far as the end of its text stays in it: text that was typed before the window grew has
--- scrolled it.
---@param win integer
function M.fill(win)
  local first, rows = vim.fn.getwininfo(win)[1].topline, vim.fn.winheight(win)
  local top = first
  while top > 1 and vim.api.nvim_win_text_height(win, { start_row = top - 2 }).all <= rows do
    top = top - 1
  end
  if top < first then
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = top })
    end)
  end
end

return M
