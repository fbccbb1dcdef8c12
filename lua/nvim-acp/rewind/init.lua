--- :AcpUndo: takes back what turns have changed in files, after a look at what that would do.
local M = {}

---@class acp.Turn a turn, or a rewind, that has changed files
---@field id integer counts those of a session
---@field time integer unix time
---@field prompt string its first line
---@field agent string
---@field rewind boolean it has taken back the changes of earlier ones
---@field files integer
---@field added integer lines
---@field removed integer
---@field gone boolean all of it has been taken back
---@field notes string[] what is not known of its changes

---@class acp.RewindAction what a rewind does to a file
---@field path string
---@field kind "change"|"create"|"delete"|"refused"
---@field added integer lines
---@field removed integer
---@field reason string of a refusal
---@field diff string hunks of a unified diff, "" if the file is not text

local signs = { change = "~", create = "+", delete = "-", refused = "!" }

local function count(n, word)
  return ("%d %s%s"):format(n, word, n == 1 and "" or "s")
end

-- Asks the host for a rewind, or with `dry` for what it would do.
local function request(s, entry, only, dry)
  require("nvim-acp.state").notify(s, "rewind", { entry = entry, only = only, dry = dry })
end

-- Returns the line of a turn in the list.
local function row(turn)
  local words = require("nvim-acp.ui.text")
  local what = turn.prompt ~= "" and turn.prompt or "(no words)"
  if turn.rewind then
    what = "took back: " .. what
  end
  local stat = count(turn.files, "file")
  if turn.added + turn.removed > 0 then
    stat = ("%s +%d -%d"):format(stat, turn.added, turn.removed)
  end
  local notes = turn.gone and { "taken back" } or {}
  if #turn.notes > 0 then
    table.insert(notes, "not all of it is known")
  end
  local age = require("nvim-acp.ui.time").age(turn.time)
  local right = table.concat({ stat, turn.agent, age }, "  ")
  if #notes > 0 then
    right = ("%s  (%s)"):format(right, table.concat(notes, ", "))
  end
  local width = math.max(vim.o.columns - vim.api.nvim_strwidth(right) - 10, 20)
  what = words.line(what, width)
  return what .. (" "):rep(width - vim.api.nvim_strwidth(what)) .. "  " .. right
end

-- Lets the user choose how far a turn goes back.
local function choose(s, turn)
  local items = {
    { text = "Files as before this, with all later turns taken back", only = false },
    { text = turn.rewind and "Undo this alone" or "Take back this turn alone", only = true },
  }
  if turn.gone then
    table.remove(items, 2)
  end
  if turn.rewind then
    table.insert(items, 1, table.remove(items))
  end
  vim.ui.select(items, {
    prompt = require("nvim-acp.ui.text").line(turn.prompt, math.max(vim.o.columns - 12, 20)),
    kind = "acp-undo",
    format_item = function(item)
      return item.text
    end,
  }, function(item)
    if item then
      request(s, turn.id, item.only, true)
    end
  end)
end

--- Shows the turns of a session, the newest first, to choose one from.
---@param s acp.SessionState
---@param turns acp.Turn[]
function M.list(s, turns)
  if #turns == 0 then
    return require("nvim-acp.ui.message").info("no turn of this session has changed a file yet")
  end
  vim.ui.select(turns, {
    prompt = "Go back to before",
    kind = "acp-turn",
    format_item = row,
  }, function(turn)
    if turn then
      choose(s, turn)
    end
  end)
end

-- Returns what a rewind would do, a line for each file.
local function lines(actions)
  local out, width = {}, 0
  for _, action in ipairs(actions) do
    width = math.max(width, vim.api.nvim_strwidth(action.path))
  end
  for _, action in ipairs(actions) do
    local stat = action.kind == "refused" and action.reason or ("+%d -%d"):format(action.added, action.removed)
    local pad = (" "):rep(math.min(width, 60) - vim.api.nvim_strwidth(action.path))
    table.insert(out, ("%s %s%s  %s"):format(signs[action.kind], action.path, pad, stat))
  end
  return out
end

-- Shows the text that a rewind would change.
local function preview(actions)
  local text = {}
  for _, action in ipairs(actions) do
    vim.list_extend(text, { "--- " .. action.path, "+++ " .. action.path })
    if action.kind == "refused" then
      table.insert(text, "not changed: " .. action.reason)
    elseif action.diff == "" then
      table.insert(text, "not text")
    end
    vim.list_extend(text, vim.split(action.diff, "\n", { trimempty = true }))
  end
  require("nvim-acp.ui.reader").show("undo", vim.tbl_map(require("nvim-acp.ui.text").visible, text), "diff")
end

--- Shows what a rewind would do, and asks for a word.
---@param s acp.SessionState
---@param entry integer
---@param only boolean
---@param actions acp.RewindAction[]
function M.plan(s, entry, only, actions)
  local doing = vim.tbl_filter(function(action)
    return action.kind ~= "refused"
  end, actions)
  if #actions == 0 then
    return require("nvim-acp.ui.message").info("the files already are as they were")
  end
  local answers = {
    {
      "d",
      "show the text",
      function()
        preview(actions)
      end,
    },
    { "n", "leave it" },
  }
  if #doing > 0 then
    table.insert(answers, 1, {
      "y",
      "do it",
      function()
        request(s, entry, only, false)
      end,
    })
  end
  require("nvim-acp.ui.center").ask(lines(actions), "Take back in " .. count(#doing, "file"), answers)
end

--- Runs :AcpUndo: lists the turns of the current session.
function M.run()
  local s = require("nvim-acp.state").current()
  if not s then
    return require("nvim-acp.ui.message").warn("there is no chat yet")
  end
  require("nvim-acp.state").notify(s, "turns")
end

return M
