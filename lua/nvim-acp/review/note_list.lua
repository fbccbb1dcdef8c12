--- The notes that a session is for: on files below its folders, and on buffers that are no files. The others wait for a
--- session there.
local M = {}

local message = require("nvim-acp.ui.message")

-- Returns the notes for the current session, or for the next one, and those on files elsewhere.
local function split()
  local s, real = require("nvim-acp.state").current(), require("nvim-acp.files.path").real
  local folders = { real(s and s.cwd or vim.fn.getcwd()) }
  for _, dir in ipairs(s and type(s.dirs) == "table" and s.dirs or {}) do
    table.insert(folders, real(dir))
  end
  local here, elsewhere = {}, {}
  for _, note in ipairs(require("nvim-acp.review.notes").list()) do
    local inside = not note.path or require("nvim-acp.files.path").inside(note.path, folders)
    table.insert(inside and here or elsewhere, note)
  end
  return here, elsewhere
end

-- Says how many notes are for other folders than the session's, and for which files.
local function report(notes)
  local paths = {}
  for _, note in ipairs(notes) do
    paths[note.path] = true
  end
  local names = vim.tbl_map(function(path)
    return vim.fn.fnamemodify(path, ":~")
  end, vim.tbl_keys(paths))
  table.sort(names)
  local count = #notes == 1 and "1 note is for another folder" or #notes .. " notes are for other folders"
  local near = vim.fn.fnamemodify(names[1], ":h:t") .. "/" .. vim.fs.basename(names[1])
  local short = ("%s: %s%s"):format(count, near, #names > 1 and ", …" or "")
  message.info(count .. ": " .. table.concat(names, ", "), { short, count })
end

-- Reports what there is instead of notes for the session.
local function none(elsewhere)
  if #elsewhere == 0 then
    return message.info("there are no notes; :AcpNote makes one")
  end
  report(elsewhere)
end

--- Puts the notes into a new quickfix list, and opens it: first those that are sent to the session.
function M.quickfix()
  local here, elsewhere = split()
  local items = {}
  local function add(note, text)
    local place_of = note.path and { filename = note.path } or { bufnr = note.buf }
    local item = { lnum = note.first, end_lnum = note.last, text = text }
    table.insert(items, vim.tbl_extend("error", place_of, item))
  end
  for _, note in ipairs(here) do
    add(note, note.text)
  end
  for _, note in ipairs(elsewhere) do
    add(note, "(not for this session) " .. note.text)
  end
  if #items == 0 then
    return none(elsewhere)
  end
  require("nvim-acp.ui.quickfix").set(" ", { title = "Notes for the agent", items = items })
  require("nvim-acp.ui.quickfix").open()
end

-- Returns notes as a part of a prompt.
local function words(notes, cwd)
  local out = {}
  for i, note in ipairs(notes) do
    local name = note.path or note.name
    if vim.startswith(name, cwd .. "/") then
      name = name:sub(#cwd + 2)
    end
    local lines = note.first == note.last and tostring(note.first) or ("%d-%d"):format(note.first, note.last)
    local code, fence = table.concat(note.lines, "\n"), "```"
    while code:find(fence, 1, true) do
      fence = fence .. "`"
    end
    if note.gone then
      lines = lines .. ", lines that are gone"
    end
    table.insert(out, ("%d. %s:%s\n%s\n%s\n%s\n%s"):format(i, name, lines, fence, code, fence, note.text))
  end
  return table.concat(out, "\n\n")
end

--- Sends the notes for the current session, or for a new one, as one prompt, and removes them.
---@param text string before them
---@param with fun(done: fun(s: acp.Session)) calls back with the session
function M.send(text, with)
  local some, others = split()
  if #some == 0 then
    return none(others)
  end
  with(function(s)
    local here, elsewhere = split() -- the user was asked for the agent meanwhile
    local before = text ~= "" and text or "Please go through my notes:"
    require("nvim-acp.prompt").send(s, before .. "\n\n" .. words(here, require("nvim-acp.files.path").real(s.cwd)))
    vim.tbl_map(require("nvim-acp.review.notes").remove, here)
    if #elsewhere > 0 then
      report(elsewhere)
    end
  end)
end

--- Removes the notes for the current session.
function M.clear()
  local here, elsewhere = split()
  vim.tbl_map(require("nvim-acp.review.notes").remove, here)
  if #elsewhere > 0 then
    report(elsewhere)
  end
end

return M
