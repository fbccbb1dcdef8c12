--- The plan of the running turn as one line above the prompt.
local M = {}

local groups = { completed = "AcpPlanDone", in_progress = "AcpPlanNow" }

local function icon(entry)
  local icons = require("nvim-acp.ui.style").icons()
  return ({ completed = icons.done, in_progress = icons.now })[entry.status] or icons.pending
end

-- Returns the chunks of the first entries that fit, and whether all do.
local function fit(chunks, entries, first, room)
  for i = first, #entries do
    local text = entries[i].text
    local width = vim.api.nvim_strwidth(text) + 5
    if width > room then
      if i == first then
        text = require("nvim-acp.ui.text").line(text, math.max(room - 3, 1))
        local group = groups[entries[i].status] or "AcpPlanPending"
        vim.list_extend(chunks, { { icon(entries[i]) .. " ", group }, { text } })
      end
      return false
    end
    table.insert(chunks, { icon(entries[i]) .. " ", groups[entries[i].status] or "AcpPlanPending" })
    table.insert(chunks, { text .. "   ", entries[i].status ~= "in_progress" and "AcpDone" or nil })
    room = room - width
  end
  return true
end

--- Returns all steps if they fit, else the progress, the current step and the next ones.
---@param plan { text: string, status: string }[]
---@param width integer
---@return table[]? chunks nil if there is no plan
function M.line(plan, width)
  if #plan == 0 then
    return nil
  end
  local chunks = { { "Plan  ", "AcpHeading" } }
  if fit(chunks, plan, 1, width - 6) then
    return chunks
  end
  local done, at = 0, nil
  for i, entry in ipairs(plan) do
    done = done + (entry.status == "completed" and 1 or 0)
    at = at or (entry.status == "in_progress" and i) or nil
  end
  for i, entry in ipairs(plan) do
    at = at or (entry.status ~= "completed" and i) or nil
  end
  local head = ("Plan %d/%d  "):format(done, #plan)
  chunks = { { head, "AcpHeading" } }
  fit(chunks, plan, at, width - #head)
  return chunks
end

return M
