--- A float for a secret: it is never in a buffer, which has a dot for each character.
local M = {}

local api = vim.api

-- Splits text into characters, without those that no secret has.
local function characters(text)
  return vim.fn.split((text:gsub("[%c%s]", "")), "\\zs")
end

-- Makes the buffer nobody else's.
local function plain(buf)
  vim.bo[buf].bufhidden, vim.bo[buf].undolevels = "wipe", -1
  local b = vim.b[buf]
  b.copilot_enabled, b.codeium_enabled, b.completion, b.minicompletion_disable = false, false, false, true
end

--- Asks for a secret in a small float, unless what is typed is recorded. Nothing is blocked.
---@param title string
---@param done fun(secret: string) "" if the user gives none
function M.ask(title, done)
  if vim.fn.reg_recording() ~= "" then
    local text = "end the macro (q) first: it would have the key"
    return require("nvim-acp.ui.message").warn(text)
  end
  local origin = require("nvim-acp.ui.origin")
  local from = origin.here()
  local dot = require("nvim-acp.ui.style").icons().bullet
  local buf, secret = api.nvim_create_buf(false, true), {}
  plain(buf)
  require("nvim-acp.ui.bufname").float(buf, title)
  local width = math.max(30, math.min(70, vim.o.columns - 10))
  local win = api.nvim_open_win(buf, true, {
    relative = "editor",
    row = math.floor(vim.o.lines / 2) - 2,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = 1,
    border = require("nvim-acp.ui.style").border(),
    title = (" %s "):format(require("nvim-acp.ui.text").line(title, width - 4)),
    footer = " <CR> done  <Esc> back ",
    style = "minimal",
    zindex = 70,
  })
  require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").whole)
  require("nvim-acp.ui.window").pad(win)

  local function show()
    local line = dot:rep(#secret)
    if api.nvim_get_current_line() ~= line or api.nvim_buf_line_count(buf) > 1 then
      api.nvim_buf_set_lines(buf, 0, -1, false, { line })
    end
    api.nvim_win_set_cursor(win, { 1, #line })
  end

  -- Takes what has come into the buffer by other ways, and what was removed from it.
  local function look()
    local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "")
    local rest, dots = text:gsub(vim.pesc(dot), "")
    secret = vim.list_slice(secret, 1, dots)
    vim.list_extend(secret, characters(rest))
    show()
  end

  local paste = vim.paste
  local function own(lines, phase)
    if api.nvim_get_current_buf() ~= buf then
      return paste(lines, phase)
    end
    vim.list_extend(secret, characters(table.concat(lines, "")))
    show()
    return true
  end
  vim.paste = own

  api.nvim_create_autocmd("InsertCharPre", {
    buffer = buf,
    callback = function()
      local typed = characters(vim.v.char)
      vim.list_extend(secret, typed)
      vim.v.char = dot:rep(#typed)
    end,
  })
  api.nvim_create_autocmd({ "TextChangedI", "TextChangedP", "TextChanged" }, { buffer = buf, callback = look })
  api.nvim_create_autocmd("CursorMovedI", {
    buffer = buf,
    callback = function()
      api.nvim_win_set_cursor(win, { 1, #api.nvim_get_current_line() })
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = function()
      vim.paste = vim.paste == own and paste or vim.paste
      secret = {}
    end,
  })

  origin.note(win, from)
  local function close()
    vim.cmd.stopinsert()
    origin.close(win)
  end
  vim.keymap.set({ "n", "i" }, "<CR>", function()
    local text = table.concat(secret)
    close()
    vim.schedule(function() -- when insert mode is over
      done(text)
    end)
  end, { buffer = buf, nowait = true, desc = "done" })
  vim.keymap.set({ "n", "i" }, "<Esc>", close, { buffer = buf, nowait = true, desc = "back" })
  require("nvim-acp.ui.keys").map(buf)
  vim.cmd.startinsert({ bang = true })
end

return M
