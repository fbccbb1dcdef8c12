--- The answer that was dropped last, which can be brought back: its place and its session stay, but nothing of it is
--- shown.
local M = {}

local api = vim.api
local place = require("nvim-acp.edit.place")
local draw = require("nvim-acp.edit.draw")
local answer = require("nvim-acp.edit.answer")
local message = require("nvim-acp.ui.message")

local keeps = 10 * 60 * 1000 -- milliseconds, for which it can be brought back

local function find()
  for _, p in pairs(place.all) do
    if p.aside then
      return p
    end
  end
end

--- Drops the answer of a place: that of another one is gone then.
---@param p acp.Place
---@param finish fun(p: acp.Place, result: string) ends a place
function M.drop(p, finish)
  answer.close(p)
  draw.clear(p)
  local earlier = find()
  p.aside, p.bare = true, true
  if earlier then
    finish(earlier, "dropped")
  end
  require("nvim-acp.edit.keys").update()
  vim.defer_fn(function()
    if p.aside then
      finish(p, "dropped")
    end
  end, keeps)
  message.info(p.kind == "ask" and "closed; :AcpEdit! shows it again" or "dropped; :AcpEdit! brings it back")
end

--- Brings it back, and goes to its lines.
function M.back()
  local p = find()
  if not p then
    return message.info("no dropped answer to bring back")
  end
  if p.away then
    require("nvim-acp.files.window").show(p.buf)
    if not place.back(p) then
      message.warn("not brought back: its lines are gone")
      return place.on_gone(p)
    end
  end
  local first, last = place.rows(p)
  local problem = require("nvim-acp.edit.request").busy(place.overlapped(p.buf, { first + 1, last }))
  if problem then
    return message.warn(problem)
  end
  p.aside = nil
  if p.buf ~= api.nvim_get_current_buf() then
    local win = vim.fn.bufwinid(p.buf)
    if win ~= -1 then
      api.nvim_set_current_win(win)
    else
      require("nvim-acp.files.window").show(p.buf)
    end
  end
  api.nvim_win_set_cursor(0, { math.min(first + 1, api.nvim_buf_line_count(p.buf)), 0 })
  place.again(p)
  require("nvim-acp.edit.header").draw(p)
  answer.reopen(p)
  require("nvim-acp.edit.keys").update()
end

return M
