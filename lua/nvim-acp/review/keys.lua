--- The keys of a buffer with changes to review. They come with its first hunk, never in the place of a mapping that is
--- there, and go with its last one; those that lead to other files stay until nothing waits anywhere.
local M = {}

local api = vim.api

---@class acp.ReviewKey
---@field name string in the configuration
---@field desc string
---@field plug string? of its <Plug> mapping
---@field leads boolean? it leads to other files, too

---@type acp.ReviewKey[]
M.list = {
  { name = "next", plug = "next-hunk", desc = "the next change to review", leads = true },
  { name = "prev", plug = "prev-hunk", desc = "the previous change to review", leads = true },
  { name = "keep", plug = "keep", desc = "keep the change here" },
  { name = "revert", plug = "revert", desc = "revert the change here" },
  { name = "keep_file", desc = "keep all changes of the file" },
  { name = "list", plug = "review", desc = "list the changes to review", leads = true },
}

---@type fun(what: string, opts: table) what a key does
M.run = function() end
---@type fun(): boolean reports whether there is something to review anywhere
M.waits = function()
  return false
end

local function description(key)
  return "nvim-acp: " .. key.desc
end

-- Returns the mapping for a key in some mappings.
local function among(maps, lhs)
  local raw = vim.keycode(lhs)
  local name = vim.fn.keytrans(raw) -- a key may have several codes
  for _, map in ipairs(maps) do
    if map.lhsraw == raw or map.lhs == name then
      return map
    end
  end
end

--- Returns the key for something, nil where it is switched off or the user has a mapping for it.
---@param name string
---@return string?
function M.key(name)
  local lhs = require("nvim-acp.config").options.review.keys[name]
  return lhs and not among(require("nvim-acp.ui.their_maps")("n"), lhs) and lhs or nil
end

---@type table<integer, { here: boolean, keys: table<string, acp.ReviewKey> }> by buffer, the keys that are set
local set = {}

---@type fun() called when the keys of a buffer are others
M.changed = function() end

--- Reports whether the keys act in the current buffer: a file that has them, or a chat, where they lead to changes.
---@return boolean
function M.act_here()
  local buf = api.nvim_get_current_buf()
  return set[buf] ~= nil or vim.b[buf].acp_session ~= nil and vim.b[buf].acp_terminal == nil
end

--- Returns the key that a hint names for something: that of the configuration, else one that the user has mapped to it.
---@param name string
---@param anywhere boolean? it is to act in every buffer
---@return string?
function M.shown(name, anywhere)
  local own = vim.iter(M.list):find(function(key)
    return key.name == name
  end)
  local command = ({ keep = "AcpKeep", revert = "AcpRevert", list = "AcpReview" })[name]
  return not anywhere and M.key(name) or own.plug and require("nvim-acp.ui.keys").mapped(command, own.plug)
end

-- In windows in diff mode these keys are Neovim's, unless the diff is that of a review.
local diff = { ["do"] = true, dp = true }

local latest = function() end -- the last decision by a key

--- Makes the last decision by a key again, on the change at the cursor: what `.` does.
function M.again()
  latest()
end

-- Has `.` repeat a decision instead of what the user has done in the text before it.
local function remember(run)
  require("nvim-acp.ui.dot").remember(function()
    pcall(require("nvim-acp.ui.ex").normal, "g@l", { emsg_silent = true })
  end)
  latest = run
  vim.o.operatorfunc = "v:lua.require'nvim-acp.review.keys'.again"
end

local function press(key, lhs)
  local count = vim.v.count
  if vim.wo.diff and diff[lhs] and not require("nvim-acp.review.marks").is_bare(0) then
    return require("nvim-acp.ui.ex").typed((count > 0 and count or "") .. lhs)
  end
  local function run()
    M.run(key.name, { count = math.max(count, 1) })
  end
  if not key.leads then
    remember(run)
  end
  run()
end

local function add(buf, key)
  local lhs = M.key(key.name)
  if not lhs or among(api.nvim_buf_get_keymap(buf, "n"), lhs) then
    return
  end
  set[buf].keys[lhs] = key
  vim.keymap.set("n", lhs, function()
    press(key, lhs)
  end, { buffer = buf, desc = description(key) })
end

-- Removes a key, unless somebody has put another mapping in its place.
local function remove(buf, lhs, key)
  set[buf].keys[lhs] = nil
  local map = among(api.nvim_buf_get_keymap(buf, "n"), lhs)
  if map and map.desc == description(key) then
    vim.keymap.del("n", lhs, { buffer = buf })
  end
end

-- Removes the keys of a buffer, or those that do not lead to other files.
local function clear(buf, leads)
  for lhs, key in pairs(set[buf].keys) do
    if not (leads and key.leads) then
      remove(buf, lhs, key)
    end
  end
end

--- Sets the keys of a buffer, which has hunks.
---@param buf integer
function M.set(buf)
  if set[buf] and set[buf].here then
    return
  end
  M.forget(buf)
  set[buf] = { here = true, keys = {} }
  for _, key in ipairs(M.list) do
    add(buf, key)
  end
  M.changed()
end

--- Sets the keys of a buffer if it has hunks, and removes them if it has none.
---@param buf integer
function M.update(buf)
  if not api.nvim_buf_is_loaded(buf) then -- but its mappings stay
    return M.forget(buf)
  end
  local own = set[buf]
  if require("nvim-acp.review.marks").any(buf) then
    M.set(buf)
  elseif own then
    own.here = false
    local elsewhere = M.waits()
    clear(buf, elsewhere)
    set[buf] = elsewhere and own or nil
    M.changed()
  end
end

--- Does the same in all buffers that have keys.
function M.update_all()
  for _, buf in ipairs(vim.tbl_keys(set)) do
    M.update(buf)
  end
end

--- Removes the keys of a buffer.
---@param buf integer
function M.forget(buf)
  if set[buf] and api.nvim_buf_is_valid(buf) then
    clear(buf, false)
  end
  set[buf] = nil
end

--- Returns the keys of a list as a line says them: "]h next, dp keep", or bare: "]h dp". Only keys that act are named.
---@param words { [1]: string, [2]: string }[] names and words
---@param bare boolean?
---@return string
function M.hint(words, bare)
  local parts, anywhere = {}, not M.act_here()
  for _, word in ipairs(words) do
    local lhs = M.shown(word[1], anywhere)
    if lhs then
      table.insert(parts, bare and lhs or lhs .. " " .. word[2])
    end
  end
  return table.concat(parts, bare and " " or ", ")
end

return M
