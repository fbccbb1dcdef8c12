--- Keeps the end of a transcript in view above the float: the agent's last words explain the request.
local M = {}

local api = vim.api

local min_rows = 3 -- of the transcript that must stay visible, or it is shown as without the float

---@type table<integer, true> windows whose text ends above their last row
local scrolled = {}

---@type integer? the float's window
local float

-- Returns the rows at the lower end of a window that the float covers; 0 if it leaves too few.
local function covered(win)
  local open = float and api.nvim_win_is_valid(float)
  if not open or api.nvim_win_get_tabpage(win) ~= api.nvim_win_get_tabpage(float) then
    return 0
  end
  local info, place = vim.fn.getwininfo(win)[1], api.nvim_win_get_config(float)
  local left, right = info.wincol - 1, info.wincol - 1 + info.width
  if place.col >= right or place.col + place.width + 2 <= left then
    return 0
  end
  local last = info.winrow - 1 + info.winbar + info.height
  local rows = math.max(last - place.row, 0)
  return info.height - rows < min_rows and 0 or rows
end

-- Returns the view with which the last rows of a transcript fill a number of rows: the first line may begin above.
local function view_for(win, rows)
  local last, used = api.nvim_buf_line_count(api.nvim_win_get_buf(win)), 0
  for line = last, 1, -1 do
    local height = api.nvim_win_text_height(win, { start_row = line - 1, end_row = line - 1 })
    used = used + height.all
    if used > rows then
      local width = api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
      local partly = used - rows < height.all - height.fill -- else only of it what is drawn around it
      local skip = partly and (used - rows) * width or 0
      return { topline = partly and line or math.min(line + 1, last), skipcol = skip }
    end
  end
  return { topline = 1, skipcol = 0 }
end

--- Scrolls a transcript with the cursor on its last line so that the end is visible, above the float if that covers it.
---@param win integer
---@param shrunk boolean? its lines have become fewer, of which Neovim leaves rows empty below the end
function M.settle(win, shrunk)
  local below = covered(win)
  if below == 0 and not scrolled[win] and not shrunk then
    return
  end
  local height = vim.fn.getwininfo(win)[1].height
  local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
  if api.nvim_win_get_cursor(win)[1] < last then
    return
  end
  scrolled[win] = below > 0 or nil
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view_for(win, height - below))
  end)
end

--- Scrolls all windows after the float was opened, moved or closed.
---@param over integer? its window; nil if there is none
---@param s acp.Session? the session of its request
function M.update(over, s)
  float = over
  for win in pairs(scrolled) do
    if api.nvim_win_is_valid(win) then
      M.settle(win)
    else
      scrolled[win] = nil
    end
  end
  for _, win in ipairs(s and require("nvim-acp.state.buffers").windows(s, "transcript") or {}) do
    M.settle(win)
  end
end

return M
