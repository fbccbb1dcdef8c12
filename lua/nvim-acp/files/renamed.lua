--- Files that the user renames in Neovim: by another name of their buffers, or in a file explorer that says so.
local M = {}

local api = vim.api

---@type table<integer, string> by buffer, its path while it gets another name
local before = {}

---@type table<string, string> by path, the other name of which the host was told; itself, if that was a copy
local told = vim.empty_dict()

---@class acp.renamed.Mark on lines of a file
---@field path string? real
---@field buf integer? where it is shown

---@class acp.renamed.Marks
---@field list fun(): acp.renamed.Mark[]
---@field hide fun(mark: acp.renamed.Mark) removes one from its buffer, and notes where it was
---@field place fun(buf: integer) shows those of a buffer's path in it
---@field rename fun(mark: acp.renamed.Mark, to: string) gives one another path
---@field store fun()? called when some have another path

---@type acp.renamed.Marks[]
local followers = {}

--- Has marks follow their files to the names that buffers get. If there still is a file of the old name, the buffer is
--- a copy, and they stay with that file.
---@param marks acp.renamed.Marks
function M.follow(marks)
  table.insert(followers, marks)
end

--- Removes marks from a buffer, and notes where they were.
---@param marks acp.renamed.Marks
---@param buf integer
function M.unload(marks, buf)
  for _, mark in ipairs(marks.list()) do
    if mark.buf == buf then
      marks.hide(mark)
    end
  end
end

-- Gives the marks of a path another one.
local function move(marks, from, to)
  local any = false
  for _, mark in ipairs(marks.list()) do
    if mark.path == from then
      marks.hide(mark)
      marks.rename(mark, to)
      any = true
    end
  end
  local buf = any and require("nvim-acp.files.buffer").find(to)
  if buf then
    marks.place(buf)
  end
  if any and marks.store then
    marks.store()
  end
end

--- Returns by path the other names of which the host was told, or is about to be.
---@return table<string, string>
function M.names()
  return told
end

--- Has the marks of a file follow it, which was renamed.
---@param from string
---@param to string
function M.moved(from, to)
  told[from] = nil
  for _, marks in ipairs(followers) do
    require("nvim-acp.ui.try").call(move, marks, from, to)
  end
end

-- Has the marks of a buffer stay with their file, of which it is a copy now.
local function stay(marks, buf)
  M.unload(marks, buf)
  marks.place(buf)
end

local function tell(from, to)
  told[from] = to
  if require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("renamed", { from = from, to = to })
  end
end

-- Tells the host of a file or folder that an explorer has renamed, by paths.
local function explored(from, to)
  if type(from) == "string" and type(to) == "string" and from ~= "" and to ~= "" then
    local real = require("nvim-acp.files.path").real
    from, to = from:gsub("(.)/+$", "%1"), to:gsub("(.)/+$", "%1")
    tell(real(from), real(to))
  end
end

-- The explorers that say what they have done, with how to read that: oil.nvim and mini.files.
local explorers = {
  OilActionsPost = function(data)
    for _, action in ipairs(not data.err and data.actions or {}) do
      if action.type == "move" then
        explored(tostring(action.src_url):match("^oil://(.*)"), tostring(action.dest_url):match("^oil://(.*)"))
      end
    end
  end,
  MiniFilesActionRename = function(data)
    explored(data.from, data.to)
  end,
  MiniFilesActionMove = function(data)
    explored(data.from, data.to)
  end,
}

--- Follows the names of buffers.
function M.watch()
  local group = api.nvim_create_augroup("nvim-acp.renamed", { clear = true })
  api.nvim_create_autocmd("BufFilePre", {
    group = group,
    callback = function(args)
      before[args.buf] = require("nvim-acp.files.buffer").plain(args.buf)
    end,
  })
  api.nvim_create_autocmd("BufFilePost", {
    group = group,
    callback = function(args)
      local from, to = before[args.buf], require("nvim-acp.files.buffer").plain(args.buf)
      before[args.buf] = nil
      if not from or not to or from == to then
        return
      end
      if vim.uv.fs_stat(from) then
        for _, marks in ipairs(followers) do
          require("nvim-acp.ui.try").call(stay, marks, args.buf)
        end
      else
        M.moved(from, to)
      end
      tell(from, to)
    end,
  })
  api.nvim_create_autocmd("BufReadPost", {
    group = group,
    callback = function(args)
      local path = next(told) and require("nvim-acp.files.buffer").plain(args.buf)
      if path and (told[path] or path) ~= path then
        tell(path, path) -- the buffer of the other name is a copy
      end
    end,
  })
  for pattern, read in pairs(explorers) do
    api.nvim_create_autocmd("User", {
      group = group,
      pattern = pattern,
      callback = function(args)
        require("nvim-acp.ui.try").call(read, args.data or {})
      end,
    })
  end
end

return M
