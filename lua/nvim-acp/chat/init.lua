--- The chat's buffers and windows: a transcript and a prompt, in one of six layouts.
local M = {}

local state = require("nvim-acp.state")

local function buffers()
  return require("nvim-acp.state.buffers")
end

local function plain(win)
  local window = require("nvim-acp.ui.window")
  window.set(win, window.plain)
  window.set(win, { wrap = true, linebreak = true, winfixbuf = false })
  vim.w[win].acp_shows = vim.api.nvim_win_get_buf(win) -- for chat/stray_buffers.lua
  require("nvim-acp.chat.stray_buffers").explore(vim.w[win].acp_shows)
end

local function layout()
  return require("nvim-acp.files.window").layout()
end

--- Reports whether a window of a chat has a width of its own: that of a side layout.
---@param win integer
---@return boolean
function M.beside(win)
  local how = require("nvim-acp.config").options.chat.layout
  local side = (how == "right" or how == "left") and not vim.w[win].acp_below
  return side and vim.api.nvim_win_get_config(win).relative == ""
end

local function dress_transcript(win)
  local window = require("nvim-acp.ui.window")
  plain(win)
  window.set(win, {
    conceallevel = 2, -- markup of text that grows is hidden, see ui/marks.lua
    concealcursor = "nvic",
    signcolumn = "yes:1",
    fillchars = "eob: ,lastline:" .. require("nvim-acp.ui.style").icons().cut,
    scrolloff = 0,
    winfixwidth = M.beside(win),
  })
  window.by_rows(win)
  window.set(win, require("nvim-acp.ui.hang").window)
  window.rule(win)
  require("nvim-acp.ui.align").fit(vim.api.nvim_win_get_buf(win))
  require("nvim-acp.ui.indent").fit(vim.api.nvim_win_get_buf(win))
  require("nvim-acp.ui.names").fit(vim.api.nvim_win_get_buf(win))
end

local function dress_prompt(win)
  local window = require("nvim-acp.ui.window")
  plain(win)
  window.set(win, {
    signcolumn = "yes:1",
    winfixheight = true,
    winfixwidth = M.beside(win),
    fillchars = "eob: ",
    spell = vim.go.spell, -- it is text of the user's own
  })
  window.float(win)
  window.rule(win)
end

--- Returns the width of a chat at the side.
---@return integer
function M.side_width()
  local chat = require("nvim-acp.config").options.chat
  return chat.width or math.max(20, math.min(100, math.floor(vim.o.columns * 0.45)))
end

local least = 20 -- columns that a window of the user's needs

-- Gives a chat at the side its width. Neovim takes that from the nearest window, or from all: where others are too
-- narrow then and there is room for all, they share it.
local function settle(win, tab)
  if not M.beside(win) then
    return
  end
  vim.api.nvim_win_set_width(win, M.side_width())
  local columns, narrow = {}, false
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    if vim.api.nvim_win_get_config(other).relative == "" and not vim.wo[other].winfixwidth then
      columns[vim.api.nvim_win_get_position(other)[2]] = true
      narrow = narrow or vim.api.nvim_win_get_width(other) < least
    end
  end
  if narrow and vim.o.columns - M.side_width() >= vim.tbl_count(columns) * (least + 1) then
    vim.cmd("horizontal wincmd =")
  end
end

-- Opens a window with the first of several configurations for which there is room; nil if there is none.
local function open_first(buf, configs)
  for _, config in ipairs(configs) do
    local win = require("nvim-acp.ui.ex").quietly(function()
      return vim.api.nvim_open_win(buf, false, config)
    end)
    if win then
      return win
    end
  end
end

