--- The chat's buffers and windows: a transcript and a prompt, in one of six layouts.
local M = {}

local state = require("nvim-acp.state")

---@class acp.ChatBuffers
---@field transcript integer?
---@field prompt integer?

---@type table<string, acp.ChatBuffers>
local buffers = {}

local function valid(buf)
  return buf ~= nil and vim.api.nvim_buf_is_loaded(buf)
end

local function create(s, kind, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.b[buf].acp_session = s.id
  vim.b[buf].acp_kind = kind
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  pcall(vim.api.nvim_buf_set_name, buf, ("acp://%s/%s"):format(s.id, kind))
  vim.bo[buf].filetype = filetype
  return buf
end

--- The transcript's buffer, if there is one.
---@param s acp.Session
---@return integer?
function M.transcript(s)
  local b = buffers[s.id]
  return b and valid(b.transcript) and b.transcript or nil
end

--- The transcript's buffer, made if needed.
---@param s acp.Session
---@return integer buf, boolean new
function M.ensure_transcript(s)
  local buf = M.transcript(s)
  if buf then
    return buf, false
  end
  buf = create(s, "transcript", "acp-chat")
  vim.bo[buf].undolevels = -1
  vim.bo[buf].tabstop = 4
  vim.bo[buf].modifiable = false
  buffers[s.id] = buffers[s.id] or {}
  buffers[s.id].transcript = buf
  require("nvim-acp.keys").transcript(s, buf)
  require("nvim-acp.unread").attach(s, buf)
  require("nvim-acp.resize").watch()
  return buf, true
end

---@param s acp.Session
---@return integer buf
function M.ensure_prompt(s)
  local b = buffers[s.id] or {}
  buffers[s.id] = b
  if not valid(b.prompt) then
    b.prompt = create(s, "prompt", "acp-prompt")
    require("nvim-acp.prompt").attach(s, b.prompt)
    require("nvim-acp.complete").attach(s, b.prompt)
    require("nvim-acp.keys").prompt(s, b.prompt)
  end
  return b.prompt
end

---@param s acp.Session
---@param kind "transcript"|"prompt"
---@param tab integer? only windows of this tab
---@return integer[] windows
function M.windows(s, kind, tab)
  local buf = buffers[s.id] and buffers[s.id][kind]
  if not valid(buf) then
    return {}
  end
  return vim.tbl_filter(function(win)
    return tab == nil or vim.api.nvim_win_get_tabpage(win) == tab
  end, vim.fn.win_findbuf(buf))
end

local function set(win, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = win })
  end
end

local plain = {
  number = false,
  relativenumber = false,
  foldcolumn = "0",
  statuscolumn = "",
  colorcolumn = "",
  cursorline = false,
  cursorcolumn = false,
  list = false,
  spell = false,
  wrap = true,
  linebreak = true,
  winfixbuf = true,
  conceallevel = 0,
}

--- Gives a window a status line of its own, where the status line is Neovim's, which would say a buffer's name.
---@param win integer
---@param text string
function M.status_line(win, text)
  local own = vim.go.statusline == vim.api.nvim_get_option_info2("statusline", {}).default
  if own and vim.api.nvim_win_get_config(win).relative == "" then -- in a float it would be a row of text
    set(win, { statusline = text })
  end
end

local function dress_transcript(win)
  set(win, plain)
  M.status_line(win, " %{v:lua.require'nvim-acp.winbar'.title()}%=%P ")
  set(win, {
    signcolumn = "yes:1",
    breakindent = true,
    foldmethod = "manual",
    foldenable = false,
    fillchars = "eob: ,lastline: ",
    scrolloff = 0,
  })
  require("nvim-acp.right").fit(vim.api.nvim_win_get_buf(win))
end

local function dress_prompt(win)
  set(win, plain)
  M.status_line(win, " ")
  set(win, { signcolumn = "yes:1", winfixheight = true, fillchars = "eob: " })
end

--- How wide a chat at the side is.
---@return integer
function M.side_width()
  local chat = require("nvim-acp.config").options.chat
  return chat.width or math.max(20, math.min(100, math.floor(vim.o.columns * 0.45)))
end

