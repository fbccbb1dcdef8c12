--- Prompts that came back. Each has an id, by which a prompt buffer gets it once, whoever gives it back: the host,
--- which cannot know whether a Neovim that hangs had it, another Neovim, or this one when the host has ended.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.prompt.returned")

local most = 200 -- ids that are kept for a session

---@type table<string, string[]> by session, the ids of those that its prompt has had, the latest last
local had = {}
---@type table<string, table<integer, { prompt: acp.Unsent, text: string }>> by session and extmark
local placed = {}

--- Returns the ids of the prompts that a session's buffer has had.
---@param s acp.Session
---@return string[]
function M.ids(s)
  return had[s.id] or {}
end

--- Notes that a session's buffer has some prompts.
---@param s acp.Session
---@param ids string[]
function M.know(s, ids)
  local all = vim.list_extend(had[s.id] or {}, ids)
  had[s.id] = vim.list_slice(all, math.max(1, #all - most + 1))
end

--- Returns those prompts that a session's buffer has not had, and notes that it has them from now on.
---@param s acp.Session
---@param prompts acp.Unsent[]
---@return acp.Unsent[]
function M.fresh(s, prompts)
  return vim.tbl_filter(function(p)
    local id = p.id or ""
    if id == "" then
      return true
    elseif vim.tbl_contains(M.ids(s), id) then
      return false
    end
    M.know(s, { id })
    return true
  end, prompts)
end

-- Reports whether two contexts are the same, whatever they are called.
local function same(a, b)
  local function bare(c)
    return vim.tbl_extend("force", c, { as = "", word = "", mentioned = false })
  end
  return vim.deep_equal(bare(a), bare(b))
end

--- Returns the text of a prompt with its context: parts that it does not name are named below it, and lines keep the
--- text of the moment they were added. A name that stands for something else in the prompt here is another one.
---@param s { id: string, cwd: string }
---@param text string
---@param context table[]?
---@return string
function M.written(s, text, context)
  local mention, names = require("nvim-acp.prompt.mention"), {}
  for _, c in ipairs(context or {}) do
    if c.as then
      local here, name = mention.attached(s)[c.as], c.as
      if here and not same(here, c) then
        name = require("nvim-acp.prompt.collect").free_name(s, c.as)
        text = mention.renamed(text, c.as, name)
      end
      mention.attach(s, name, c)
    elseif not c.mentioned then
      table.insert(names, require("nvim-acp.prompt.collect").word(s, c))
    end
  end
  return text .. (#names > 0 and "\n" .. table.concat(names, " ") or "")
end

--- Puts prompts above the text of a buffer, a blank line between them.
---@param s acp.Session
---@param buf integer
---@param prompts acp.Unsent[]
---@param texts string[] of each, as it is written
---@param empty boolean the buffer has no text
function M.put(s, buf, prompts, texts, empty)
  api.nvim_buf_set_lines(buf, 0, empty and -1 or 0, false, vim.split(table.concat(texts, "\n\n"), "\n"))
  placed[s.id] = not empty and placed[s.id] or {}
  local row = 0
  for i, text in ipairs(texts) do
    local lines = vim.split(text, "\n")
    local last = row + #lines - 1
    if (prompts[i].id or "") ~= "" then
      local mark = api.nvim_buf_set_extmark(buf, ns, row, 0, { end_row = last, end_col = #lines[#lines] })
      placed[s.id][mark] = { prompt = prompts[i], text = text }
    end
    row = last + 2
  end
end

-- Returns the rows of an extmark if they have a text and nothing else.
local function rows(buf, mark, text)
  local at = api.nvim_buf_get_extmark_by_id(buf, ns, mark, { details = true })
  local first, last = at[1], at[3] and at[3].end_row
  if not last or at[2] ~= 0 then
    return nil
  end
  local lines = api.nvim_buf_get_lines(buf, first, last + 1, false)
  return table.concat(lines, "\n") == text and first or nil, last
end

-- Returns the prompts of a buffer that came back and are as they were, by their first and by their last rows, from 1.
local function unchanged(s, buf)
  local begins, ends = {}, {}
  for mark, one in pairs(placed[s.id] or {}) do
    local first, last = rows(buf, mark, one.text)
    if first and not begins[first + 1] then
      begins[first + 1], ends[first + 1] = one.prompt, last + 1
    end
  end
  return begins, ends
end

--- Returns what is in a buffer, in its order: the prompts that came back and are as they were, and the text between
--- them, which has no id.
---@param s acp.Session
---@param buf integer
---@return acp.Unsent[]
function M.split(s, buf)
  local lines, list, text = api.nvim_buf_get_lines(buf, 0, -1, false), {}, {}
  local begins, ends = unchanged(s, buf)
  local function add_text()
    local typed = table.concat(text, "\n"):gsub("^\n+", ""):gsub("\n+$", "")
    text = {}
    if vim.trim(typed) ~= "" then
      table.insert(list, { text = typed })
    end
  end

  local row = 1
  while row <= #lines do
    if begins[row] then
      add_text()
      table.insert(list, begins[row])
      row = ends[row]
    else
      table.insert(text, lines[row])
    end
    row = row + 1
  end
  add_text()
  return list
end

---@param s acp.Session
function M.forget(s)
  had[s.id], placed[s.id] = nil, nil
end

return M
