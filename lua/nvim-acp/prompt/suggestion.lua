--- What the agent expects as the next prompt, as dim text in an empty one; <Tab> takes it.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.ghost")

local desc = "take the suggested prompt"

local function empty(buf)
  return api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

-- Returns what <Tab> is mapped to in a mode, {} if to nothing. In Insert mode only mappings of the buffer count.
local function mapping(buf, mode)
  return api.nvim_buf_call(buf, function()
    local found = vim.fn.maparg("<Tab>", mode, false, true)
    return (mode == "n" or found.buffer == 1) and found or {}
  end)
end

-- Leaves <C-i> to Neovim where the terminal tells it from <Tab>: without a mapping of its own it does what <Tab> does.
local function leave_jumps(buf, on)
  local found = api.nvim_buf_call(buf, function()
    return vim.fn.maparg("<C-i>", "n", false, true)
  end)
  if on and not found.lhs then
    vim.keymap.set("n", "<C-i>", "<C-i>", { buffer = buf, desc = "" })
  elseif not on and found.buffer == 1 and (found.rhs or ""):lower() == "<c-i>" then
    vim.keymap.del("n", "<C-i>", { buffer = buf })
  end
end

local function put(buf, text)
  api.nvim_buf_set_lines(buf, 0, -1, false, { text })
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_set_cursor(win, { 1, #text })
  end
end

-- Takes the suggestion. What was typed since it was shown stays, and the key is the user's own then.
local function take(buf, text, mode)
  if not empty(buf) then
    vim.keymap.del(mode, "<Tab>", { buffer = buf })
    return api.nvim_feedkeys(vim.keycode("<Tab>"), "mi", false)
  end
  put(buf, text)
end

-- Returns the cells of a row of text, in the narrowest window of a buffer.
local function width(buf)
  local least = 80
  for i, win in ipairs(vim.fn.win_findbuf(buf)) do
    local room = api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
    least = i == 1 and room or math.min(least, room)
  end
  return math.max(least, 10)
end

-- Returns the suggestion in rows of chunks, with the key at its end. What has no room in the highest prompt is cut.
local function rows(text, key, room)
  local lines = require("nvim-acp.ui.text").wrap(text, room)
  local most = require("nvim-acp.config").options.chat.prompt_max
  if #lines > most - 1 then -- a row is left for the key
    lines = vim.list_slice(lines, 1, math.max(most - 1, 1))
    local cut = require("nvim-acp.ui.style").icons().cut
    local kept = require("nvim-acp.ui.text").line(lines[#lines], room - 1)
    lines[#lines] = vim.endswith(kept, cut) and kept or kept .. cut
  end
  local found = {}
  for i, line in ipairs(lines) do
    found[i] = { { line, "AcpDone" } }
  end
  if key and api.nvim_strwidth(lines[#lines]) + 2 + #key <= room then
    vim.list_extend(found[#found], { { "  " }, { key, "AcpKey" } })
  elseif key then
    table.insert(found, { { key, "AcpKey" } })
  end
  return found
end

---@type table<integer, boolean> whether a suggestion is shown, by prompt buffer
local shown = {}

---@type table<integer, integer> rows that suggestions take beyond the first, by prompt buffer
local below = {}

--- Returns how many rows the suggestion takes below the first line of a prompt.
---@param buf integer
---@return integer
function M.below(buf)
  return below[buf] or 0
end

-- Returns what is suggested for an empty prompt, nil if nothing is.
local function suggested(s, buf)
  return empty(buf) and s.state == "idle" and #s.queue == 0 and s.suggestion or nil
end

--- Reports whether a suggestion is shown, which the key that sends takes.
---@param s acp.Session
---@return boolean
function M.shown(s)
  return shown[require("nvim-acp.state.buffers").prompt(s)] == true
end

--- Puts the suggestion, if one is shown, into the prompt.
---@param s acp.Session
function M.take(s)
  local buf = require("nvim-acp.state.buffers").prompt(s)
  local text = buf and suggested(s, buf)
  if text then
    put(buf, text)
  end
end

--- Shows the suggestion if the prompt is empty and nothing runs, else removes it. <Tab> is ours only as long as it is
--- shown, and if the buffer has no mapping of the user's.
---@param s acp.Session
function M.draw(s)
  local buf = require("nvim-acp.state.buffers").prompt(s)
  if not buf then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  below[buf] = nil
  local text = buf and suggested(s, buf)
  if shown[buf] ~= (text ~= nil or nil) then
    shown[buf] = text ~= nil or nil
    require("nvim-acp.state").announce("typed", s) -- what the key that sends does
  end
  local key
  for _, mode in ipairs({ "n", "i" }) do
    if mapping(buf, mode).desc == desc then
      vim.keymap.del(mode, "<Tab>", { buffer = buf })
    end
    key = text and mapping(buf, mode).lhs == nil and "<Tab>" or nil
    if key then
      vim.keymap.set(mode, key, function()
        take(buf, text, mode)
      end, { buffer = buf, desc = desc })
    end
    if mode == "n" then
      leave_jumps(buf, key ~= nil)
    end
  end
  if not text then
    return
  end
  local lines = rows(text, key, width(buf))
  below[buf] = #lines - 1
  local virtual = require("nvim-acp.ui.virtual")
  api.nvim_buf_set_extmark(buf, ns, 0, 0, {
    virt_text = virtual.text(table.remove(lines, 1)),
    virt_text_pos = "overlay",
    virt_lines = virtual.lines(#lines > 0 and lines or nil),
  })
end

return M
