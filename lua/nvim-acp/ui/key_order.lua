--- The order in which keys are shown: what one does most comes first, in groups.
local M = {}

-- What keys do, in groups.
local groups = {
  {
    "send the prompt",
    "take the suggested prompt",
    "stop the turn",
    "go to the permission",
    "next mode of the agent",
    "queued prompts",
  },
  {
    "choose from all options",
    "reject it with a reason",
    "edit the proposed text first",
    "create a rule from it",
    "to the end",
    "show or hide the request as the agent sent it",
    "full size, and back",
  },
  {
    "fill in what is here",
    "send the form",
    "open the page",
    "decline",
    "cancel",
  },
  {
    "write in the prompt",
    "open what is under the cursor",
    "fold or unfold",
    "unfold",
    "fold",
    "copy the code under the cursor",
    "copy the Markdown of the block under the cursor",
    "edit the prompt under the cursor",
    "stop the subagent under the cursor",
  },
  {
    "next prompt",
    "previous prompt",
    "next call",
    "previous call",
    "next change",
    "previous change",
    "next file",
    "previous file",
    "next request",
    "previous request",
  },
  {
    "show the file, at this change",
    "keep the change, or all of the file",
    "revert the change, or those of the file",
    "revert also what has lines that you have edited",
    "undo the last decision",
    "redo it",
    "compare the file with its text without the changes",
    "list or hide the changes of the file",
    "hide the changes of all files",
    "list the changes of all files",
    "all changes, this session's, this turn's",
    "quickfix list of the changes",
  },
  {
    "the next change to review",
    "the previous change to review",
    "keep the change here",
    "revert the change here",
    "keep all changes of the file",
    "list the changes to review",
    "send the errors of the last turn to the agent",
  },
  {
    "earlier prompt",
    "later prompt",
    "search earlier prompts",
    "completion menu",
    "remove a mention, else as always",
  },
  {
    "open the previous chat of this folder",
    "next session",
    "previous session",
    "attach to the detached session of this folder",
    "install the agent, if it is missing",
  },
  {
    "hide it for now",
    "close the list",
    "close the chat's windows",
    "show these keys",
  },
}

local ranks = {} ---@type table<string, { group: integer, rank: integer }>

for group, list in ipairs(groups) do
  for rank, what in ipairs(list) do
    ranks[what] = { group = group, rank = rank }
  end
end

local choices = 0 -- the group of numbered answers
local others = #groups + 1

-- Returns the place of a row.
local function place(row)
  local number = tonumber(row[1]:match("^%d"))
  local known = ranks[row[2]]
  return number and choices or known and known.group or others, number or known and known.rank or 0
end

--- Sorts rows of keys and what these do. Keys that are in no group come last, in the order in which they are.
---@param rows { [1]: string, [2]: string }[]
---@return { [1]: string, [2]: string }[][] groups
function M.grouped(rows)
  local placed = {}
  for i, row in ipairs(rows) do
    local group, rank = place(row)
    placed[i] = { row = row, group = group, rank = rank, at = i }
  end
  table.sort(placed, function(a, b)
    if a.group ~= b.group then
      return a.group < b.group
    elseif a.rank ~= b.rank then
      return a.rank < b.rank
    end
    return a.at < b.at
  end)
  local found, last = {}, nil
  for _, p in ipairs(placed) do
    if p.group ~= last then
      table.insert(found, {})
      last = p.group
    end
    table.insert(found[#found], p.row)
  end
  return found
end

return M
