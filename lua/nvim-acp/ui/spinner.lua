--- The spinners of all that is at work. They turn together, and with a frame that is drawn anyway where there is one:
--- a turn by itself has Neovim draw its screen once more.
local M = {}

local pause, early = 200, 140 -- ms from one turn to the next, and at least to one with a frame

---@type uv.uv_timer_t? runs only while something is at work
local timer
local count, turned = 0, 0

---@type table<fun(): boolean, true>
local shown = {}

--- Returns how spinners look at the moment.
---@return string
function M.icon()
  local icons = require("nvim-acp.ui.style").icons().spinner
  return icons[count % #icons + 1]
end

-- Turns the spinners if it is nearly time.
local function turn()
  if vim.uv.now() - turned < early then
    return
  end
  count, turned = count + 1, vim.uv.now()
  timer:again()
  for _, draw in ipairs(vim.tbl_keys(shown)) do -- drawing may show another
    local _, more = require("nvim-acp.ui.try").call(draw)
    if not more then
      shown[draw] = nil
    end
  end
  if next(shown) == nil then
    timer:stop()
  end
end

--- Has a function called when the spinners turn, as long as it returns true.
---@param draw fun(): boolean
function M.show(draw)
  shown[draw] = true
  timer = timer or assert(vim.uv.new_timer())
  if not timer:is_active() then
    turned = vim.uv.now()
    timer:start(pause, pause, vim.schedule_wrap(turn))
  end
end

--- Turns the spinners if it is nearly time. It is called after a frame was drawn.
function M.with_frame()
  if timer and timer:is_active() then
    turn()
  end
end

return M
