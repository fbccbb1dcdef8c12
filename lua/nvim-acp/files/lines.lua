--- Lines of a buffer, followed through its changes: what waits for the user's words, an agent or a turn's end is about
--- the same lines then.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.lines")

---@class acp.Lines
---@field buf integer
---@field mark integer? extmark on the lines
---@field first integer 1-based, where they were last
---@field last integer
---@field text string[] theirs, then
---@field gone boolean?
---@field moved fun()? called after each tick in which the buffer has changed

---@type acp.Lines[] in the order in which they were made
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
  local at = l.mark and api.nvim_buf_get_extmark_by_id(l.buf, ns, l.mark, { details = true }) or {}
  local empty = at[1] == nil or at[1] == at[3].end_row and at[2] == at[3].end_col
  if at[1] == nil or at[3].invalid or empty and table.concat(l.text) ~= "" then
    return nil
  end
  return at[1], math.max(at[3].end_row, at[1])
end

-- Notes where lines are by now.
local function refresh(l)
  local first, last = rows(l)
  l.gone = first == nil
  if first then
    l.first, l.last = first + 1, last + 1
    l.text = api.nvim_buf_get_lines(l.buf, first, last + 1, false)
  end
end

-- Finds lines again after a tick in which Neovim may have moved their marks away.
local function settle(buf, r)
  for _, l in ipairs(vim.list_slice(followed)) do
    if l.buf == buf then
      local first = rows(l)
      local now = first and api.nvim_buf_get_lines(buf, first, first + #l.text, false)
      local row = not vim.deep_equal(now, l.text)
        and require("nvim-acp.files.follow").again(buf, r, l.first - 1, l.text, l.gone or false)
      if not row and not first and not l.gone and r.last == r.now then -- replaced line by line
        row = l.first - 1
      end
      if row then
        l.first, l.last = row + 1, row + #l.text
        set_mark(l)
      end
      refresh(l)
      if l.moved then
        require("nvim-acp.ui.try").call(l.moved)
      end
    end
  end
end

local function watch(buf)
  require("nvim-acp.files.follow").watch(buf, "lines", settle)
end

-- A buffer whose file is read again is followed no longer, and its marks are at no lines.
api.nvim_create_autocmd("BufReadPost", {
  group = api.nvim_create_augroup("nvim-acp.lines", {}),
  callback = function(args)
    local any = false
    for _, l in ipairs(followed) do
      if l.buf == args.buf then
        api.nvim_buf_del_extmark(l.buf, ns, l.mark)
        any = true
      end
    end
    if any then
      watch(args.buf)
      settle(args.buf, { first = 0, last = math.huge, now = api.nvim_buf_line_count(args.buf) })
    end
  end,
})

--- Follows lines until they are dropped or taken.
---@param buf integer a loaded one
---@param first integer 1-based
---@param last integer
---@param moved fun()?
---@return acp.Lines
function M.follow(buf, first, last, moved)
  local count = api.nvim_buf_line_count(buf)
  local l = { buf = buf, first = math.min(first, count), last = math.min(last, count), moved = moved }
  l.text = api.nvim_buf_get_lines(buf, l.first - 1, l.last, false)
  set_mark(l)
  table.insert(followed, l)
  watch(buf)
  return l
end

--- Returns where lines are now, or why they are nowhere.
---@param l acp.Lines
---@return { [1]: integer, [2]: integer }? range 1-based
---@return string? problem
function M.range(l)
  if not api.nvim_buf_is_loaded(l.buf) then
    return nil, "the buffer was closed meanwhile"
  end
  require("nvim-acp.files.follow").flush(l.buf)
  refresh(l)
  if l.gone then
    return nil, "the lines are gone"
  end
  return { l.first, l.last }
end

--- Follows lines no longer.
---@param l acp.Lines
function M.drop(l)
  if l.mark and api.nvim_buf_is_valid(l.buf) then
    api.nvim_buf_del_extmark(l.buf, ns, l.mark)
  end
  followed = vim.tbl_filter(function(other)
    return other ~= l
  end, followed)
end

--- Returns where lines are, as M.range, and follows them no longer.
---@param l acp.Lines
---@return { [1]: integer, [2]: integer }? range
---@return string? problem
function M.take(l)
  local range, problem = M.range(l)
  M.drop(l)
  return range, problem
end

--- Returns the name of lines, for the user.
---@param buf integer
---@param first integer 1-based
---@param last integer
---@return string
function M.name(buf, first, last)
  local path = api.nvim_buf_get_name(buf)
  local name = path ~= "" and vim.fn.fnamemodify(path, ":.") or "buffer"
  return last > first and ("%s:%d-%d"):format(name, first, last) or ("%s:%d"):format(name, first)
end

--- Asks the user for a text about lines, in a float that names them. They are dropped if it is left.
---@param l acp.Lines
---@param title string %s: their name
---@param done fun(text: string)
---@param opts { value: string?, earlier: string[]?, below: boolean? } below: the float is there, else at the cursor
function M.ask(l, title, done, opts)
  local function titled()
    return title:format(M.name(l.buf, l.first, l.last))
  end
  local place = require("nvim-acp.ui.input").ask(titled(), opts.value, done, {
    earlier = opts.earlier,
    line = opts.below and l.last or nil,
    left = function()
      M.drop(l)
    end,
  })
  l.moved = function()
    place(titled(), l.last)
  end
end

--- Returns a function that puts the marks of a buffer back to their lines after hunks were replaced: Neovim moves a
--- mark of a line that is replaced to the next one.
---@param buf integer
---@param hunks { [1]: integer, [2]: integer, [3]: integer }[] first, last (from 0, half open), count of new lines
---@return fun()
function M.hold(buf, hunks)
  local held = {}
  for _, l in ipairs(followed) do
    local first, last
    if l.buf == buf and api.nvim_buf_is_loaded(buf) then
      first, last = rows(l)
    end
    if first then
      first, last = require("nvim-acp.files.moved").lines(first + 1, last + 1, hunks)
    end
    if first then
      table.insert(held, { l, first, last })
    end
  end
  return function()
    for _, h in ipairs(held) do
      h[1].first, h[1].last = h[2], h[3]
      set_mark(h[1])
      refresh(h[1])
    end
  end
end

local most = 2 ^ 31 - 1 -- the number of a line

--- Returns what is wrong with lines that somebody names, nil if nothing is.
---@param range any
---@return string?
function M.wrong(range)
  local numbers = type(range) == "table" and type(range[1]) == "number" and type(range[2]) == "number"
  if not numbers or range[1] % 1 ~= 0 or range[2] % 1 ~= 0 then
    return "a range is two line numbers, the first and the last"
  elseif range[1] < 1 or range[1] > most or range[2] < range[1] then
    return "there are no such lines"
  end
end

--- Returns a range without lines beyond the last one.
---@param range { [1]: integer, [2]: integer }
---@param count integer? of the lines that there are, nil if that is not known
---@return integer first
---@return integer last
function M.within(range, count)
  return math.min(range[1], count or most), math.min(range[2], count or most)
end

return M
