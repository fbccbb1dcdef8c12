--- How a text of ours that waits for an answer is written: `:w` by the user who is in its buffer answers, `:w NAME`
--- writes a copy. What writes all buffers, and what writes without a key of the user, does neither.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.write")

-- The commands that write the buffer they are given in, and those that leave Neovim once all are written.
local writes = { write = true, update = true, wq = true, xit = true, exit = true }
local leaves = { wqall = true, xall = true, qall = true, quitall = true }

---@type integer? the buffer of ours that the user is in
local inside
local keyed = false -- a key of the user is acted upon there
---@type table[] the commands of the command line that is executed
local typed = {}

local function leave()
  inside = nil
  vim.on_key(nil, ns)
end

local function enter(buf)
  inside = buf
  vim.on_key(function()
    keyed = true
  end, ns)
end

local watching = false

local function watch()
  if watching then
    return
  end
  watching = true
  api.nvim_create_autocmd("CmdlineLeave", {
    group = api.nvim_create_augroup("nvim-acp.write", {}),
    pattern = ":",
    callback = function()
      typed = require("nvim-acp.ui.ex").commands(vim.fn.getcmdline())
      vim.schedule(function()
        typed = {}
      end)
    end,
  })
end

-- Reports whether an autocommand of another event runs, whose command writes.
local function nested()
  local events = vim.tbl_filter(function(entry)
    local event = entry:match("^(%a+) ")
    return event ~= nil and vim.fn.exists("##" .. event) == 1
  end, vim.split(vim.fn.expand("<stack>"), "..", { plain = true }))
  return #events > 1
end

-- Reports whether the user writes the buffer, and not only all that there are: a command of the user's, or of a key,
-- may do either.
local function meant(buf)
  if inside ~= buf or not keyed or nested() then
    return false
  end
  return #typed == 0
    or vim.iter(typed):any(function(command)
      return writes[command.cmd] or command.cmd:find("^%u") ~= nil
    end)
end

-- Writes a copy. Neovim has asked before it replaces a file; after :saveas the buffer has the copy's name.
local function copy(buf, name, event, what)
  local message = require("nvim-acp.ui.message")
  local ok, err = pcall(vim.fn.writefile, api.nvim_buf_get_lines(buf, 0, -1, false), event.match)
  if ok then
    message.info(("a copy is in %s; :w without a name %s"):format(event.file, what))
  else
    message.warn((tostring(err):gsub("^Vim:", "")))
  end
  if api.nvim_buf_get_name(buf) ~= name then
    vim.schedule(function()
      if api.nvim_buf_is_valid(buf) then
        require("nvim-acp.ui.bufname").restore(buf, name)
      end
    end)
  end
end

--- Has `:w` in a named buffer with 'buftype' "acwrite" call a function.
---@param buf integer
---@param what string what that does with the text: "allows it"
---@param fn fun()
function M.on(buf, what, fn)
  local name, said = api.nvim_buf_get_name(buf), false
  watch()
  if api.nvim_get_current_buf() == buf then
    enter(buf)
  end
  api.nvim_create_autocmd("BufEnter", {
    buffer = buf,
    callback = function()
      said = false
      enter(buf)
    end,
  })
  api.nvim_create_autocmd("SafeState", {
    buffer = buf,
    callback = function()
      keyed = false
    end,
  })
  api.nvim_create_autocmd({ "BufLeave", "BufUnload" }, {
    buffer = buf,
    callback = function()
      if inside == buf then
        leave()
      end
    end,
  })
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function(event)
      local quits = vim.iter(typed):any(function(command)
        return leaves[command.cmd]
      end)
      if event.match ~= name then
        copy(buf, name, event, what)
      elseif meant(buf) then
        fn()
      elseif not said or quits then
        said = true
        require("nvim-acp.ui.message").info(("%s waits: only :w in it %s"):format(vim.fn.bufname(buf), what))
      end
    end,
  })
end

return M