local function float_place()
  local chat = require("nvim-acp.config").options.chat
  local width = math.min(chat.width or 100, vim.o.columns - 4)
  local height = math.min(chat.height or math.floor(vim.o.lines * 0.8), vim.o.lines - 6)
  return {
    relative = "editor",
    width = math.max(width, 1),
    height = math.max(height, 3),
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = require("nvim-acp.look").border(),
    style = "minimal",
  }
end

local function open_transcript(buf)
  local chat = require("nvim-acp.config").options.chat
  local layout = chat.layout
  if layout == "right" or layout == "left" then
    return vim.api.nvim_open_win(buf, false, { split = layout, win = -1, width = M.side_width() })
  elseif layout == "bottom" then
    local height = chat.height or math.floor(vim.o.lines * 0.4)
    return vim.api.nvim_open_win(buf, false, { split = "below", win = -1, height = height })
  elseif layout == "float" then
    return vim.api.nvim_open_win(buf, false, float_place())
  elseif layout == "tab" then
    vim.cmd("tab split")
  end
  local win = vim.api.nvim_get_current_win()
  vim.wo[win].winfixbuf = false
  vim.api.nvim_win_set_buf(win, buf)
  return win
end

local function open_prompt(buf, above)
  local config = vim.api.nvim_win_get_config(above)
  if config.relative == "" then
    return vim.api.nvim_open_win(buf, false, { split = "below", win = above, height = 3 })
  end
  return vim.api.nvim_open_win(buf, false, M.stack(above, 3))
end

--- Gives a chat in a float its place, the prompt below the transcript with so many rows, and returns the prompt's.
---@param above integer the transcript's window
---@param rows integer
---@return table config
function M.stack(above, rows)
  local all = float_place()
  local upper = vim.tbl_extend("force", all, { height = math.max(all.height - rows - 2, 3) }) -- two borders between
  vim.api.nvim_win_set_config(above, upper)
  return vim.tbl_extend("force", all, { height = rows, row = all.row + upper.height + 2 })
end

-- Whether a window has another above or below it: else its height is that of a whole row of windows, or of the screen.
local function stacked(win)
  local function within(node, parent)
    if node[1] == "leaf" then
      return node[2] == win and parent == "col"
    end
    for _, child in ipairs(node[2]) do
      if within(child, node[1]) then
        return true
      end
    end
    return false
  end
  return within(vim.fn.winlayout(vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win))), nil)
end

--- Gives a window of a prompt so many rows, where that is a matter of the chat alone.
---@param s acp.Session
---@param win integer
---@param rows integer
function M.set_prompt_height(s, win, rows)
  if vim.api.nvim_win_get_height(win) == rows then
    return
  elseif vim.api.nvim_win_get_config(win).relative == "" then
    if stacked(win) then
      vim.api.nvim_win_set_height(win, rows)
    end
    return
  end
  local above = M.windows(s, "transcript", vim.api.nvim_win_get_tabpage(win))[1]
  if above then
    vim.api.nvim_win_set_config(win, M.stack(above, rows))
  end
end

-- Shows a chat in the windows of another one of the tab, rather than beside it.
local function take_over(transcript, prompt, tab)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    local kind = vim.b[vim.api.nvim_win_get_buf(win)].acp_kind
    local buf = kind == "transcript" and transcript or kind == "prompt" and prompt
    if buf then
      vim.wo[win].winfixbuf = false
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

--- Closes what a restored session (:mksession) has left of chats: their windows and empty buffers.
function M.sweep()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf):match("^acp://") and vim.b[buf].acp_session == nil then
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        pcall(vim.api.nvim_win_close, win, true)
      end
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
    end
  end
end

