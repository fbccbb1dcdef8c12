--- Lines that the prompt being written names move with their text: @notes.txt:3-4 becomes @notes.txt:5-6.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.prompt.lines")

---@class acp.PromptLines
---@field s acp.Session
---@field buf integer of the file
---@field mark integer on the lines
---@field resolved table the lines as they were
---@field file string as the prompt names it
---@field name string the mention, with the lines
---@field first integer 1-based
---@field last integer
---@field lines string[] their text by now
---@field gone boolean?

---@type acp.PromptLines[]
local followed = {}

local function set_mark(l)
  local count = api.nvim_buf_line_count(l.buf)
  local first, last = math.min(l.first, count), math.min(l.last, count)
  l.mark = api.nvim_buf_set_extmark(l.buf, ns, first - 1, 0, {
    id = l.mark,
    end_row = last - 1,
    end_col = #api.nvim_buf_get_lines(l.buf, last - 1, last, false)[1],
    end_right_gravity = true,
    invalidate = true,
    undo_restore = true,
  })
end

-- Returns the rows of the first and the last of the lines, nil if they are gone: Neovim 0.10 may leave an empty mark of
-- these.
local function rows(l)
  local at = api.nvim_buf_get_extmark_by_id(l.buf, ns, l.mark, { details = true })
  local empty = at[1] == nil or at[1] == at[3].end_row and at[2] == at[3].end_col
  if at[1] == nil or at[3].invalid or empty and table.concat(l.lines) ~= "" then
    return nil
  end
  return at[1], math.max(at[3].end_row, at[1])
end

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
  local prompt = require("nvim-acp.state.buffers").prompt(l.s)
  local there = prompt and api.nvim_buf_is_loaded(l.buf) and mentions(prompt, l.name) or {}
  if #there == 0 then
    return
  end
  local first, last = rows(l)
  local gone = not first
  if gone and not l.gone then
    local text = ("the lines @%s of your prompt are gone: they are sent as they were"):format(l.name)
    require("nvim-acp.ui.message").warn(text, { ("@%s is gone, and sent as it was"):format(l.name) })
  end
  l.gone = gone
  if gone then
    return
  end
  first, last = first + 1, last + 1
  if last - first ~= l.last - l.first then -- no longer the same lines
    return
  end
  l.first, l.last = first, last
  l.lines = api.nvim_buf_get_lines(l.buf, first - 1, last, false)
  local written = require("nvim-acp.files.mention")
  local word = written.write(l.file, first, last)
  local m = written.scan(word)[1]
  local now = vim.tbl_extend("force", l.resolved, { first = first, last = last, name = m.name })
  require("nvim-acp.prompt.mention").attach(l.s, m.name, now)
  if m.name ~= l.name and vim.bo[prompt].modifiable then
    for _, old in ipairs(there) do
      api.nvim_buf_set_text(prompt, old.row, old.from, old.row, old.to, { word })
    end
    l.name = m.name
  end
end

--- Gives prompts the numbers that lines of a buffer, or of all, have by now.
---@param buf integer?
function M.refresh(buf)
  followed = vim.tbl_filter(function(l)
    return require("nvim-acp.state").sessions[l.s.id] == l.s and api.nvim_buf_is_valid(l.buf)
  end, followed)
  for _, l in ipairs(followed) do
    if buf == nil or l.buf == buf then
      require("nvim-acp.ui.try").call(update, l)
    end
  end
end

-- Finds the lines of prompts again after a tick in which Neovim may have moved their marks away.
local function settle(buf, r)
  for _, l in ipairs(followed) do
    local first = l.buf == buf and rows(l)
    local now = first and api.nvim_buf_get_lines(buf, first, first + #l.lines, false)
    if l.buf == buf and not vim.deep_equal(now, l.lines) then
      local row = require("nvim-acp.files.follow").again(buf, r, l.first - 1, l.lines, l.gone or false)
      if row then
        l.first, l.last = row + 1, row + #l.lines
        set_mark(l)
      end
    end
  end
  M.refresh(buf)
end

local function watch(buf)
  require("nvim-acp.files.follow").watch(buf, "prompt", settle)
end

-- A buffer whose file is read again is followed no longer, and has lost its marks.
api.nvim_create_autocmd("BufReadPost", {
  group = api.nvim_create_augroup("nvim-acp.prompt.lines", {}),
  callback = function(args)
    for _, l in ipairs(followed) do
      if l.buf == args.buf then
        watch(args.buf)
        return settle(args.buf, { first = 0, last = math.huge, now = api.nvim_buf_line_count(args.buf) })
      end
    end
  end,
})

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
      pcall(api.nvim_buf_del_extmark, followed[i].buf, ns, followed[i].mark)
      table.remove(followed, i)
    end
  end
  local l = { s = s, buf = buf, resolved = resolved, file = file, name = name }
  l.first, l.last = resolved.first, resolved.last
  l.lines = api.nvim_buf_get_lines(buf, l.first - 1, l.last, false)
  set_mark(l)
  table.insert(followed, l)
  watch(buf)
end

--- Returns a function that puts the marks of a buffer back to their lines after hunks were replaced, as for notes.
---@param buf integer
---@param hunks { [1]: integer, [2]: integer, [3]: integer }[]
---@return fun()
function M.hold(buf, hunks)
  local held, after = {}, require("nvim-acp.files.moved").after
  for _, l in ipairs(followed) do
    local first, last
    if l.buf == buf then
      first, last = rows(l)
    end
    if first then
      local left = not vim.iter(hunks):any(function(h) -- all of it is removed
        return h[1] <= first and last < h[2] and h[3] == 0
      end)
      table.insert(held, left and { l, after(first, hunks) + 1, after(last, hunks) + 1 } or nil)
    end
  end
  return function()
    for _, h in ipairs(held) do
      h[1].first, h[1].last = h[2], h[3]
      set_mark(h[1])
    end
  end
end

return M
