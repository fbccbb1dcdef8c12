--- Buffers of ours whose text the user cannot change. Neovim's keys that would change it do nothing there, instead of
--- failing with E21.
local M = {}

local api = vim.api

-- What the keys do: nothing, with the motion or the character that follows. A yank into the black hole register has no
-- effect; without it these would be keys of their own, such as the `a` of `ca(`, which allows something elsewhere.
local nothing, motion, character = "<Nop>", '"_y', '"_yf'

---@type table<string, string[][]> by mode, keys and what they do
local keys = {
  n = {
    { motion, "c d < > = ! gq gw gu gU g~ g? gc" },
    { character, "r gr" },
    { nothing, "C s S x X D R J ~ u U & gJ <C-a> <C-x> <Del> o O . <C-r> gR g& gcc [<Space> ]<Space> <Insert>" },
    { nothing, "i I a A p P gp gP ]p [p ]P [P gi gI" },
  },
  x = {
    { nothing, "c d < > = ! gq gw gu gU g~ g? gc r C s S x X D R J ~ u U & gJ <C-a> <C-x> <Del>" },
    { nothing, "I A p P gp gP ]p [p ]P [P g<C-a> g<C-x>" },
  },
}

-- The command of a terminal is given what is typed and put.
local of_terminal = { n = vim.list_slice(keys.n, 1, 3), x = keys.x }

-- Reports whether a mapping is Neovim's own.
local function default(map)
  return require("nvim-acp.ui.builtin")(map.callback) or (map.desc or ""):find("^:help ") ~= nil
end

-- Returns the keys of mappings other than Neovim's own, and the beginnings of those of several keys.
local function taken(maps)
  local whole, begun = {}, {}
  for _, map in ipairs(maps) do
    for _, raw in ipairs(not default(map) and { vim.keycode(map.lhs), map.lhsraw } or {}) do
      whole[raw] = true
      for i = 1, #raw - 1 do
        begun[raw:sub(1, i)] = true
      end
    end
  end
  return whole, begun
end

---@type table<string, { list: table[], whole: table<string, true>, begun: table<string, true> }> by mode
local theirs = {}

-- Returns that of the user's mappings.
local function taken_by_user(mode)
  local list = require("nvim-acp.ui.their_maps")(mode)
  if not theirs[mode] or theirs[mode].list ~= list then
    local whole, begun = taken(list)
    theirs[mode] = { list = list, whole = whole, begun = begun }
  end
  return theirs[mode]
end

-- Has the keys of modes do nothing in a buffer where they have no other meaning, and returns these: mode and key.
local function silence(buf, modes)
  local done, hidden = {}, require("nvim-acp.ui.unlisted")
  local function set(mode, lhs, rhs, waits)
    vim.keymap.set(mode, lhs, rhs, { buffer = buf, nowait = not waits, desc = hidden })
    table.insert(done, { mode, lhs })
  end
  for mode, groups in pairs(modes) do
    local whole, begun = taken(api.nvim_buf_get_keymap(buf, mode))
    local user = taken_by_user(mode)
    for _, group in ipairs(groups) do
      for key in group[2]:gmatch("%S+") do
        local lhs = key:gsub("^<$", "<lt>")
        local raw = vim.keycode(lhs)
        if not whole[raw] and not user.whole[raw] then
          set(mode, lhs, group[1], begun[raw] or user.begun[raw])
        end
      end
    end
  end
  return done
end

-- Does that when the user comes to the buffer: it takes most of a millisecond.
local function silence_when_entered(buf, lists)
  if api.nvim_get_current_buf() == buf then
    silence(buf, lists)
    return
  end
  api.nvim_create_autocmd("BufEnter", {
    buffer = buf,
    once = true,
    callback = function()
      silence(buf, lists)
    end,
  })
end

--- Has a new buffer be one. What is mapped in it takes the place of these keys.
---@param buf integer
function M.fix(buf)
  vim.bo[buf].modifiable = false
  silence_when_entered(buf, keys)
end

--- Does the same with a new buffer that is to be a terminal.
---@param buf integer
function M.terminal(buf)
  silence_when_entered(buf, of_terminal)
end

---@type table<integer, string[][]> by buffer, the keys that do nothing for the time being
local held = {}

--- Has a buffer be one for the time being, or no longer.
---@param buf integer
---@param on boolean
function M.hold(buf, on)
  vim.bo[buf].modifiable = not on
  if on then
    held[buf] = held[buf] or silence(buf, keys)
    return
  end
  for _, key in ipairs(held[buf] or {}) do
    pcall(api.nvim_buf_del_keymap, buf, key[1], key[2])
  end
  held[buf] = nil
end

--- Calls a function that changes the text of one.
---@param buf integer
---@param fn fun()
function M.change(buf, fn)
  vim.bo[buf].modifiable = true
  local ok, err = pcall(fn)
  vim.bo[buf].modifiable = false
  if not ok then
    error(err, 0)
  end
end

--- Sets lines of one.
---@param buf integer
---@param first integer
---@param last integer
---@param lines string[]
function M.write(buf, first, last, lines)
  M.change(buf, function()
    api.nvim_buf_set_lines(buf, first, last, false, lines)
  end)
end

return M