--- Shows a session in the current tab, or goes to it.
---@param s acp.Session
---@param focus boolean
function M.open(s, focus)
  if vim.v.vim_did_enter == 0 then -- at its end Neovim would split a window that has 'winfixbuf'
    vim.api.nvim_create_autocmd("VimEnter", {
      once = true,
      callback = function()
        M.open(s, focus)
      end,
    })
    return
  end
  require("nvim-acp.look").define()
  local transcript, new = M.ensure_transcript(s)
  local prompt = M.ensure_prompt(s)
  if new and require("nvim-acp.view").began(s) then
    state.notify(s, "redraw")
  end
  local tab = vim.api.nvim_get_current_tabpage()
  local win = M.windows(s, "transcript", tab)[1]
  if not win and require("nvim-acp.config").options.chat.layout == "tab" then
    win = M.windows(s, "transcript")[1]
    tab = win and vim.api.nvim_win_get_tabpage(win) or tab
    vim.api.nvim_set_current_tabpage(tab)
  end
  if not win then
    take_over(transcript, prompt, tab)
    win = M.windows(s, "transcript", tab)[1]
  end
  if not win then
    local alone = M.windows(s, "prompt", tab)[1]
    if alone and vim.api.nvim_win_get_config(alone).relative == "" then
      vim.wo[alone].winfixheight = false
      win = vim.api.nvim_open_win(transcript, false, { split = "above", win = alone })
      vim.wo[alone].winfixheight = true
    else
      win = open_transcript(transcript)
    end
    tab = vim.api.nvim_get_current_tabpage()
    dress_transcript(win)
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(transcript), 0 })
  end
  local below = M.windows(s, "prompt", tab)[1]
  if not below then
    below = open_prompt(prompt, win)
    dress_prompt(below)
  end
  require("nvim-acp.prompt").fit(s)
  state.use(s)
  M.refresh(s)
  if focus then
    vim.api.nvim_set_current_win(below)
    -- Before it waits for a key Neovim decides, by the mappings of the current buffer, whether <C-c> interrupts. When
    -- this comes over RPC it is waiting already: a key that does nothing makes it decide anew.
    vim.api.nvim_input("<Ignore>")
  end
end

--- Closes the chat's windows in the current tab. The session goes on.
---@param s acp.Session
function M.hide(s)
  local tab = vim.api.nvim_get_current_tabpage()
  for _, kind in ipairs({ "prompt", "transcript" }) do
    for _, win in ipairs(M.windows(s, kind, tab)) do
      if not pcall(vim.api.nvim_win_close, win, false) then -- the last window shows something else instead
        vim.wo[win].winfixbuf = false
        vim.api.nvim_win_set_buf(win, vim.api.nvim_create_buf(true, false))
      end
    end
  end
end

-- Names the transcript's buffer after the session.
local function name(s)
  local buf = M.transcript(s)
  local title = require("nvim-acp.message").line(s.title, 60):gsub("[/\\]", "-")
  local wanted = ("acp://%s/%s"):format(s.id, title ~= "" and title or "transcript")
  if not buf or vim.api.nvim_buf_get_name(buf) == wanted then
    return
  end
  local old = vim.api.nvim_buf_get_name(buf)
  if pcall(vim.api.nvim_buf_set_name, buf, wanted) then
    for _, other in ipairs(vim.api.nvim_list_bufs()) do -- the old name stays behind as a buffer of its own
      if other ~= buf and vim.api.nvim_buf_get_name(other) == old and not vim.api.nvim_buf_is_loaded(other) then
        pcall(vim.api.nvim_buf_delete, other, { force = true })
      end
    end
  end
end

--- Draws what stands around the text: winbars, the queue, what is offered.
---@param s acp.Session
function M.refresh(s)
  local prompt = buffers[s.id] and buffers[s.id].prompt
  if valid(prompt) then
    vim.bo[prompt].modifiable = s.state ~= "loading" -- what is being replayed may still fail
  end
  local draw = require("nvim-acp.draw")
  draw.try(name, s)
  require("nvim-acp.winbar").draw(s)
  draw.try(require("nvim-acp.prompt").draw, s)
  draw.try(require("nvim-acp.offer").draw, s)
  if s.following then
    draw.try(require("nvim-acp.follow").update, s)
  end
end

---@param s acp.Session
---@return boolean shown in the current tab
function M.shown(s)
  return #M.windows(s, "transcript", vim.api.nvim_get_current_tabpage()) > 0
end

--- Forgets a session and all that is shown of it.
---@param s acp.Session
function M.drop(s)
  require("nvim-acp.permit").forget(s)
  M.forget(s)
  require("nvim-acp.prompt").forget(s)
  state.forget(s)
end

---@param s acp.Session
function M.forget(s)
  local b = buffers[s.id] or {}
  M.hide(s)
  for _, buf in pairs(b) do
    require("nvim-acp.right").forget(buf)
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
  buffers[s.id] = nil
end

return M
