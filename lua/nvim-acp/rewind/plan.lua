--- Shows what a rewind would do, and asks for a word.
local M = {}

---@class acp.RewindPlan
---@field owner string local id of the session whose turn `entry` is
---@field entry integer
---@field only boolean that turn and no later ones
---@field turn string key of the prompt before which the conversation ends
---@field files boolean
---@field talk boolean the conversation is to go back
---@field actions acp.RewindAction[]
---@field prompts string[] that the conversation loses
---@field native boolean the agent goes back by itself
---@field notes string[] what is not known of the changes

---@class acp.RewindAction what a rewind does to a file
---@field path string
---@field kind "change"|"create"|"delete"|"refused"
---@field added integer lines
---@field removed integer
---@field reason string of a refusal
---@field diff string hunks of a unified diff, "" if the file is not text

local signs = { change = "~", create = "+", delete = "-", refused = "!" }

-- Returns a line for each file.
local function files(actions)
  local out, width, words = {}, 0, require("nvim-acp.ui.text")
  for _, action in ipairs(actions) do
    width = math.max(width, vim.api.nvim_strwidth(action.path))
  end
  for _, action in ipairs(actions) do
    local stat = action.kind == "refused" and action.reason or words.counts(action.added, action.removed)
    local pad = (" "):rep(math.min(width, 60) - vim.api.nvim_strwidth(action.path))
    table.insert(out, ("%s %s%s  %s"):format(signs[action.kind], action.path, pad, stat))
  end
  return out
end

-- Returns what becomes of the conversation.
local function talk(s, plan)
  local text = require("nvim-acp.ui.text")
  local out = { ("The conversation goes on without %s:"):format(text.count(#plan.prompts, "prompt")) }
  for i, prompt in ipairs(plan.prompts) do
    if i > 8 then
      table.insert(out, ("  and %d more"):format(#plan.prompts - 8))
      break
    end
    table.insert(out, "- " .. text.line(prompt, 60))
  end
  if not plan.native then
    table.insert(out, s.agent_title .. " gets the conversation so far as text.")
  end
  table.insert(out, "The session as it is stays in :AcpSessions.")
  return out
end

-- Returns the text that a rewind would change, with its tabs.
local function diff_of(actions)
  local text = {}
  for _, action in ipairs(actions) do
    vim.list_extend(text, { "--- " .. action.path, "+++ " .. action.path })
    if action.kind == "refused" then
      table.insert(text, "not changed: " .. action.reason)
    elseif action.diff == "" then
      table.insert(text, "no lines to compare") -- not text, a link, or another mode
    end
    vim.list_extend(text, vim.split(action.diff, "\n", { trimempty = true }))
  end
  return vim.tbl_map(function(line)
    return table.concat(vim.tbl_map(require("nvim-acp.ui.text").visible, vim.split(line, "\t")), "\t")
  end, text)
end

-- Returns what is done to the files of a turn, or undone: a rewind has taken back what an earlier one had changed.
local function title_of(plan, turn, count)
  if plan.talk then
    return "Go back"
  end
  local text = require("nvim-acp.ui.text")
  local verb = turn and turn.rewind and "Restore" or "Take back"
  local where = text.count(count, "file")
  local room = require("nvim-acp.ui.center").width() - #verb - #where - 10 -- with quotes and blanks
  local prompt = turn and turn.prompt ~= "" and text.line(turn.prompt, math.max(math.min(room, 40), 8))
  return ("%s %s in %s"):format(verb, prompt and ('"%s"'):format(prompt) or "changes", where)
end

---@param s acp.Session
---@param plan acp.RewindPlan
---@param turn acp.Turn? that it is of
---@param act fun() does it
---@param others fun()? lists other turns
function M.show(s, plan, turn, act, others)
  local actions = plan.actions
  local doing = #vim.tbl_filter(function(action)
    return action.kind ~= "refused"
  end, actions)
  if #actions == 0 and not plan.talk then
    local known = #plan.notes == 0 and "the files are already as they were"
    local text = known or "nothing can be undone: " .. table.concat(plan.notes, "; ")
    require("nvim-acp.ui.message").info(text, { "nothing can be undone: :messages" })
    return others and others()
  end

  local lines = files(actions)
  for _, note in ipairs(plan.notes) do
    table.insert(lines, "! " .. require("nvim-acp.ui.text").visible(note))
  end
  if plan.talk then
    if plan.files and #lines == 0 then
      lines = { "The files are already as they were." }
    end
    vim.list_extend(lines, #lines > 0 and { "" } or {})
    vim.list_extend(lines, talk(s, plan))
  end
  local answers = {}
  if doing > 0 or plan.talk then
    table.insert(answers, { "<CR>", "do it", act })
  end
  if #actions > 0 then
    table.insert(answers, {
      "d",
      "diff",
      function()
        require("nvim-acp.ui.center").beside("undo", diff_of(actions), "diff")
      end,
      stays = true,
    })
  end
  table.insert(answers, others and { "o", "other turns", others } or nil)
  table.insert(answers, { "q", "cancel" })
  require("nvim-acp.ui.center").ask(lines, title_of(plan, turn, doing), answers)
end

return M
