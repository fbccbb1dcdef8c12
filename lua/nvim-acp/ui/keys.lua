--- The keys that act in a window of ours, with what each does: those of its buffer, and the user's own for agents.
local M = {}

local api = vim.api

---@type string? the key that shows the keys, as it is configured
M.key = nil

---@type fun(buf: integer)? maps the keys of a buffer of ours that must not do what Neovim's own do
M.guard = nil

local modes = { { "n", "Normal mode" }, { "i", "Insert mode" }, { "x", "Visual mode" }, { "t", "Terminal mode" } }

-- What plugins that show the next keys say of the mappings by which they hear of the first one.
local triggers = { "^which%-key", "^Query keys after" }

-- Reports whether a mapping is not to be shown, by its description.
local function is_hidden(desc)
  for _, trigger in ipairs(triggers) do
    if desc:find(trigger) then
      return true
    end
  end
  return desc == "" or desc == require("nvim-acp.ui.unlisted")
end

-- Returns what a mapping does, nil if it is not to be shown: one to a mapping of ours without words what that does.
local function words(map, global)
  local rhs = map.rhs or ""
  if map.lhs:find("^<Plug>") or rhs == "<Nop>" or require("nvim-acp.ui.builtin")(map.callback) then
    return nil
  elseif global and not rhs:find("acp-", 1, true) and not rhs:find("Acp%a") then
    return nil
  end
  local desc = map.desc or rhs:find("^<Plug>%(acp%-") and vim.fn.maparg(rhs, map.mode, false, true).desc or rhs
  desc = desc:gsub("^nvim%-acp: ", "")
  return not is_hidden(desc) and desc or nil
end

-- Returns a key as keys are written elsewhere.
local function written(lhs)
  return (lhs:gsub("C%-%u", string.lower):gsub("c%-", "C-"):gsub(" ", "<Space>"))
end

--- Returns the key that the user has mapped to a command, or to its <Plug> mapping; nil if there is none.
---@param command string? without one its mapping alone is known
---@param plug string? the name in the mapping, where it is not that of the command
---@return string?
function M.mapped(command, plug)
  plug = ("<Plug>(acp-%s)"):format(plug or command:gsub("^Acp", ""):lower())
  for _, map in ipairs(require("nvim-acp.ui.their_maps")("n")) do
    local rhs = map.rhs or ""
    local ours = rhs == plug or rhs == ("<Cmd>%s<CR>"):format(command) or rhs == (":%s<CR>"):format(command)
    if ours and not map.lhs:find("^<Plug>") then
      return written(map.lhs)
    end
  end
end

--- Returns what a hint names for a command: the user's key, else the command.
---@param command string
---@return string
function M.to(command)
  return M.mapped(command) or ":" .. command
end

-- Words after a command in a message that are none of its arguments, beside verbs: ":AcpLogin tries again".
local after = { again = true, can = true, first = true, may = true, ["or"] = true }

-- Reports whether a text that follows a command has no arguments of it.
local function bare(rest)
  local word = rest:match("^ (%l+)%f[^%l]")
  return not rest:find("^[!%w ]") or rest == " " or word ~= nil and (after[word] or word:find("%l%ls$") ~= nil)
end

--- Returns a message with the user's keys in place of the commands that it names. Those with arguments stay, and what
--- is quoted does.
---@param text string
---@return string
function M.named(text)
  local parts, from, quoted = {}, 1, false
  for at, command, stop in text:gmatch("():(Acp%a+)()") do
    local before = text:sub(from, at - 1)
    for mark in before:gmatch("[“”]+") do
      quoted = mark:sub(-3) == "“"
    end
    local key = not quoted and not before:find("[%w`]$") and bare(text:sub(stop)) and M.mapped(command)
    table.insert(parts, before .. (key or text:sub(at, stop - 1)))
    from = stop
  end
  return table.concat(parts) .. text:sub(from)
end

--- Notes the commands that act in a buffer, and what each does: they are shown with its keys.
---@param buf integer
---@param list { [1]: string, [2]: string }[]
function M.commands(buf, list)
  vim.b[buf].acp_commands = list
end

-- Returns rows of keys and what they do in a mode; keys that do the same are in one.
local function rows_of(buf, mode)
  local rows, by, seen = mode == "n" and vim.b[buf].acp_commands or {}, {}, {}
  local function add(maps, global)
    table.sort(maps, function(a, b)
      return a.lhs:lower() .. a.lhs < b.lhs:lower() .. b.lhs
    end)
    for _, map in ipairs(maps) do
      local desc = words(map, global)
      if not seen[map.lhs] and desc then
        seen[map.lhs] = true
        local key = written(map.lhs)
        if not by[desc] then
          by[desc] = { key, desc }
          table.insert(rows, by[desc])
        else
          by[desc][1] = by[desc][1] .. " " .. key
        end
      end
    end
  end
  add(api.nvim_buf_get_keymap(buf, mode), false)
  add(api.nvim_get_keymap(mode), true)
  return rows
