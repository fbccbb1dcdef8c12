--- The user's unsaved changes, when autocommands have changed the text that they belong on: a header that is inserted
--- after the save, a formatter, an `:edit`.
local M = {}

---@class acp.Hunk
---@field first integer row, 0-based
---@field last integer the row after the last one that is replaced
---@field lines string[] in its place

--- Returns lines with ordered hunks applied to them.
---@param lines string[]
---@param hunks acp.Hunk[]
---@return string[]
function M.apply(lines, hunks)
  local out, row = {}, 0
  for _, h in ipairs(hunks) do
    vim.list_extend(out, lines, row + 1, h.first)
    vim.list_extend(out, h.lines)
    row = h.last
  end
  return vim.list_extend(out, lines, row + 1)
end

--- Returns the sizes of the hunks from one text to another.
---@param from string[]
---@param to string[]
---@return { first: integer, last: integer, count: integer }[]
function M.changes(from, to)
  local found = {}
  local function text(lines)
    local list = {}
    for i, line in ipairs(lines) do
      list[i] = line:gsub("\n", "\0")
    end
    return table.concat(list, "\n") .. "\n"
  end
  local diff = vim.text.diff or vim.diff -- vim.diff is deprecated on 0.12
  for _, i in ipairs(diff(text(from), text(to), { result_type = "indices" })) do
    local first = i[2] > 0 and i[1] - 1 or i[1] -- an empty side has the line before it
    table.insert(found, { first = first, last = first + i[2], count = i[4] })
  end
  return found
end

--- Returns the sizes of the hunks from one text to another in which the user's side of a new conflict is what it was
--- before, so that nobody who types there is taken to an equal line of the agent's side.
---@param from string[]
---@param to string[]
---@return { first: integer, last: integer, count: integer }[]
function M.moves(from, to)
  local conflict = require("nvim-acp.files.conflict")
  local new = #conflict.among(from) == 0 and conflict.among(to) or {}
  if #new == 0 then
    return M.changes(from, to)
  end

  local left, more, c = {}, {}, 1 -- the lines but those of conflicts; how many of these are above each line
  local hidden = 0
  for i, line in ipairs(to) do
    local row = i - 1
    while new[c] and row > new[c].last do
      c = c + 1
    end
    if new[c] and (row == new[c].first or row >= new[c].split) then
      hidden = hidden + 1
    else
      table.insert(left, line)
      more[#left], hidden = hidden, 0
    end
  end
  more[#left + 1] = hidden

  -- The hunks of what is left, and one for the lines that are put in above each line of it.
  local found, at, row = {}, 1, 0 -- the next line of what is left, and the row in the old text that it comes from
  local function add(h)
    local last = found[#found]
    if last and last.last == h.first then
      last.last, last.count = h.last, last.count + h.count
    elseif h.count > 0 or h.last > h.first then
      table.insert(found, h)
    end
  end
  local function go(till) -- over equal lines
    while row < till do
      add({ first = row, last = row, count = more[at] })
      at, row = at + 1, row + 1
    end
  end
  for _, h in ipairs(M.changes(from, left)) do
    go(h.first)
    local count = h.count
    for i = at, at + h.count - 1 do
      count = count + more[i]
    end
    add({ first = h.first, last = h.last, count = count })
    at, row = at + h.count, h.last
  end
  go(#from)
  add({ first = #from, last = #from, count = more[#left + 1] })
  return found
end

-- Returns both sides of a conflict between marker lines, which are longer than any line that looks like one.
local function both(ours, theirs)
  local n = 7
  for _, side in ipairs({ ours, theirs }) do
    for _, line in ipairs(side) do
      local run = line:match("^<+ yours$") or line:match("^=+$") or line:match("^>+ agent$")
      n = math.max(n, run and #run:match("^[<=>]+") + 1 or 0)
    end
  end
  local out = vim.list_extend({ ("<"):rep(n) .. " yours" }, ours)
  table.insert(out, ("="):rep(n))
  vim.list_extend(out, theirs)
  table.insert(out, (">"):rep(n) .. " agent")
  return out
end

--- Returns the user's hunks for the text as it is now. Where the same lines have changed, both sides are kept.
---@param before string[] the text that the hunks belong to
---@param now string[]
---@param hunks acp.Hunk[] ordered
---@return acp.Hunk[]
---@return integer conflicts
function M.rebase(before, now, hunks)
  local out, conflicts = {}, 0
  local changes = M.changes(before, now)
  local i, c, added = 1, 1, 0 -- rows that the changes up to here have added

  local function next_change()
    local change = changes[c]
    added = added + change.count - (change.last - change.first)
    c = c + 1
    return change
  end

  while hunks[i] do
    while changes[c] and changes[c].last <= hunks[i].first do
      next_change()
    end

    -- A hunk, and all of both sides that overlaps it.
    local first, last, mine = hunks[i].first, hunks[i].last, { hunks[i] }
    local start, clash = added, false
    i = i + 1
    while true do
      if changes[c] and changes[c].first < last then
        local change = next_change()
        first, last, clash = math.min(first, change.first), math.max(last, change.last), true
      elseif hunks[i] and hunks[i].first < last then
        table.insert(mine, hunks[i])
        last = math.max(last, hunks[i].last)
        i = i + 1
      else
        break
      end
    end

    local lines = mine[1].lines
    if clash then
      for n, h in ipairs(mine) do
        mine[n] = { first = h.first - first, last = h.last - first, lines = h.lines }
      end
      local ours = M.apply(vim.list_slice(before, first + 1, last), mine)
      local theirs = vim.list_slice(now, first + start + 1, last + added)
      local same = vim.deep_equal(ours, theirs)
      lines, conflicts = same and ours or both(ours, theirs), conflicts + (same and 0 or 1)
    end
    table.insert(out, { first = first + start, last = last + added, lines = lines })
  end
  return out, conflicts
end

return M