-- Opens a window for a transcript; without enter, nil where that would be the user's own, or lead them to another tab.
local function open_transcript(buf, enter)
  local chat, how = require("nvim-acp.config").options.chat, layout()
  local win
  if how == "right" or how == "left" then
    win = open_first(buf, { { split = how, win = -1, width = M.side_width() } })
  elseif how == "bottom" then
    local height = chat.height or math.floor(vim.o.lines * (chat.layout == "bottom" and 0.4 or 0.6))
    win = open_first(buf, { { split = "below", win = -1, height = height } })
    if win then
      vim.w[win].acp_below = true
    end
  elseif how == "float" then
    win = open_first(buf, { require("nvim-acp.prompt.size").float() })
  end
  if win or not enter and how ~= "tab" then
    return win
  elseif how ~= "current" then -- also where there is no room for a split
    local from = vim.api.nvim_get_current_win()
    local tab = require("nvim-acp.ui.ex").quietly(function()
      return vim.cmd("tab split") or true
    end)
    if tab then
      require("nvim-acp.chat.window_pair").came(from)
    elseif not enter then
      return nil
    end
  end
  return require("nvim-acp.ui.window").here(buf, function()
    return open_first(buf, { { split = "right", win = 0 }, { split = "below", win = 0 } })
  end)
end

local function open_prompt(buf, above)
  local config = vim.api.nvim_win_get_config(above)
  if config.relative == "" then
    local below = { split = "below", win = above }
    return open_first(buf, {
      vim.tbl_extend("error", below, { height = 3 }),
      vim.tbl_extend("error", below, { height = 1 }),
      { split = "below", win = -1, height = 3 },
    })
  end
  return open_first(buf, { require("nvim-acp.prompt.size").stack(above, 3) })
end

-- Shows a chat in the windows of another chat of the tab, rather than beside it.
local function take_over(transcript, prompt, tab)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    local kind = vim.b[vim.api.nvim_win_get_buf(win)].acp_kind
    local buf = kind == "transcript" and transcript or kind == "prompt" and prompt
    if buf then
      vim.api.nvim_win_set_buf(win, buf)
      if kind == "transcript" then
        dress_transcript(win)
        vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
      else
        dress_prompt(win)
      end
    end
  end
end

--- Closes the windows and empty buffers of chats that :mksession has restored.
function M.sweep()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if buffers().restored(buf) then
      vim.tbl_map(require("nvim-acp.ui.deferred").close, vim.fn.win_findbuf(buf))
      require("nvim-acp.ui.deferred").delete(buf)
    end
  end
end

-- Shows a session in the current tab, or where it is. Returns the window to type in; without enter the user's window
-- and tab are left alone, and it is nil if there is no room beside them.
local function show(s, enter)
  local transcript, prompt = buffers().transcript(s), buffers().prompt(s)
  local tab = vim.api.nvim_get_current_tabpage()
  local win = buffers().windows(s, "transcript", tab)[1]
  if not win and layout() == "tab" then
    win = buffers().windows(s, "transcript")[1]
    tab = win and vim.api.nvim_win_get_tabpage(win) or tab
    if enter then
      vim.api.nvim_set_current_tabpage(tab)
    end
  end
  if not win then
    take_over(transcript, prompt, tab)
    win = buffers().windows(s, "transcript", tab)[1]
  end
  if not win then
    local alone = buffers().windows(s, "prompt", tab)[1]
    if alone and vim.api.nvim_win_get_config(alone).relative == "" then
      vim.wo[alone].winfixheight = false
      win = open_first(transcript, { { split = "above", win = alone } })
      vim.wo[alone].winfixheight = true
    end
    win = win or open_transcript(transcript, enter)
    if not win then
      local text = "no room to show the chat beside this window: :AcpChat goes there"
      require("nvim-acp.ui.message").info(text, { "no room beside: :AcpChat" })
      return nil
    end
    tab = vim.api.nvim_win_get_tabpage(win)
    dress_transcript(win)
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(transcript), 0 })
  end
  local below = buffers().windows(s, "prompt", tab)[1]
  if not below then
    below = open_prompt(prompt, win)
    if below then
      vim.w[below].acp_below = vim.w[win].acp_below
      dress_prompt(below)
      settle(win, tab)
    else
      require("nvim-acp.ui.message").warn("no room for the prompt's window: :AcpChat opens it when there is")
    end
  end
  return below or win
end

