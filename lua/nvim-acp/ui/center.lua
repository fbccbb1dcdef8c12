--- Floats in the middle of the screen.
local M = {}

---@return integer
function M.width()
  return math.max(math.floor(vim.o.columns * 0.8), 20)
end

-- Returns the columns for the text of a float that is padded.
local function room()
  return M.width() - require("nvim-acp.ui.window").padding
end

--- Opens a float for a buffer: as high as its rows, or a part of the screen.
---@param buf integer
---@param opts { enter: boolean, rows: integer?, title: string, footer: string }
---@return integer win
function M.open(buf, opts)
  local width = M.width()
  local height = math.min(opts.rows or math.floor(vim.o.lines * 0.6), math.floor(vim.o.lines * 0.8))
  height = math.max(height, opts.rows and 1 or 3)
  local frame = vim.o.lines - vim.o.cmdheight > 2 -- without a row in it Neovim 0.12 loops where that shows a terminal
  local win = vim.api.nvim_open_win(buf, opts.enter, {
    relative = "editor",
    width = width,
    height = height,
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = frame and require("nvim-acp.ui.style").border() or "none",
    title = frame and opts.title or nil,
    footer = frame and opts.footer or nil,
  })
  require("nvim-acp.ui.window").set(win, require("nvim-acp.ui.window").plain)
  require("nvim-acp.ui.window").float(win)
  return win
end

