--- A permission request in the float: its text, the agent's options, their keys.
local M = {}

local api = vim.api
local float = require("nvim-acp.permission.float")
local door = require("nvim-acp.permission.door")
local ns = api.nvim_create_namespace("nvim-acp.permit")

-- A kind that allows has a letter only if exactly one option has that kind; of those that reject the first one has it.
local letters = { allow_once = "a", allow_always = "A", reject_once = "r", reject_always = "R" }

local opening ---@type string? the request of which the user has asked for more

-- Matches a changed line, with room for its number or without.
local changed = [[^\%( \{6}\)\=[-+] ]]

local function letter_of(p, option)
  local same = vim.tbl_filter(function(o)
    return o.kind == option.kind
  end, p.options)
  local first = same[1] == option and option.kind:match("^reject") ~= nil
  return (#same == 1 or first) and letters[option.kind]
end

local function choose(s, p, option, permit)
  if float.acts() then
    permit.send(s, p, option.id, "user")
  end
end

-- Lets the user choose one of all options.
local function choose_any(s, p, permit)
  require("nvim-acp.ui.choose").from(p.options, {
    prompt = p.title,
    kind = "acp-answer",
    format_item = function(option)
      return require("nvim-acp.permission.answers").text(option, vim.o.columns - 8)
    end,
  }, function(option)
    if option then
      choose(s, p, option, permit)
    end
  end)
end

-- Rejects once, with a reason that goes to the agent with the next prompt.
local function reject(s, p, permit)
  for _, option in ipairs(p.options) do
    if option.kind == "reject_once" then
      local pending = require("nvim-acp.permission.pending")
      return pending.ask(s, p.id, "Why not? (for the agent)", "", function(reason)
        if pending.waits(s, p.id, reason) then
          permit.send(s, p, option.id, "user", reason)
        end
      end)
    end
  end
  require("nvim-acp.ui.message").info("this request has no option that rejects it once")
end

local function can_reject(p)
  return vim.iter(p.options):any(function(option)
    return option.kind == "reject_once"
  end)
end

-- Reports whether a key does something for a request; those that are not here always do.
local acts = {
  n = function()
    return #require("nvim-acp.permission.pending").list() > 1
  end,
  e = function(p)
    return p.edit
  end,
  x = can_reject,
  ["+"] = function(p)
    return #p.suggest > 0
  end,
  ["]f"] = function(p)
    return p.files > 1
  end,
  ["]h"] = function(p)
    return p.numbers ~= nil
  end,
}
acts.p, acts["[f"], acts["[h"] = acts.n, acts["]f"], acts["]h"]

local function map_keys(s, p, buf, permit)
  local function map(key, desc, fn)
    local on = not acts[key] or acts[key](p) -- else it says why not, and is not listed among the keys
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true, desc = on and desc or "" })
  end
  local function look(what)
    return function()
      require("nvim-acp.state").notify(s, "inspect", { id = p.id, what = what })
    end
  end
  for i, option in ipairs(p.options) do
    local function answer()
      choose(s, p, option, permit)
    end
    local desc = require("nvim-acp.permission.answers").text(option, math.max(vim.o.columns - 20, 20))
    if i <= 9 then
      map(tostring(i), desc, answer)
    end
    local letter = letter_of(p, option)
    if letter then
      map(letter, desc, answer)
    end
  end
  for _, key in ipairs({ "<Esc>", "q" }) do
    map(key, "hide it for now", function()
      permit.later(p.id)
    end)
  end
  map("n", "next request", function()
    permit.step(p.id, 1)
  end)
  map("p", "previous request", function()
    permit.step(p.id, -1)
  end)
  map("m", "choose from all options", function()
    choose_any(s, p, permit)
  end)
  map("d", "show or hide the request as the agent sent it", function()
    opening = p.id
    look("details")()
  end)
  map("]f", "next file", look("next"))
  map("[f", "previous file", look("previous"))
  map("f", "full size, and back", function()
    float.full = not float.full
    permit.show(s, p, true)
  end)
  map("e", "edit the proposed text first", function()
    if p.edit then
      door.propose(s, p)
    else
      require("nvim-acp.ui.message").info("only a write through the editor can be edited")
    end
  end)
  map("x", "reject it with a reason", function()
    reject(s, p, permit)
  end)
  map("+", "create a rule from it", function()
    if float.acts() then
      require("nvim-acp.permission.rules").make(s, p)
    end
  end)
  map("G", "to the end", function() -- where the window is too small, to that of what must be read
    require("nvim-acp.ui.ex").normal("G$")
    if not door.look() then
      require("nvim-acp.ui.ex").normal(door.last() .. "G$")
    end
  end)
  map("]h", "next change", function()
    vim.fn.search(changed, "W")
  end)
  map("[h", "previous change", function()
    vim.fn.search(changed, "bW")
  end)
  require("nvim-acp.state").announce("buffer", s, "permission", buf) -- for the key that stops the turn
