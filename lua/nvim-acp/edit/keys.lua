--- The keys of places: they are there while the cursor is, and the user's own are there again when it leaves.
local M = {}

local api = vim.api
local place = require("nvim-acp.edit.place")

---@type { p: acp.Place, buf: integer, maps: table<string, table|false>, phase: string }? the keys that are set
local set

---@type table<string, fun(p: acp.Place)> what keys do
M.actions = {}
---@type fun(p: acp.Place) called when the keys of a place become valid, or cease to be
M.on_change = function() end

-- By phase: the name of the key in the configuration, its action, and a word for it.
local stop = { { "stop", "stop", "stop" } }
local leave = { "edit_drop", "drop", "drop" }
local again = { "edit_again", "again", "again" }
local keys = {
  working = stop,
  ready = {
    { "edit_take", "take", "take" },
    leave,
    { "edit_change", "change", "edit" },
    again,
    { "edit_next", "next", "next" },
    { "edit_prev", "prev" },
  },
  words = { { "edit_take", "read", "read" }, leave, again, { "edit_prev", "prev", "back" }, { "edit_next", "next" } },
  asked = {
    { "edit_take", "read", "go to it" },
    { "edit_drop", "drop", "close" },
    { "edit_again", "again", "ask on" },
  },
}

-- What the keys do, for which-key and others.
local descriptions = {
  stop = "stop the agent here",
  take = "take the answer here",
  drop = "drop the answer here; :AcpEdit! brings it back",
  change = "change the answer here before it is taken",
  again = "say what is still wrong with the answer here",
  next = "next answer here",
  prev = "previous answer here",
  read = "go to the answer here",
}

--- Returns the keys that are valid at a place now: { lhs, action, word?, desc }.
---@param p acp.Place
---@return table[]
function M.of(p)
  local given, list = require("nvim-acp.config").options.keys, {}
  for _, key in ipairs(keys[p.kind == "ask" and p.phase == "words" and "asked" or p.phase] or {}) do
    local lhs = given[key[1]]
    local steps = key[2] == "next" or key[2] == "prev"
    local least = p.phase == "words" and 1 or 2
    if lhs and not (steps and p.frame.of < least) then
      local word = key[2] == "next" and p.phase == "ready" and ("%d/%d"):format(p.frame.at, p.frame.of) or key[3]
      table.insert(list, { lhs = lhs, action = key[2], word = word, desc = descriptions[key[2]] })
    end
  end
  return list
end

local function remove()
  if not set then
    return
  end
  local old = set
  set = nil
  if not api.nvim_buf_is_valid(old.buf) then
    return
  end
  api.nvim_buf_call(old.buf, function()
    for lhs, own in pairs(old.maps) do
      pcall(vim.keymap.del, "n", lhs, { buffer = old.buf })
      if own then
        vim.fn.mapset("n", false, own)
      end
    end
  end)
end

local function add(p)
  set = { p = p, buf = p.buf, maps = {}, phase = p.phase }
  for _, key in ipairs(M.of(p)) do
    local own = api.nvim_buf_call(p.buf, function()
      return vim.fn.maparg(key.lhs, "n", false, true)
    end)
    set.maps[key.lhs] = own.buffer == 1 and own or false
    vim.keymap.set("n", key.lhs, function()
      if vim.fn.reg_executing() ~= "" then -- a macro means Neovim's own key
        return api.nvim_feedkeys(vim.keycode(key.lhs), "in", false)
      end
      M.actions[key.action](p)
    end, { buffer = p.buf, nowait = true, desc = "nvim-acp: " .. key.desc })
  end
end

-- Before it waits for a key Neovim decides, by the mappings of the current buffer, whether <C-c> interrupts; a key that
-- does nothing makes it decide again.
local function decide_again(p)
  local now = api.nvim_get_mode()
  if p.phase == "working" and now.mode == "n" and not now.blocking then
    api.nvim_input("<Ignore>")
  end
end

--- Returns the place whose keys are set.
---@return acp.Place?
function M.active()
  return set and set.p
end

---@type { buf: integer, row: integer, fold: integer, tick: integer } where the cursor was at the last update
local here = {}

-- Returns where the cursor is.
local function look()
  local buf = api.nvim_get_current_buf()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  return { buf = buf, row = row, fold = vim.fn.foldclosed(row + 1), tick = api.nvim_buf_get_changedtick(buf) }
end

--- Sets the keys of the place at the cursor, and removes those of another.
function M.update()
  here = look()
  local p = next(place.all) and here.fold == -1 and place.at(here.buf, here.row) or nil
  if set and p == set.p and p.phase == set.phase then
    return
  end
  local before = set and set.p
  remove()
  if p then
    add(p)
    decide_again(p)
  end
  for _, other in ipairs({ before or false, p or false }) do
    if other and place.all[other.s.id] == other then
      M.on_change(other)
    end
  end
end

-- Updates the keys before Neovim waits, if they can be others: no other event says that a fold was opened.
local function refresh()
  local now = look()
  if now.row ~= here.row or now.buf ~= here.buf or now.fold ~= here.fold or now.tick ~= here.tick then
    M.update()
  end
end

local group = api.nvim_create_augroup("nvim-acp.edits", {})

--- Sets the keys, and follows the cursor while there are places.
function M.watch()
  api.nvim_clear_autocmds({ group = group })
  M.update()
  if next(place.all) == nil then
    return
  end
  api.nvim_create_autocmd({ "SafeState", "CursorMoved", "WinEnter", "BufEnter", "InsertLeave", "TextChanged" }, {
    group = group,
    callback = function()
      require("nvim-acp.ui.try").call(refresh)
    end,
  })
  api.nvim_create_autocmd({ "VimResized", "WinResized" }, {
    group = group,
    callback = function()
      for _, p in pairs(place.all) do
        require("nvim-acp.ui.try").call(M.on_change, p)
        require("nvim-acp.ui.try").call(place.refit, p)
      end
    end,
  })
end

return M
