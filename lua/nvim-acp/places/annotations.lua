--- Texts of agents at lines of files: shown below the line until the user dismisses them. They follow the text while it
--- is loaded.
local M = {}

local api = vim.api
local tasks = require("nvim-acp.knowledge.task")
local ns = api.nvim_create_namespace("nvim-acp.annotations")
local name_of = require("nvim-acp.knowledge.servers").name

local most = 200 -- of one session
local longest = 2000 -- bytes of a text
local rows = 20 -- of a text that are shown
local chunk = 64 * 1024 -- bytes of a file that are read at a time

---@class acp.Annotation
---@field session string local id
---@field agent string title
---@field path string real
---@field line integer 1-based
---@field text string
---@field lines string[]? the line, as it was shown last
---@field buf integer? where it is shown
---@field mark integer?

---@type acp.Annotation[] in the order in which they were made
local list = {}

-- Takes over the line of a shown annotation.
local function refresh(a)
  if a.buf and api.nvim_buf_is_loaded(a.buf) then
    require("nvim-acp.files.follow").flush(a.buf)
    local at = api.nvim_buf_get_extmark_by_id(a.buf, ns, a.mark, {})
    a.line = at[1] and math.min(at[1] + 1, api.nvim_buf_line_count(a.buf)) or a.line
    a.lines = api.nvim_buf_get_lines(a.buf, a.line - 1, a.line, false)
  end
end

local function hide(a)
  if a.buf and api.nvim_buf_is_valid(a.buf) then
    api.nvim_buf_del_extmark(a.buf, ns, a.mark)
  end
  a.buf, a.mark = nil, nil
end

local settle ---@type fun(buf: integer, r: acp.Replaced)

local function show(a, buf)
  require("nvim-acp.ui.style").define()
  local bar = require("nvim-acp.ui.style").icons().bar
  local said = a.agent .. ": " .. vim.trim(a.text)
  local lines = require("nvim-acp.ui.rows").barred(buf, said, "AcpAnnotation")
  if #lines > rows then
    lines = vim.list_slice(lines, 1, rows)
    table.insert(lines, { { bar .. " " .. require("nvim-acp.ui.style").icons().cut, "AcpAnnotation" } })
  end
  a.buf = buf
  -- At the line's end, so that lines above move it, but a line that takes the place of this one does not.
  local row = math.min(a.line, api.nvim_buf_line_count(buf)) - 1
  a.lines = api.nvim_buf_get_lines(buf, row, row + 1, false)
  local column = #a.lines[1]
  a.mark = api.nvim_buf_set_extmark(buf, ns, row, column, {
    right_gravity = column == 0,
    virt_lines = require("nvim-acp.ui.virtual").lines(lines),
    sign_text = bar,
    sign_hl_group = "AcpAnnotation",
  })
  require("nvim-acp.files.follow").watch(buf, "annotations", settle)
end

-- Puts the annotations of a buffer back to their lines after a tick in which Neovim may have moved their marks away.
function settle(buf, r)
  for _, a in ipairs(list) do
    if a.buf == buf then
      local line, lines = a.line, a.lines
      refresh(a)
      local row = not vim.deep_equal(a.lines, lines)
        and require("nvim-acp.files.follow").again(buf, r, line - 1, lines, false)
      if row then
        hide(a)
        a.line = row + 1
        show(a, buf)
      end
    end
  end
end

-- Shows the annotations of a file that was read.
local function place(buf)
  local name = api.nvim_buf_get_name(buf)
  if name == "" or vim.bo[buf].buftype ~= "" then
    return
  end
  local path = require("nvim-acp.files.path").real(name)
  for _, a in ipairs(list) do
    if a.path == path and not a.buf then
      a.line = a.lines and require("nvim-acp.files.follow").find(buf, a.line, a.lines[1]) or a.line
      show(a, buf)
    end
  end
end

local renamed = require("nvim-acp.files.renamed")

---@type acp.renamed.Marks
local marks = {
  list = function()
    return list
  end,
  hide = function(a)
    refresh(a)
    hide(a)
  end,
  place = place,
  rename = function(a, to)
    a.path = to
  end,
}
renamed.follow(marks)

-- Follows buffers while there are annotations.
local function watch()
  local group = api.nvim_create_augroup("nvim-acp.annotations", { clear = true })
  if #list == 0 then
    return
  end
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    callback = function(args)
      renamed.unload(marks, args.buf)
    end,
  })
  api.nvim_create_autocmd("WinResized", {
    group = group,
    callback = function()
      for _, a in ipairs(list) do
        local buf = a.buf
        if buf and api.nvim_buf_is_loaded(buf) then
          refresh(a)
          hide(a)
          show(a, buf)
        end
      end
    end,
  })
  api.nvim_create_autocmd("BufReadPost", {
    group = group,
    callback = function(args)
      for _, a in ipairs(list) do
        if a.buf == args.buf then -- it was read again
          hide(a)
        end
      end
      place(args.buf)
    end,
  })
end

