--- The context of a prompt: files with unsaved changes, selections, diagnostics and others.
local M = {}

local api = vim.api

---@class acp.Context
---@field file string? path of a file or folder
---@field range { [1]: integer, [2]: integer }? 1-based first and last line
---@field text string? text instead of a file's
---@field name string? its display name
---@field diagnostics boolean? the diagnostics of the file, or of the current buffer
---@field image string? path of an image
---@field record string? local id of a previous session
---@field kind string? "selection", "buffer", "buffers", "function", "diagnostics", "quickfix", "diff", "messages" or
--- "clipboard"

-- The most bytes of a buffer that are sent to the host, which has the same bound; a larger one goes as a link.
local most = 256 * 1024

local media = {
  png = "image",
  jpg = "image",
  jpeg = "image",
  gif = "image",
  webp = "image",
  bmp = "image",
  wav = "audio",
  mp3 = "audio",
  ogg = "audio",
  flac = "audio",
  m4a = "audio",
}

--- Returns "the buffer": that of the current window, else of the last one that is no chat's.
---@return integer?
function M.buffer()
  local function plain(buf)
    return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and vim.b[buf].acp_kind == nil
  end
  local here = api.nvim_get_current_buf()
  if plain(here) then
    return here
  end
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  if before ~= 0 and plain(api.nvim_win_get_buf(before)) then
    return api.nvim_win_get_buf(before)
  end
  for _, info in ipairs(require("nvim-acp.files.recent").list()) do
    if info.loaded == 1 and plain(info.bufnr) and info.name ~= "" then
      return info.bufnr
    end
  end
end

local function fill_from(buf, out)
  local first, last = (out.first or 1) - 1, out.last or api.nvim_buf_line_count(buf)
  out.loaded = true
  if api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, first) > most then
    out.large = true
    return
  end
  out.text = table.concat(api.nvim_buf_get_lines(buf, first, last, false), "\n") .. "\n"
end

local function diagnostic_lines(list)
  local lines = {}
  for _, d in ipairs(list) do
    local name = vim.fn.fnamemodify(api.nvim_buf_get_name(d.bufnr), ":.")
    name = name ~= "" and name or "[No Name]"
    local severity = vim.diagnostic.severity[d.severity]
    table.insert(lines, ("%s:%d:%d %s %s"):format(name, d.lnum + 1, d.col + 1, severity, d.message))
  end
  return lines
end

local function text_of(name, lines)
  return { name = name, text = table.concat(lines, "\n") .. "\n", kind = "" }
end

-- Returns the name of lines of a file, as a mention has it.
local function lines_name(name, first, last)
  return first == last and ("%s:%d"):format(name, first) or ("%s:%d-%d"):format(name, first, last)
end

