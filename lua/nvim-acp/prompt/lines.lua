--- Lines that the prompt being written names move with their text: @notes.txt:3-4 becomes @notes.txt:5-6.
local M = {}

local api = vim.api
local lines = require("nvim-acp.files.lines")

---@class acp.PromptLines
---@field s acp.Session
---@field at acp.Lines
---@field resolved table the lines as they were
---@field file string as the prompt names it
---@field name string the mention, with the lines
---@field gone boolean? that is said

---@type acp.PromptLines[]
local followed = {}

-- Returns the mentions of a prompt with a name, the last one first, each with its row.
local function mentions(buf, name)
  local found = {}
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    for _, m in ipairs(line:find("@", 1, true) and require("nvim-acp.files.mention").scan(line) or {}) do
      if m.name == name then
        table.insert(found, 1, { row = row - 1, from = m.from, to = m.to })
      end
    end
  end
  return found
end

-- Gives a prompt the numbers that its lines have by now; their text stays that of the moment when they were added.
local function update(l)
  local prompt, mention = require("nvim-acp.state.buffers").prompt(l.s), require("nvim-acp.prompt.mention")
  local there = prompt and api.nvim_buf_is_loaded(l.at.buf) and mentions(prompt, l.name) or {}
  if #there == 0 or not mention.attached(l.s)[l.name] then -- it was sent, and is named anew by hand
    return
  end
  local range = lines.range(l.at)
  if not range and not l.gone then
    local text = ("the lines @%s of your prompt are gone: they are sent as they were"):format(l.name)
    require("nvim-acp.ui.message").warn(text, { ("@%s is gone, and sent as it was"):format(l.name) })
  end
  l.gone = not range
  if not range or range[2] - range[1] ~= l.resolved.last - l.resolved.first then -- no longer the same lines
    return
  end
  local written = require("nvim-acp.files.mention")
  local word = written.write(l.file, range[1], range[2])
  local m = written.scan(word)[1]
  local now = vim.tbl_extend("force", l.resolved, { first = range[1], last = range[2], name = m.name })
  mention.attach(l.s, m.name, now)
  if m.name ~= l.name and vim.bo[prompt].modifiable then
    for _, old in ipairs(there) do
      api.nvim_buf_set_text(prompt, old.row, old.from, old.row, old.to, { word })
    end
    l.name = m.name
  end
end

--- Gives prompts the numbers that their lines have by now.
function M.refresh()
  followed = vim.tbl_filter(function(l)
    local there = require("nvim-acp.state").sessions[l.s.id] == l.s and api.nvim_buf_is_valid(l.at.buf)
    if not there then
      lines.drop(l.at)
    end
    return there
  end, followed)
  for _, l in ipairs(followed) do
    require("nvim-acp.ui.try").call(update, l)
  end
end

--- Follows lines that a prompt is about to name.
---@param s acp.Session
---@param file string as the prompt names it
---@param name string the mention
---@param resolved table
function M.follow(s, file, name, resolved)
  local buf = resolved.loaded and require("nvim-acp.files.buffer").find(resolved.path)
  if not buf or not api.nvim_buf_is_loaded(buf) then
    return
  end
  for i = #followed, 1, -1 do -- the same lines once more
    if followed[i].s == s and followed[i].name == name then
      lines.drop(followed[i].at)
      table.remove(followed, i)
    end
  end
  local l = { s = s, resolved = resolved, file = file, name = name }
  l.at = lines.follow(buf, resolved.first, resolved.last, function()
    update(l)
  end)
  table.insert(followed, l)
end

return M
