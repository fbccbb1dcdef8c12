--- After a turn one line says what there is to review, and the keys for it.
local M = {}

---@type table<string, boolean> sessions whose turn is over, and of whose changes nothing was said yet
local over = {}

local pause = 200 -- milliseconds, in which further changes of a turn are found

local function plural(n, word)
  return ("%d %s%s"):format(n, word, n == 1 and "" or "s")
end

local function say(id)
  local hunks, files = 0, 0
  for _, e in ipairs(require("nvim-acp.review").list) do
    if e.session == id and e.turn.hunks > 0 then
      hunks, files = hunks + e.turn.hunks, files + 1
    end
  end
  if not over[id] or hunks == 0 then
    return
  end
  over[id] = nil
  local what = ("%s in %s to review"):format(plural(hunks, "hunk"), plural(files, "file"))
  local keys = require("nvim-acp.review.keys")
  local hint = keys.hint({ { "next", "next" }, { "keep", "keep" }, { "revert", "revert" } })
  local list = keys.key("list") or ":AcpReview"
  hint = hint == "" and ":AcpReview, :AcpHunk keep" or hint .. ", " .. list .. " list"
  local short = keys.hint({ { "next", "next" }, { "keep", "keep" } })
  require("nvim-acp.ui.message").info(("%s: %s"):format(what, hint), {
    ("%s: %s"):format(plural(hunks, "hunk"), hint),
    ("%s: %s"):format(plural(hunks, "hunk"), short ~= "" and short or ":AcpReview"),
  })
end

local function later()
  vim.defer_fn(function()
    for id in pairs(vim.deepcopy(over)) do
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

require("nvim-acp.review").on_change(function()
  if next(over) then
    later()
  end
end)

return M
