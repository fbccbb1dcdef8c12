--- After a turn one line says what there is to review, and the keys for it: the prompt's bar, as long as there is
--- something, or where that is not to be seen a message.
local M = {}

local review = require("nvim-acp.review")

---@type table<string, boolean> sessions of whose last turn all changes are known, and nothing was said yet
local settled = {}

-- Returns the first keys with words, or without any.
local function hint(count, bare)
  local keys = require("nvim-acp.review.keys")
  local words = { { "next", "next" }, { "keep", "keep" }, { "revert", "revert" }, { "list", "list" } }
  local text = keys.hint(vim.list_slice(words, 1, count), bare)
  if text == "" then
    return require("nvim-acp.ui.keys").to("AcpReview")
  end
  return count == 4 and not keys.shown("list", not keys.act_here()) and text .. ", :AcpReview list" or text
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
  if not settled[id] then
    return
  end
  settled[id] = nil
  local s = require("nvim-acp.state").sessions[id]
  local hunks, files = 0, 0
  for _, e in ipairs(review.list) do
    if e.session == id and e.turn.hunks > 0 then
      hunks, files = hunks + e.turn.hunks, files + 1
    end
  end
  if hunks == 0 then
    return
  end
  local tab = vim.api.nvim_get_current_tabpage()
  if s and #require("nvim-acp.state.buffers").windows(s, "prompt", tab) > 0 then
    return -- its bar says so
  end
  local count = require("nvim-acp.ui.text").count
  local message = require("nvim-acp.ui.message")
  local what = ("%s in %s to review: %s"):format(count(hunks, "hunk"), count(files, "file"), hint(4))
  message.info(what, texts(id))
end

---@param s acp.Session
---@param name string event
function M.event(s, name)
  local options = require("nvim-acp.config").options
  if name == "AcpTurnStart" or name == "AcpDisconnected" then
    settled[s.id] = nil
  elseif name == "AcpTurnSettled" and options.notify.review and options.review.mode == "mark" then
    settled[s.id] = not require("nvim-acp.state").hidden(s) or nil
    require("nvim-acp.ui.message").when_read(function()
      require("nvim-acp.ui.try").call(say, s.id)
    end)
  end
end

local function update()
  for _, s in pairs(require("nvim-acp.state").sessions) do
    local now = require("nvim-acp.config").options.notify.review and texts(s.id) or nil
    if not vim.deep_equal(now, s.to_review) then
      s.to_review = now
      require("nvim-acp.chat.winbar").draw(s)
    end
  end
end

review.on_change(update)

local later = vim.schedule_wrap(function()
  require("nvim-acp.ui.try").call(update)
end)
require("nvim-acp.review.keys").changed = later
vim.api.nvim_create_autocmd("BufEnter", {
  group = vim.api.nvim_create_augroup("nvim-acp.review-notice", { clear = true }),
  callback = later, -- the keys that act are others
})

return M
