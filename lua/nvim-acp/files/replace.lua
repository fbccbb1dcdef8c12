--- Replaces lines so that what is on them stays on them: marks, jumps, and the extmarks of any plugin. Neovim takes
--- lines that are set as a whole for removed ones: it drops their marks and moves extmarks below them.
local M = {}

local api = vim.api

-- The most lines that are changed one by one, which takes each a few microseconds, and the longest ones whose
-- beginning and end are compared.
M.most_lines, M.most_bytes = 1000, 4096

local function inside(text, at) -- a character of more than one byte
  local byte = text:byte(at)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

-- Returns how many bytes two texts have in common at their beginning and at their end, of whole characters.
local function common(old, new)
  local most = math.min(#old, #new)
  if math.max(#old, #new) > M.most_bytes then
    return 0, 0
  end
  local head, tail = 0, 0
  while head < most and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  while head > 0 and (inside(old, head + 1) or inside(new, head + 1)) do
    head = head - 1
  end
  while tail < most - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and (inside(old, #old - tail + 1) or inside(new, #new - tail + 1)) do
    tail = tail - 1
  end
  return head, tail
end

-- Returns the marks of a buffer by their rows.
local function marked(buf)
  local rows = {}
  for _, m in ipairs(vim.list_extend(vim.fn.getmarklist(buf), vim.fn.getmarklist())) do
    if m.pos[1] == buf and m.mark:find("^'[%a<>]$") then
      local row = m.pos[2] - 1
      rows[row] = rows[row] or {}
      table.insert(rows[row], { name = m.mark:sub(2), col = m.pos[3] - 1 })
    end
  end
  return rows
end

local function change(buf, row, old, new, marks)
  if old == new then
    return
  end
  local head, tail = common(old, new)
  api.nvim_buf_set_text(buf, row, head, row, #old - tail, { new:sub(head + 1, #new - tail) })
  for _, m in ipairs(marks or {}) do
    if api.nvim_buf_get_mark(buf, m.name)[1] == 0 then -- 0.10 drops it here, too
      api.nvim_buf_set_mark(buf, m.name, row + 1, math.min(m.col, #new), {})
    end
  end
end

--- Replaces hunks, the last one first. Where one has as many lines as it replaces they stay the same lines.
---@param buf integer
---@param hunks { first: integer, last: integer, lines: string[] }[] 0-based, half open, ordered
function M.hunks(buf, hunks)
  local kept, marks = 0, marked(buf)
  for _, h in ipairs(hunks) do
    kept = kept + math.min(h.last - h.first, #h.lines)
  end
  for i = #hunks, 1, -1 do
    local h = hunks[i]
    local same = kept <= M.most_lines and math.min(h.last - h.first, #h.lines) or 0
    local old = api.nvim_buf_get_lines(buf, h.first, h.first + same, false)
    if same < h.last - h.first or same < #h.lines then
      api.nvim_buf_set_lines(buf, h.first + same, h.last, false, vim.list_slice(h.lines, same + 1))
    end
    for j = same, 1, -1 do
      change(buf, h.first + j - 1, old[j], h.lines[j], marks[h.first + j - 1])
    end
  end
end

return M
