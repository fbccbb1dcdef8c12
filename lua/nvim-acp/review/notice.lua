--- After a turn one line says what there is to review, and the keys for it: the prompt's bar, as long as there is
--- something, or where that is not to be seen a message.
local M = {}

local review = require("nvim-acp.review")

---@type table<string, boolean> sessions whose turn is over, and of whose changes nothing was said yet
local over = {}

local later ---@type fun()
local waiting ---@type uv.uv_timer_t?
local pause = 400 -- milliseconds without a change: some of those of a turn are found after it

-- Returns the first keys with words, or without any.
local function hint(count, bare)
  local keys = require("nvim-acp.review.keys")
  local words = { { "next", "next" }, { "keep", "keep" }, { "revert", "revert" }, { "list", "list" } }
  local text = keys.hint(vim.list_slice(words, 1, count), bare)
  if text == "" then
    return require("nvim-acp.ui.keys").to("AcpReview")
  end
  return count == 4 and not keys.shown("list") and text .. ", :AcpReview list" or text
end

-- Returns what there is to review of a session, the longest text first; nil if there is nothing.
local function texts(id)
  local hunks = review.count(id)
  if hunks == 0 then
    return nil
  end
  local list, count = {}, require("nvim-acp.ui.text").count(hunks, "hunk")
  for _, text in ipairs({ hint(4), hint(3), hint(2), hint(3, true), hint(1) }) do
    table.insert(list, ("%s: %s"):format(count, text))
  end
  return list
end

local function say(id)
  local s = require("nvim-acp.state").sessions[id]
  local hunks, files = 0, 0
  for _, e in ipairs(review.list) do
    if e.session == id and e.turn.hunks > 0 then
      hunks, files = hunks + e.turn.hunks, files + 1
    end
  end
  if not over[id] or hunks == 0 then
    return
  end
  local message = require("nvim-acp.ui.message")
  if message.unread() then
    return later()
  end
  over[id] = nil
  local tab = vim.api.nvim_get_current_tabpage()
  if s and #require("nvim-acp.state.buffers").windows(s, "prompt", tab) > 0 then
    return -- its bar says so
  end
  local count = require("nvim-acp.ui.text").count
  local what = ("%s in %s to review: %s"):format(count(hunks, "hunk"), count(files, "file"), hint(4))
  message.info(what, texts(id))
end

later = function()
  if waiting and not waiting:is_closing() then
    waiting:close()
  end
  waiting = vim.defer_fn(function()
    for _, id in ipairs(vim.tbl_keys(over)) do
      require("nvim-acp.ui.try").call(say, id)
    end
  end, pause)
end

---@param s acp.Session
---@param name string event
function M.event(s, name)
  local options = require("nvim-acp.config").options
  if name == "AcpTurnStart" or name == "AcpDisconnected" then
    over[s.id] = nil
  elseif name == "AcpTurnEnd" and options.notify.review and options.review.mode == "mark" then
    over[s.id] = not require("nvim-acp.state").hidden(s) or nil
    later()
  end
end

review.on_change(function()
  for _, s in pairs(require("nvim-acp.state").sessions) do
    local now = require("nvim-acp.config").options.notify.review and texts(s.id) or nil
    if not vim.deep_equal(now, s.to_review) then
      s.to_review = now
      require("nvim-acp.chat.winbar").draw(s)
    end
  end
  if next(over) then
    later()
  end
end)

return M