-- Returns a title that has room: Neovim would cut its beginning.
local function heading(title, more)
  more = more or ""
  return (" %s%s "):format(require("nvim-acp.ui.text").line(title, math.max(M.width() - 2 - #more, 1)), more)
end

---@type table<integer, integer> the window beside a float, by the float's
local companions = {}

--- Shows lines, wrapped (with hang only at spaces), and asks for a key; <Esc> means the last one. An answer with
--- `whole` needs the end of the lines to have been on the screen; with `stays` the float stays. One that is left is
--- closed, and nothing is answered.
---@param lines string[]
---@param title string
---@param answers { [1]: string, [2]: string, [3]: fun()?, whole: boolean?, stays: boolean? }[] key, label, action
---@param hang integer? cells by which a line's continuations are indented
function M.ask(lines, title, answers, hang)
  local origin = require("nvim-acp.ui.origin")
  local from, buf = origin.here(), vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  require("nvim-acp.ui.fixed").fix(buf)
  require("nvim-acp.ui.bufname").float(buf, title)
  local rows, hints = 0, {}
  for _, line in ipairs(lines) do
    rows = rows + math.max(math.ceil(vim.api.nvim_strwidth(line) / room()), 1)
  end
  for _, answer in ipairs(answers) do
    table.insert(hints, answer[1] .. " " .. answer[2])
  end
  local footer = require("nvim-acp.ui.menu").fitting(hints, M.width(), " ")
  local win = M.open(buf, { enter = true, rows = rows, title = heading(title), footer = footer })
  origin.note(win, from)
  require("nvim-acp.ui.window").pad(win)
  vim.wo[win].wrap, vim.wo[win].linebreak = true, false
  if hang then
    require("nvim-acp.ui.wrap").at_spaces(buf, room(), hang)
    vim.wo[win].breakindent, vim.wo[win].breakindentopt = true, ("shift:%d,min:10"):format(hang)
    rows = vim.api.nvim_win_text_height(win, {}).all
    vim.api.nvim_win_set_height(win, math.max(1, math.min(rows, math.floor(vim.o.lines * 0.8))))
  end
  local seen = false
  local function look()
    local last = math.max(#lines[#lines], 1)
    seen = seen or vim.api.nvim_win_is_valid(win) and vim.fn.screenpos(win, #lines, last).row > 0 -- its last cell
  end
  vim.api.nvim_create_autocmd({ "CursorMoved", "WinScrolled" }, { buffer = buf, callback = look })
  vim.schedule(look)
  if rows > vim.api.nvim_win_get_height(win) and vim.api.nvim_win_get_config(win).title then
    vim.api.nvim_win_set_config(win, { title = heading(title, " (G: there is more below)") })
  end
  local function key(lhs, answer)
    vim.keymap.set("n", lhs, function()
      vim.cmd.redraw() -- keys may be typed faster than the screen is drawn
      look()
      if answer.whole and not seen then
        return require("nvim-acp.ui.message").warn("read it to the end first")
      end
      if not answer.stays then
        origin.close(win)
      end
      if answer[3] then
        answer[3]()
      end
    end, { buffer = buf, nowait = true, desc = answer[2] })
  end
  for _, answer in ipairs(answers) do
    key(answer[1], answer)
  end
  key("<Esc>", answers[#answers])
  require("nvim-acp.ui.keys").map(buf)
  origin.when_left(win, function(here)
    if here ~= companions[win] then
      origin.close(win)
    end
  end)
end

--- Shows text beside the float that the cursor is in: at the right of it where there is room, else below it. `q` comes
--- back.
---@param name string
---@param lines string[]
---@param filetype string whose colours it has
function M.beside(name, lines, filetype)
  local foreign, origin = require("nvim-acp.ui.foreign"), require("nvim-acp.ui.origin")
  local buf, back = foreign.buffer(name, nil, lines, "nofile"), origin.here()
  local from = back.win
  vim.bo[buf].bufhidden = "wipe"
  local config = vim.api.nvim_win_get_config(from)
  local most, wide = vim.o.lines - vim.o.cmdheight - 2, vim.o.columns - 2
  local place, left = { row = 0, col = 0, width = wide, height = math.max(most - 1, 1) }, wide
  if wide >= 116 then
    left = math.floor(wide * 0.4) - 2
    place.col, place.width = left + 2, wide - left - 2
  else
    place.row = config.height + 2
    place.height = math.max(most - place.row - 1, 3)
  end
  vim.api.nvim_win_set_config(from, { relative = "editor", row = 0, col = 0, width = left })
  local win = vim.api.nvim_open_win(
    buf,
    true,
    vim.tbl_extend("error", place, {
      relative = "editor",
      border = require("nvim-acp.ui.style").border(),
      footer = " q back ",
      zindex = 60,
    })
  )
  origin.note(win, back)
  companions[from] = win
  local window = require("nvim-acp.ui.window")
  window.set(win, window.plain)
  window.pad(win)
  window.set(win, { wrap = true, linebreak = true, breakindent = true, breakindentopt = "shift:1" }) -- behind the sign
  foreign.colour(buf, filetype)
  local function close()
    origin.close(win)
  end
  for _, key in ipairs({ "q", "<Esc>", "d" }) do
    vim.keymap.set("n", key, close, { buffer = buf, nowait = true, desc = "back" })
  end
  origin.when_left(win, close)
  vim.api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = vim.schedule_wrap(function()
      companions[from] = nil
      if not vim.api.nvim_win_is_valid(from) then
        return
      elseif origin.current() ~= from then -- left for another window
        return origin.close(from)
      end
      local before = { relative = "editor", row = config.row, col = config.col, width = config.width }
      vim.api.nvim_win_set_config(from, before)
    end),
  })
end

--- Shows a line in a float that takes all keys until <Esc>: the user may be typing into a window that is gone, also
--- keys that would lead elsewhere in Normal mode.
---@param text string
function M.hold(text)
  M.ask({ text }, "nvim-acp", { { "<Esc>", "close" } })
  local keys = { "<CR>", "<Tab>", "<BS>", "<Del>", "<Space>", "<lt>", "<Bar>", "<C-\\>", "<C-]>", "<C-^>", "<C-_>" }
  for code = ("a"):byte(), ("z"):byte() do
    local key = ("<C-%s>"):format(string.char(code))
    table.insert(keys, key)
  end
  for code = ("!"):byte(), ("~"):byte() do
    local key = string.char(code)
    if key ~= "<" and key ~= "|" then
      table.insert(keys, key)
    end
  end
  for _, key in ipairs(keys) do
    vim.keymap.set("n", key, "<Nop>", { buffer = true, nowait = true, desc = "nothing" })
  end
end

return M
