--- The colours of code that is no longer in its buffer: from the parser that colours the buffer, or where Vim's syntax
--- does, from the host's lexers.
local M = {}

local api = vim.api

---@alias acp.Coloured { [1]: integer, [2]: integer, [3]: string } from and to byte, from 0, and group

local longest = 2048 -- bytes of a removed line that are shown

--- Returns the removed lines of a hunk as far as they are shown.
---@param hunk acp.Hunk
---@return string[]
function M.lines(hunk)
  return vim.tbl_map(function(text)
    return (text:sub(1, longest):gsub("[\194-\244][\128-\191]*$", #text > longest and "" or "%0"))
  end, hunk.removed)
end

local most = 16 * 1024 -- bytes of code that are parsed: a few milliseconds

---@type table<string, boolean> captures that are no colours
local others = { spell = true, nospell = true, conceal = true }

-- Adds what a node covers to the lines that it is on.
local function add(found, lines, group, from, col, to, stop)
  for row = from, to do
    local line = lines[row + 1]
    if line then
      found[row + 1] = found[row + 1] or {}
      local first, last = row == from and col or 0, row == to and stop or #line
      table.insert(found[row + 1], { first, math.min(last, #line), group })
    end
  end
end

local function parsed(active, lines)
  local text, found = table.concat(lines, "\n"), {}
  if #text > most then
    return found
  end
  pcall(function() -- a parser or a query may be missing, or broken
    local lang = active.tree:lang()
    local query = vim.treesitter.query.get(lang, "highlights")
    local tree = vim.treesitter.get_string_parser(text, lang):parse()[1]
    for id, node in query:iter_captures(tree:root(), text) do
      local name = query.captures[id]
      if not others[name] and name:sub(1, 1) ~= "_" then
        add(found, lines, require("nvim-acp.ui.contrast").dim(("@%s.%s"):format(name, lang)), node:range())
      end
    end
  end)
  return found
end

--- Returns what colours the code of a buffer: a parser, or Vim's syntax and then also the host, each with its language;
--- "" if nothing does.
---@param buf integer
---@return string
function M.source(buf)
  local active = vim.treesitter.highlighter.active[buf]
  if active then
    return "parser " .. active.tree:lang()
  end
  local syntax = vim.bo[buf].syntax
  return vim.g.syntax_on and syntax ~= "" and ("syntax %s %s"):format(syntax, vim.bo[buf].filetype) or ""
end

--- Returns the colours of the removed lines of a hunk as if they were in the buffer, dimmer than there, as far as they
--- are known: for each line, later ones over earlier ones. They stay with the hunk until something else colours the
--- buffer.
---@param buf integer
---@param hunk acp.Hunk
---@param lines string[] as they are shown
---@return table<integer, acp.Coloured[]>
function M.of(buf, hunk, lines)
  local source = M.source(buf)
  if hunk.source ~= source then
    hunk.colours, hunk.asked, hunk.source = nil, nil, source
  end
  local active = vim.treesitter.highlighter.active[buf]
  if active and not hunk.colours then
    hunk.colours = parsed(active, lines)
  end
  return hunk.colours or {}
end

--- Returns what the host's answer for a hunk is known by: it holds for these lines, and as long as the same colours the
--- buffer.
---@param buf integer
---@param hunk acp.Hunk
---@return string
function M.stamp(buf, hunk)
  return hunk.sum .. " " .. M.source(buf)
end

local near = 32 * 1024 -- bytes of a text from its first line: in these a comment or a string of many lines is known
local far = 32 * 1024 -- bytes of removed lines further down

-- Returns texts as they were, with the row, from 0, that each hunk without colours has in them: one up to the last hunk
-- near the first line, and the lines alone of each that is further down.
---@param hunks acp.Hunk[] in the order of the text
local function texts_of(buf, hunks)
  local whole, texts = { lines = {}, hunks = {} }, {}
  local at, size, rest, last = 0, 0, 0, 0
  for _, hunk in ipairs(hunks) do
    local lines = M.lines(hunk)
    local bytes = #table.concat(lines, "\n") + 1
    local row = math.min(math.max(hunk.row, at), api.nvim_buf_line_count(buf))
    local above = api.nvim_buf_get_offset(buf, row) - api.nvim_buf_get_offset(buf, at)
    local function place(from)
      return { key = hunk.session .. ":" .. hunk.id, sum = M.stamp(buf, hunk), row = from, count = #lines }
    end

    if size + above + bytes <= near then
      size = size + above + bytes
      vim.list_extend(whole.lines, api.nvim_buf_get_lines(buf, at, row, false))
      at = math.min(row + hunk.added, api.nvim_buf_line_count(buf))
      if not hunk.colours and #lines > 0 then
        table.insert(whole.hunks, place(#whole.lines))
        last = #whole.lines + #lines
      end
      vim.list_extend(whole.lines, lines)
    elseif not hunk.colours and #lines > 0 and rest + bytes <= far then
      rest = rest + bytes
      table.insert(texts, { lines = lines, hunks = { place(0) } })
    end
  end
  if last > 0 then
    whole.lines = vim.list_slice(whole.lines, 1, last)
    table.insert(texts, 1, whole)
  end
  return texts
end

--- Reports whether the host is asked for colours of a buffer: where Vim's syntax colours it.
---@param buf integer
---@return boolean
function M.asks(buf)
  return vim.startswith(M.source(buf), "syntax ") and require("nvim-acp.rpc").running()
end

--- Asks the host for the colours of removed lines that have none yet.
---@param buf integer
---@param hunks acp.Hunk[] in the order of the text
function M.ask(buf, hunks)
  local texts = texts_of(buf, hunks)
  if #texts > 0 then
    require("nvim-acp.rpc").notify("review_colours", {
      buf = buf,
      path = api.nvim_buf_get_name(buf),
      filetype = vim.bo[buf].filetype,
      texts = texts,
    })
  end
end

--- Returns the colours of each line. Names of functions have none: most of Vim's syntax files colour no calls, so the
--- lines that are gone would have more colours than those that came.
---@param marks any[] as ui/marks has them
---@return table<integer, acp.Coloured[]>
function M.read(marks)
  local found = {}
  for i = 1, #marks, 4 do
    local line, group = marks[i] + 1, marks[i + 3]
    found[line] = found[line] or {}
    if group ~= "@function" then
      table.insert(found[line], { marks[i + 1], marks[i + 2], require("nvim-acp.ui.contrast").dim(group) })
    end
  end
  return found
end

return M
