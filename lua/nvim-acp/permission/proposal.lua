--- An agent's text for a file, in a buffer where the user edits it before allowing it. `:w` allows the edited text.
local M = {}

local api = vim.api

---@class acp.Proposal
---@field session string
---@field id string of the permission
---@field version integer
---@field option string
---@field path string
---@field name string
---@field text string the agent's
---@field buf integer?
---@field sent boolean? the user has allowed it, and the host has not confirmed that yet
---@field over boolean? the request does not wait any more

---@type table<string, acp.Proposal> by permission
local open = {}

-- Says above a text what the user can do with it.
local function label(p)
  local bar = require("nvim-acp.ui.bar")
  local text = p.over and " the request no longer waits here; the text stays" or " :w allows this text, :q asks again"
  for _, win in ipairs(vim.fn.win_findbuf(p.buf)) do
    bar.set(win, "winbar", { { p.over and "AcpWarning" or "AcpKey", text }, bar.cut })
  end
end

local function show(p)
  require("nvim-acp.permission.pending").edited[p.id] = p.version
  local win = vim.fn.win_findbuf(p.buf)[1]
  if win then
    api.nvim_set_current_win(win)
  else
    require("nvim-acp.ui.window").tab(p.buf)
  end
  label(p)
end

--- Says above the texts whose requests do not wait any more that it is so.
function M.look()
  local waits = {}
  for _, item in ipairs(next(open) and require("nvim-acp.permission.pending").list() or {}) do
    waits[item.p.id] = true
  end
  for id, p in pairs(open) do
    local over = not waits[id]
    if not p.sent and over ~= (p.over or false) then
      p.over = over
      label(p)
    end
  end
end

local function drop(p)
  if open[p.id] == p then
    open[p.id] = nil
  end
  require("nvim-acp.ui.deferred").delete(p.buf)
end

-- Allows the text of the buffer, which stays, hidden, until the host confirms the answer.
local function allow(s, p)
  if open[p.id] ~= p then
    return require("nvim-acp.ui.message").warn("not sent: the request is for another file now")
  end
  local final = p.text:sub(-1) == "\n"
  local text = table.concat(api.nvim_buf_get_lines(p.buf, 0, -1, false), "\n") .. (final and "\n" or "")
  vim.bo[p.buf].modified = false
  p.sent = true
  require("nvim-acp.permission").allow_edited(s, p, text)
  vim.schedule(function()
    for _, win in ipairs(vim.fn.win_findbuf(p.buf)) do
      require("nvim-acp.ui.deferred").close(win)
    end
  end)
end

-- Handles that no window shows a text any more, or that its buffer is gone: a user who has closed it is asked again.
local function hidden(s, p, closed)
  local current, gone = open[p.id] == p, not api.nvim_buf_is_loaded(p.buf)
  if current then
    require("nvim-acp.permission.pending").edited[p.id] = nil
  end
  local left = not p.sent and #vim.fn.win_findbuf(p.buf) == 0
  if gone or left and not vim.bo[p.buf].modified then
    drop(p)
  elseif left and current then
    require("nvim-acp.ui.message").info("your text is kept: e shows it again")
  end
  require("nvim-acp.permission").update(s)
  if left and current and closed then
    require("nvim-acp.permission").back(s, p.id)
  end
end

---@param p acp.Proposal
function M.open(p)
  local s = require("nvim-acp.state").find(p.session)
  if not s then
    return
  end
  require("nvim-acp.permission.float").close()
  local old = open[p.id]
  local edited, same = old and vim.bo[old.buf].modified, old and old.path == p.path
  if edited and not same then
    require("nvim-acp.ui.message").warn("your text is in buffer " .. old.buf .. ": the request is for another file now")
  elseif edited or same and old.text == p.text then
    old.version = p.version
    show(old)
    if old.text ~= p.text then
      require("nvim-acp.ui.message").warn("this is your text; the request has changed")
    end
    return
  elseif old then
    drop(old)
  end
  open[p.id] = p
  local foreign = require("nvim-acp.ui.foreign")
  local text = p.text:sub(-1) == "\n" and p.text:sub(1, -2) or p.text
  p.buf = foreign.buffer("proposal", p.name, vim.split(text, "\n"), "acwrite")
  vim.bo[p.buf].bufhidden = "hide"
  require("nvim-acp.ui.keys").commands(p.buf, { { ":w", "allow this text" }, { ":q", "ask again" } })
  show(p)
  foreign.colour(p.buf, foreign.type_of(p.path))
  require("nvim-acp.ui.write").on(p.buf, "allows it", function()
    allow(s, p)
  end)
  local inside = false -- the last window of a tab page closes when the user is in another one already
  api.nvim_create_autocmd("BufLeave", {
    buffer = p.buf,
    callback = function()
      inside = true
      vim.schedule(function()
        inside = false
      end)
    end,
  })
  api.nvim_create_autocmd({ "BufHidden", "BufUnload" }, {
    buffer = p.buf,
    callback = function()
      local closed = inside
      vim.schedule(function()
        hidden(s, p, closed)
      end)
    end,
  })
end

-- Shows a text again whose answer does not count, so that the user's work is not lost, and the next request beside it.
local function back(p, why)
  p.sent = nil
  vim.bo[p.buf].modified = true
  require("nvim-acp.permission.float").close()
  show(p)
  local s = require("nvim-acp.state").find(p.session)
  if s then
    require("nvim-acp.permission").update(s)
  end
  require("nvim-acp.ui.message").warn(why)
end

--- Handles the host's result for an allowed text.
---@param id string of the permission
---@param version integer? of the changed request, which the text does not answer; 0: the request is over
function M.settled(id, version)
  local p = open[id]
  if not p or not p.sent then
    return
  elseif not version then
    return drop(p)
  elseif version == 0 then
    return back(p, "the request is over: your text was not written, it is here")
  end
  back(p, "the agent's request has changed: your text is kept; read the request, and e shows it again")
end

--- Handles the end of the host: no result of an allowed text will come.
function M.lost()
  for _, p in pairs(vim.tbl_extend("error", {}, open)) do
    M.settled(p.id, 0)
  end
end

return M