-- Gives a context lines, also in its name.
local function number(out, first, last)
  local old = out.first and lines_name("", out.first, out.last) or ""
  local has = old ~= "" and vim.endswith(out.name, old)
  out.name = has and lines_name(out.name:sub(1, -#old - 1), first, last) or out.name
  out.first, out.last = first, last
end

-- Returns how many lines a file has, nil if that is not known at once.
local function count_of(path, buf)
  if buf then
    return api.nvim_buf_line_count(buf)
  end
  local stat = vim.uv.fs_stat(path)
  local text = stat and stat.size <= most and require("nvim-acp.ui.disk").read(path)
  return text and #vim.split(text:gsub("\n$", ""), "\n", { plain = true }) or nil
end

-- Gives a context the lines of a range, as far as there are any.
local function narrow(out, range, buf)
  out.problem = require("nvim-acp.files.lines").wrong(range)
  if out.problem then
    return
  end
  local count = not out.text and count_of(out.path, buf) or nil
  if count and range[1] > count then
    out.problem = "there are no such lines"
    return
  end
  number(out, range[1], range[2])
  number(out, require("nvim-acp.files.lines").within(range, count))
end

--- Resolves a context to the form that the host takes.
---@param c acp.Context
---@return table
function M.resolve(c)
  local path = c.file and vim.fn.fnamemodify(c.file, ":p") or nil
  if c.diagnostics then
    local buf = M.buffer()
    if path then
      buf = require("nvim-acp.files.buffer").find(path)
    end
    local lines = diagnostic_lines(buf and vim.diagnostic.get(buf) or {})
    return text_of(("diagnostics(%d)"):format(#lines), #lines > 0 and lines or { "no diagnostics" })
  elseif c.image then
    path = vim.fn.fnamemodify(c.image, ":p")
    return { path = path, name = c.name or vim.fn.fnamemodify(path, ":."), kind = "image" }
  end
  if c.record then
    return { name = c.name or "session", record = c.record, kind = "" }
  end
  local relative = path and vim.fn.fnamemodify(path, ":.") -- nothing of the folder that it is relative to
  local name = c.name or (relative == "" and "./" or relative) or "text"
  local out = { path = path, name = name, text = c.text, kind = "", loaded = path ~= nil and c.text ~= nil }
  if not path then
    return out
  end
  local buf = require("nvim-acp.files.buffer").find(path)
  if c.range then
    if not c.name and not require("nvim-acp.files.lines").wrong(c.range) then
      out.name = lines_name(name, c.range[1], c.range[2])
    end
    narrow(out, c.range, buf)
  end
  local kind = media[path:match("%.(%w+)$") and path:match("%.(%w+)$"):lower() or ""]
  if vim.fn.isdirectory(path) == 1 then
    out.kind = "folder"
  elseif kind and not c.range then
    out.kind = kind
  elseif not out.text and not out.problem and buf then
    fill_from(buf, out)
  end
  return out
end

--- Gives resolved lines of a buffer the numbers, and the text, that they have by now.
---@param c table
---@param buf integer
---@param range { [1]: integer, [2]: integer }
function M.renumber(c, buf, range)
  number(c, range[1], range[2])
  c.text, c.large = nil, nil
  fill_from(buf, c)
end

--- Returns lines of a buffer as a context: of its file if it has one.
---@param buf integer
---@param s acp.Session
---@param first integer
---@param last integer
---@return table
function M.lines_of(buf, s, first, last)
  local path = api.nvim_buf_get_name(buf)
  if path ~= "" then
    local name = require("nvim-acp.prompt.path").name(s, path)
    return M.resolve({ file = path, range = { first, last }, name = lines_name(name, first, last) })
  end
  return text_of("selection", api.nvim_buf_get_lines(buf, first - 1, last, false))
end

local function selection(s)
  local buf = M.buffer()
  local first = buf and api.nvim_buf_get_mark(buf, "<")[1] or 0
  local last = buf and api.nvim_buf_get_mark(buf, ">")[1] or 0
  return first > 0 and last >= first and { M.lines_of(buf, s, first, last) } or {}
end

local function whole(buf, s)
  local path = buf and api.nvim_buf_get_name(buf) or ""
  return path ~= "" and M.resolve({ file = path, name = require("nvim-acp.prompt.path").name(s, path) }) or nil
end

local function quickfix()
  local lines = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    if item.valid == 1 and item.bufnr > 0 and #lines < 500 then
      local name = vim.fn.fnamemodify(api.nvim_buf_get_name(item.bufnr), ":.")
      table.insert(lines, ("%s:%d:%d: %s"):format(name, item.lnum, item.col, item.text))
    end
  end
  return #lines > 0 and { text_of(("quickfix(%d)"):format(#lines), lines) } or {}
end

local function diagnostics(_, range)
  local buf = M.buffer()
  local list = buf and vim.diagnostic.get(buf) or {}
  if range then
    list = vim.tbl_filter(function(d)
      return d.lnum + 1 <= range[2] and (d.end_lnum or d.lnum) + 1 >= range[1]
    end, list)
  elseif #list == 0 then
    list = vim.diagnostic.get()
  end
  local lines = diagnostic_lines(vim.list_slice(list, 1, 500))
  return #lines > 0 and { text_of(("diagnostics(%d)"):format(#lines), lines) } or {}
end

local function clipboard()
  local register = vim.fn.has("clipboard") == 1 and "+" or '"'
  return { { name = "clipboard", kind = "clipboard", text = vim.fn.getreg(register) } }
end

local function messages()
  local all = vim.split(api.nvim_exec2("messages", { output = true }).output, "\n", { trimempty = true })
  return #all > 0 and { text_of("messages", vim.list_slice(all, math.max(#all - 199, 1))) } or {}
end

-- Kinds of nodes that are functions, in the languages of tree-sitter parsers.
local function is_function(kind)
  return (kind:match("function") or kind:match("method") or kind == "func_literal" or kind:match("^constructor"))
    and not kind:match("call")
    and not kind:match("type")
    and not kind:match("name")
end

--- Returns the lines of the function around the cursor, by tree-sitter.
---@return { [1]: integer, [2]: integer }? range, string? problem
function M.function_range()
  local ok, node = pcall(function()
    vim.treesitter.get_parser(0):parse()
    return vim.treesitter.get_node()
  end)
  if not ok then
    return nil, "there is no tree-sitter parser for this buffer"
  end
  while node and not is_function(node:type()) do
    node = node:parent()
  end
  if not node then
    return nil, "there is no function at the cursor"
  end
  local first, _, last, col = node:range()
  return { first + 1, col == 0 and last or last + 1 }
end

---@type table<string, string> names that can be mentioned, with descriptions
M.names = {
  selection = "the last selection",
  buffer = "the file beside the chat",
  buffers = "all open files",
  diagnostics = "of the buffer, else all",
  quickfix = "the quickfix list",
  diff = "since the last commit",
  messages = "end of :messages",
  clipboard = "text or an image",
}

--- Resolves a name; returns an empty list if there is nothing of the kind.
---@param name string
---@param s acp.Session
---@param range { [1]: integer, [2]: integer }? lines for diagnostics
---@return table[]
function M.named(name, s, range)
  if name == "selection" then
    return selection(s)
  elseif name == "buffer" then
    return { whole(M.buffer(), s) }
  elseif name == "buffers" then
    local all = {}
    for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1, bufloaded = 1 })) do
      if vim.bo[info.bufnr].buftype == "" and #all < 20 then
        table.insert(all, whole(info.bufnr, s))
      end
    end
    return all
  elseif name == "diff" then
    return { { name = "diff", kind = "diff" } }
  end
  local of = { diagnostics = diagnostics, quickfix = quickfix, messages = messages, clipboard = clipboard }
  return of[name](s, range)
end

--- Returns why a context cannot be sent to a session's agent, as far as that is known.
---@param s acp.Session
---@param c table
---@return string?
function M.refused(s, c)
  if c.problem then
    return c.problem
  end
  local can = s.can or {}
  local what = c.kind == "image" and "images" or c.kind == "audio" and "sound"
  if what and can.ready and not can[c.kind] then
    return ("%s takes no %s"):format(s.agent_title, what)
  elseif what and vim.fn.filereadable(c.path) == 0 then
    return "there is no such file"
  end
end

return M
