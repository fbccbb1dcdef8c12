--- A small float in which the user types a line of text.
local M = {}

local api = vim.api

-- Maps the arrows to earlier texts, the newest first.
local function history(buf, list)
  local at, own = 0, {}
  local function step(by)
    return function()
      local to = at + by
      if to < 0 or to > #list then
        return
      end
      if at == 0 then
        own = api.nvim_buf_get_lines(buf, 0, -1, false)
      end
      at = to
      local lines = at == 0 and own or vim.split(list[at], "\n")
      api.nvim_buf_set_lines(buf, 0, -1, false, lines)
      api.nvim_win_set_cursor(0, { #lines, #lines[#lines] })
    end
  end
  vim.keymap.set({ "n", "i" }, "<Up>", step(1), { buffer = buf, desc = "an earlier text" })
  vim.keymap.set({ "n", "i" }, "<Down>", step(-1), { buffer = buf, desc = "a later text" })
end

local function footer(typing)
  return (" <CR> done  %s back "):format(typing and "<Esc><Esc>" or "<Esc>")
end

--- Asks for text in a small float at the cursor. All of Neovim's editing works in it, and nothing is blocked.
---@param title string
---@param value string?
---@param done fun(text: string)
---@param opts { earlier: string[]?, line: integer?, left: fun()? }? texts for the arrows, the newest first; a line of
--- the current window, below which the float is instead; called if it is left
---@return fun(title: string, line: integer) place gives it another title, and another line
function M.ask(title, value, done, opts)
  opts = opts or {}
  local origin = require("nvim-acp.ui.origin")
  local from = origin.here()
  local line = opts.line and vim.fn.screenpos(0, opts.line, 1).row > 0 and opts.line or nil
  local buf = api.nvim_create_buf(false, true)
  local width = math.max(30, math.min(60, vim.o.columns - 10))
  local function titled(text)
    return (" %s "):format(require("nvim-acp.ui.text").line(text, width - 2))
  end
  vim.bo[buf].bufhidden = "wipe"
  require("nvim-acp.ui.bufname").float(buf, title)
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(value or "", "\n"))
  local win = api.nvim_open_win(buf, true, {
    relative = line and "win" or "cursor",
    win = line and api.nvim_get_current_win() or nil,
    bufpos = line and { line - 1, 0 } or nil,
    row = 1,
    col = 0,
    width = width,
    height = math.max(1, math.min(6, api.nvim_buf_line_count(buf))),
    border = require("nvim-acp.ui.style").border(),
    title = titled(title),
    footer = footer(true),
    style = "minimal",
    zindex = 70,
  })
  origin.note(win, from)
  require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").whole)
  require("nvim-acp.ui.window").pad(win)
  local answered = false
  local function close()
    vim.cmd.stopinsert()
    origin.close(win)
  end
  vim.keymap.set({ "n", "i" }, "<CR>", function()
    local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
    answered = true
    close()
    vim.schedule(function() -- when insert mode is over
      done(text)
    end)
  end, { buffer = buf, desc = "done" })
  vim.keymap.set("n", "<Esc>", close, { buffer = buf, nowait = true, desc = "back" })
  require("nvim-acp.ui.keys").map(buf)
  api.nvim_create_autocmd("ModeChanged", {
    buffer = buf,
    callback = function()
      if api.nvim_win_is_valid(win) then
        api.nvim_win_set_config(win, { footer = footer(api.nvim_get_mode().mode:sub(1, 1) == "i") })
      end
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      if opts.left and not answered then
        opts.left()
      end
    end,
  })
  if opts.earlier then
    history(buf, opts.earlier)
  end
  vim.cmd.startinsert({ bang = true })
  return function(to, row)
    if api.nvim_win_is_valid(win) then
      local config = { title = titled(to) }
      if line and api.nvim_win_is_valid(from.win) then
        config = { title = config.title, relative = "win", win = from.win, bufpos = { row - 1, 0 }, row = 1, col = 0 }
      end
      api.nvim_win_set_config(win, config)
    end
  end
end

return M