end

-- Returns the lines, and the rows that are headings, the widths of keys, and the cells before the longest description.
local function lines_of(buf)
  local lines, heads, keys, before = {}, {}, {}, 0
  for _, mode in ipairs(modes) do
    local rows, wide = rows_of(buf, mode[1]), 0
    for _, row in ipairs(rows) do
      wide = math.max(wide, api.nvim_strwidth(row[1]))
    end
    before = math.max(before, wide + 4)
    if #rows > 0 then
      table.insert(lines, mode[2])
      heads[#lines] = true
    end
    for i, group in ipairs(require("nvim-acp.ui.key_order").grouped(rows)) do
      if i > 1 then
        table.insert(lines, "")
        keys[#lines] = 0
      end
      for _, row in ipairs(group) do
        local key = "  " .. row[1] .. (" "):rep(wide - api.nvim_strwidth(row[1]))
        table.insert(lines, require("nvim-acp.ui.text").visible(key .. "  " .. row[2]))
        keys[#lines] = #key
      end
    end
  end
  return lines, heads, keys, before
end

--- Shows the keys of the current buffer in a float; any of the keys that close it leads back.
function M.show()
  local origin = require("nvim-acp.ui.origin")
  local from = origin.here()
  local lines, heads, keys, before = lines_of(api.nvim_get_current_buf())
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  require("nvim-acp.ui.bufname").float(buf, "Keys")
  M.protect(buf) -- an agent names options, which keys choose
  local ns = api.nvim_create_namespace("nvim-acp.keys")
  require("nvim-acp.ui.style").define()
  for row, line in ipairs(lines) do
    local group = heads[row] and "AcpHeading" or "AcpKey"
    api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { end_col = keys[row] or #line, hl_group = group })
  end
  local window, width = require("nvim-acp.ui.window"), 30
  for _, line in ipairs(lines) do
    width = math.max(width, window.padding + api.nvim_strwidth(line) + 1)
  end
  width = math.min(width, vim.o.columns - 4)
  local height = math.max(math.min(#lines, vim.o.lines - 6), 1)
  local config = window.middle(width, height)
  config.title, config.footer, config.zindex = " Keys ", " q close ", 90
  local win = api.nvim_open_win(buf, false, config)
  local function go(to) -- what closes when it is left stays
    require("nvim-acp.ui.ex").silently(function()
      api.nvim_set_current_win(to)
    end)
  end
  origin.cover(win, from.win)
  go(win)
  require("nvim-acp.ui.fixed").fix(buf)
  window.set(win, window.plain)
  window.pad(win)
  local hang = ("shift:%d,min:10"):format(math.max(before - 2, 0))
  window.set(win, { wrap = true, linebreak = true, breakindent = true, breakindentopt = hang })
  local function draw()
    local below = window.below(win)
    api.nvim_win_set_config(win, { footer = below and (" %s  q close "):format(below) or " q close " })
  end
  draw()
  api.nvim_create_autocmd("WinScrolled", { buffer = buf, callback = draw })
  local function close()
    if api.nvim_win_is_valid(from.win) then
      go(from.win)
    end
    origin.close(win)
    origin.back(from)
  end
  for _, key in ipairs({ "q", "<Esc>", M.key or "q" }) do
    vim.keymap.set("n", key, close, { buffer = buf, nowait = true, desc = "close" })
  end
end

--- Maps the keys of a buffer with foreign text that must not do what Neovim's own do.
---@param buf integer
function M.protect(buf)
  if M.guard then
    M.guard(buf)
  end
end

--- Leaves <C-i> to the jump list in a buffer in which <Tab> is mapped, where the terminal tells one from the other.
---@param buf integer
function M.jumps(buf)
  vim.keymap.set("n", "<C-i>", "<C-i>", { buffer = buf, desc = require("nvim-acp.ui.unlisted") })
end

--- Maps that key in a buffer of ours, and protects it.
---@param buf integer
function M.map(buf)
  M.protect(buf)
  if M.key then
    vim.keymap.set("n", M.key, M.show, { buffer = buf, nowait = true, desc = "nvim-acp: show these keys" })
  end
end

return M