local function open(s, focus)
  require("nvim-acp.ui.style").define()
  local transcript, new = require("nvim-acp.chat.buffer").ensure(s)
  local prompt = require("nvim-acp.prompt").ensure(s)
  if new and (s.placed or require("nvim-acp.chat.blocks").lost(s, transcript)) then
    state.notify(s, "redraw")
  end
  local here = vim.api.nvim_get_current_win()
  local win = show(s, focus)
  if not focus and vim.api.nvim_get_current_win() ~= here then -- a tab of its own
    vim.api.nvim_set_current_win(here)
  end
  require("nvim-acp.prompt").fit(s)
  state.use(s)
  M.refresh(s)
  if focus then
    vim.api.nvim_set_current_win(win)
    local buf = vim.api.nvim_win_get_buf(win)
    require("nvim-acp.prompt.typing").begin(buf == prompt and buf or nil)
    -- Before it waits for a key Neovim decides, by the mappings of the current buffer, whether <C-c> interrupts. A call
    -- over RPC comes while it waits already: a key that does nothing makes it decide again.
    vim.api.nvim_input("<Ignore>")
  end
end

--- Shows a session in the current tab, or goes to it. Without focus the user stays in their window and tab.
---@param s acp.Session
---@param focus boolean
function M.open(s, focus)
  if vim.v.vim_did_enter == 0 then -- at the end of its start Neovim would split a window with 'winfixbuf'
    vim.api.nvim_create_autocmd("VimEnter", {
      once = true,
      callback = function()
        M.open(s, focus)
      end,
    })
    return
  end
  require("nvim-acp.ui.deferred").outside(function()
    if state.sessions[s.id] == s then
      open(s, focus)
    end
  end)
end

--- Closes the chat's windows in the current tab. The session stays.
---@param s acp.Session
function M.hide(s)
  require("nvim-acp.chat.window_pair").close(s, vim.api.nvim_get_current_tabpage())
end

--- Reports whether a window of the chat is in the current tab.
---@param s acp.Session
---@return boolean
function M.visible(s)
  local tab = vim.api.nvim_get_current_tabpage()
  return #buffers().windows(s, "transcript", tab) + #buffers().windows(s, "prompt", tab) > 0
end

-- Tells the host how wide the rows of the transcript are: tables are laid out for that, with a cell before the edge.
local function tell_width(s)
  local buf = buffers().transcript(s)
  local width = buf and require("nvim-acp.ui.align").width(buf)
  width = width and math.max(width - 1, 1)
  if width and width ~= s.width then
    s.width = width
    if require("nvim-acp.rpc").running() then
      state.notify(s, "width", { width = width })
    end
  end
end

--- Draws everything around the transcript: winbars, the queue, the agent's location.
---@param s acp.Session
function M.refresh(s)
  local prompt = buffers().prompt(s)
  if prompt then
    local typing = require("nvim-acp.prompt.typing")
    local loading = s.state == "loading" -- which may still fail
    require("nvim-acp.ui.fixed").hold(prompt, loading)
    if loading then
      typing.hold(prompt)
    else
      typing.resume(prompt)
    end
  end
  local try = require("nvim-acp.ui.try").call
  try(buffers().name, s)
  try(tell_width, s)
  try(require("nvim-acp.chat.welcome").draw, s)
  require("nvim-acp.chat.winbar").draw(s)
  try(require("nvim-acp.prompt").draw, s)
  if s.following then
    try(require("nvim-acp.chat.follow").update, s)
  end
end

--- Removes a session with its windows and buffers.
---@param s acp.Session
---@param keep boolean? its draft stays on the disk
function M.drop(s, keep)
  require("nvim-acp.permission").forget(s)
  M.hide(s)
  local transcript = buffers().transcript(s)
  if transcript then
    require("nvim-acp.ui.align").forget(transcript)
    require("nvim-acp.ui.indent").forget(transcript)
    require("nvim-acp.ui.names").forget(transcript)
  end
  buffers().delete(s)
  require("nvim-acp.prompt").forget(s, keep)
  state.forget(s)
end

return M