-- Removes the annotations that a function chooses. Returns how many there were.
local function drop(chosen)
  local kept, count = {}, 0
  for _, a in ipairs(list) do
    refresh(a)
    if chosen(a) then
      hide(a)
      count = count + 1
    else
      table.insert(kept, a)
    end
  end
  list = kept
  watch()
  return count
end

-- Returns the number of lines of a file as a buffer would have them, or a number that is not below the wanted one;
-- nil if it cannot be read. The file is not held open meanwhile.
local function count_lines(task, path, wanted)
  local count, offset, last = 0, 0, ""
  while count < wanted do
    local fd = require("nvim-acp.ui.disk").open(path, "r")
    local part = fd and vim.uv.fs_read(fd, chunk, offset)
    if fd then
      vim.uv.fs_close(fd)
    end
    if not part then
      return nil
    elseif part == "" then
      return math.max(last == "\n" and count or count + 1, 1)
    end
    count, offset, last = count + select(2, part:gsub("\n", "")), offset + #part, part:sub(-1)
    tasks.breathe(task)
  end
  return count
end

-- Checks the places of new annotations, and returns the buffer of each file that is loaded.
local function check(task, items)
  local bufs, furthest = {}, {}
  for _, item in ipairs(items) do
    furthest[item.path] = math.max(furthest[item.path] or 1, item.line)
  end
  for path, line in pairs(furthest) do
    local buf = require("nvim-acp.files.buffer").find(path)
    local stat = not buf and vim.uv.fs_stat(path)
    if not buf and (not stat or stat.type ~= "file") then
      tasks.fail("no such file: " .. name_of(path))
    end
    local loaded = buf and api.nvim_buf_is_loaded(buf)
    local count = loaded and api.nvim_buf_line_count(buf) or count_lines(task, path, line)
    if not count then
      tasks.fail(name_of(path) .. " cannot be read")
    elseif line > count then
      tasks.fail(("%s has no line %d, it has %d"):format(name_of(path), line, count))
    end
    bufs[path] = buf or false
    tasks.breathe(task)
  end
  return bufs
end

--- Adds annotations of a session.
---@param task acp.Task
---@param args { session: string, replace: boolean, items: acp.Entry[] } replace: its earlier ones go
---@return { count: integer } how many the session has now
function M.add(task, args)
  local bufs = check(task, args.items)
  local s = require("nvim-acp.state").sessions[args.session]
  local function own(a)
    return a.session == args.session
  end
  local count = args.replace and 0 or #vim.tbl_filter(own, list)
  if count + #args.items > most then
    tasks.fail(("there are %d already, and no more than %d are shown at a time"):format(count, most))
  end
  if args.replace then
    drop(own)
  end
  for _, item in ipairs(args.items) do
    local a = { session = args.session, agent = s and s.agent_title or "agent", path = item.path, line = item.line }
    a.text = #item.text > longest and item.text:sub(1, longest):gsub("[\192-\255][\128-\191]*$", "") or item.text
    table.insert(list, a)
    local buf = bufs[item.path]
    if buf and api.nvim_buf_is_loaded(buf) then
      show(a, buf)
    end
    tasks.breathe(task)
  end
  watch()
  return { count = count + #args.items }
end

--- Returns the annotations, the oldest first.
---@return { session: string, agent: string, path: string, line: integer, text: string }[]
function M.list()
  local out = {}
  for _, a in ipairs(list) do
    refresh(a)
    table.insert(out, { session = a.session, agent = a.agent, path = a.path, line = a.line, text = a.text })
  end
  return out
end

-- Puts the annotations into a new quickfix list, and opens it.
local function quickfix()
  local items = {}
  for _, a in ipairs(M.list()) do
    local text = require("nvim-acp.ui.text").visible(("%s: %s"):format(a.agent, (a.text:gsub("%s+", " "))))
    table.insert(items, { bufnr = require("nvim-acp.files.load").add(a.path), lnum = a.line, text = text })
  end
  if #items == 0 then
    return require("nvim-acp.ui.message").info("there are no annotations of agents")
  end
  require("nvim-acp.ui.quickfix").set(" ", { title = "Annotations of agents", items = items })
  require("nvim-acp.ui.quickfix").open()
end

-- Dismisses the annotations in lines of the current buffer.
local function dismiss(first, last)
  local buf = api.nvim_get_current_buf()
  local count = drop(function(a)
    return a.buf == buf and first <= a.line and a.line <= last
  end)
  if count == 0 then
    require("nvim-acp.ui.message").info("no annotation here; :AcpAnnotations lists them")
  end
end

--- Lists the annotations for the user, or dismisses those in lines of the current buffer, or all.
---@param what ""|"dismiss"|"clear"
---@param first integer 1-based
---@param last integer
function M.run(what, first, last)
  if what == "dismiss" then
    dismiss(first, last)
  elseif what == "clear" then
    drop(function()
      return true
    end)
  elseif what == "" then
    quickfix()
  else
    require("nvim-acp.ui.message").unknown("argument", what, { "dismiss", "clear" })
  end
end

return M
