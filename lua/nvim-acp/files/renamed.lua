--- Files that the user renames in Neovim: by another name of their buffers, or in a file explorer that says so.
local M = {}

local api = vim.api

---@type table<integer, string> by buffer, its path while it gets another name
local before = {}

---@type fun(buf: integer, from: string, to: string, copy: boolean)[]
local listeners = {}

--- Calls a function whenever a buffer has got another name. It is a copy if there still is a file of the old one.
---@param fn fun(buf: integer, from: string, to: string, copy: boolean)
function M.on_name(fn)
  table.insert(listeners, fn)
end

-- Returns the real path of a buffer's file, nil if it is none. One that is not loaded has none: `:saveas` makes such a
-- buffer for the old name, and its own name before says nothing.
local function path_of(buf)
  local name = api.nvim_buf_get_name(buf)
  if name == "" or not api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= "" or name:match("^%a[%w+.-]+://") then
    return nil
  end
  return require("nvim-acp.files.path").real(name)
end

local function tell(from, to)
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
      before[args.buf] = path_of(args.buf)
    end,
  })
  api.nvim_create_autocmd("BufFilePost", {
    group = group,
    callback = function(args)
      local from, to = before[args.buf], path_of(args.buf)
      before[args.buf] = nil
      if not from or not to or from == to then
        return
      end
      for _, fn in ipairs(listeners) do
        require("nvim-acp.ui.try").call(fn, args.buf, from, to, vim.uv.fs_stat(from) ~= nil)
      end
      tell(from, to)
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