end

-- Returns the options with the keys that are shown for them: the letter, else the number. Where none rejects, the last
-- is what does.
local function answers_of(p)
  local list = {}
  for i, option in ipairs(p.options) do
    local key = letter_of(p, option) or (i <= 9 and tostring(i)) or " "
    table.insert(list, { key = key, name = option.name, kind = option.kind, note = option.note })
  end
  local rejects = vim.iter(p.options):any(function(option)
    return option.kind:match("^reject") ~= nil
  end)
  if #list > 0 and not rejects then
    local key = require("nvim-acp.config").options.keys.stop or require("nvim-acp.ui.keys").to("AcpStop")
    table.insert(list, { key = key, name = "stop the turn: no answer rejects", kind = "stop" })
  end
  return list
end

local function fill(s, p, buf)
  local lines = float.untitled(s, p)
  local above = #lines
  vim.list_extend(lines, p.lines)
  if p.why ~= "" then
    table.insert(lines, "  " .. p.why)
  end
  door.note(p, lines, above)
  require("nvim-acp.ui.fixed").write(buf, 0, -1, lines)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  require("nvim-acp.ui.indent").clear(buf, 0, -1)
  local numbers = p.numbers or {}
  vim.bo[buf].vartabstop = #numbers > 0 and "" or "6,4" -- so that tabs in the code are as wide as in its file
  require("nvim-acp.ui.marks").draw(buf, ns, above, p.marks)
  if p.why ~= "" then
    api.nvim_buf_set_extmark(buf, ns, #lines - 1, 0, { end_row = #lines, hl_group = "AcpDone" })
  end
  for i, number in ipairs(numbers) do
    if number > 0 then
      local chunk = { ("%4d"):format(number), "AcpLineNr" }
      api.nvim_buf_set_extmark(
        buf,
        ns,
        above + i - 1,
        0,
        { virt_text = require("nvim-acp.ui.virtual").text({ chunk }), virt_text_pos = "overlay" }
      )
    end
  end
  return lines
end

-- Colours the keys, dim while they do not act, and repeats that until they do.
local function light(buf)
  if float.buf ~= buf then
    return
  end
  local live = float.live()
  require("nvim-acp.permission.answers").light(live and "AcpKey" or "AcpKeyInert")
  if not live then
    vim.defer_fn(function()
      light(buf)
    end, 100)
  end
end

-- Returns hints about keys, the most useful first.
local function hints(p)
  local list = { "<Esc> later" }
  local all = { "n next", "]f file", "e edit", "]h hunk", "x reject with a reason", "d details", "f full size" }
  table.insert(all, "+ rule")
  for _, hint in ipairs(all) do
    local on = acts[hint:match("^%S+")]
    if not on or on(p) then
      table.insert(list, hint)
    end
  end
  return list
end

-- Shows the first of the lines that the user has asked for, below what they belong to.
local function reveal(before, lines)
  if #lines <= #before then
    return
  end
  local first = 1
  while lines[first] == before[first] do
    first = first + 1
  end
  local count = math.min(#lines - #before, math.ceil(api.nvim_win_get_height(float.win) / 2))
  require("nvim-acp.ui.window").reveal(float.win, first, first + count - 1)
end

-- Shows the first change of a diff, where the lines around it fill the float.
local function reveal_change(lines)
  local first
  for i, line in ipairs(lines) do
    local is_changed = vim.fn.match(line, changed) >= 0
    first = first or is_changed and i or nil
    if first and not (is_changed and lines[i + 1] and vim.fn.match(lines[i + 1], changed) >= 0) then
      return require("nvim-acp.ui.window").reveal(float.win, first, i)
    end
  end
end

---@param s acp.Session
---@param p acp.Permission
---@param focus boolean
---@param permit table the actions of keys: functions of permission/init.lua
function M.show(s, p, focus, permit)
  local before, lines
  float.show(s, p, focus, hints(p), function(buf)
    map_keys(s, p, buf, permit)
    before = api.nvim_buf_get_lines(buf, 0, -1, false)
    lines = fill(s, p, buf)
    return lines
  end, answers_of(p))
  if p.numbers and not vim.deep_equal(before, lines) and vim.fn.line("w0", float.win) == 1 then
    reveal_change(lines)
  end
  if opening == p.id and not vim.deep_equal(before, lines) then
    opening = nil
    reveal(before, lines)
  end
  light(float.buf)
  vim.schedule(door.look)
end

api.nvim_create_autocmd({ "WinScrolled", "CursorMoved" }, {
  group = api.nvim_create_augroup("nvim-acp.permit", {}),
  callback = function()
    door.look()
  end,
})

return M
