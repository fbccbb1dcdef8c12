-- Opens and draws all that shows what an agent says, step by step.
local hostile = setmetatable({ ran = false, opened = {}, last = "" }, {
  __call = function(self) -- what %@v:lua.Hostile@ calls
    self.ran = true
    return ""
  end,
})
_G.Hostile = hostile
vim.cmd([[function! Hostile(...)
  lua Hostile.ran = true
endfunction]])

local api = vim.api
local acp = require("nvim-acp")

vim.ui.open = function(what)
  table.insert(hostile.opened, what)
end
vim.ui.select = function(items, opts, done)
  for _, item in ipairs(items) do
    local text = (opts.format_item or tostring)(item)
    assert(not text:find("%c"), "a choice has a control character")
  end
  done(nil, nil)
end
vim.ui.input = function(opts, done)
  assert(not (opts.prompt .. (opts.default or "")):find("%c"), "a question has a control character")
  done(nil)
end

function hostile.idle()
  local st = acp.status()
  return st ~= nil and st.state == "idle" and #st.queue == 0
end

-- Draws everything, and evaluates each bar.
local function draw()
  vim.cmd("redraw! | redrawstatus! | redrawtabline")
  for _, win in ipairs(api.nvim_list_wins()) do
    local bar, status = vim.wo[win].winbar, vim.wo[win].statusline
    api.nvim_eval_statusline(bar, { winid = win, use_winbar = true })
    api.nvim_eval_statusline(status, { winid = win })
  end
end

local function clean()
  vim.cmd("silent! tabonly! | silent! only!")
end

local function keys(text)
  api.nvim_feedkeys(vim.keycode(text), "mx", false)
end

local steps = {}
local function step(name, fn)
  table.insert(steps, { name, fn })
end

local function bars()
  local text = "%{%v:lua.require'nvim-acp'.statusline()%}"
  vim.o.title, vim.o.titlestring, vim.o.showtabline = true, text, 2
  vim.o.tabline = "%!v:lua.require'nvim-acp'.statusline()"
end

step("bars", bars)
for i = 1, 60 do
  step("terminal " .. i, function()
    local t = acp.terminals()[i]
    if t then
      clean()
      require("nvim-acp.terminal").open(t.id, i % 2 == 0 and "float" or "split", true)
      acp.terminals()
    end
  end)
end
for _, command in ipairs({
  "AcpTerminals",
  "AcpMode",
  "AcpModel",
  "AcpConfig",
  "AcpSessions",
  "AcpRules",
  "AcpSkills",
  "AcpAgents",
  "AcpSettings",
  "AcpReview",
  "AcpReview quickfix",
  "AcpQueue",
  "AcpUndo",
  "AcpRewind",
  "AcpLogin",
  "AcpAttach",
  "AcpConflict",
  "AcpFollow",
  "AcpTrust",
  "AcpLog",
  "AcpExport",
  "AcpUsage",
  "AcpStats",
}) do
  step(command, function()
    clean()
    acp.chat()
    if vim.fn.exists(":" .. command:match("^%w+")) == 2 then
      vim.cmd("silent! " .. command)
      for _ = 1, 4 do -- so that no two messages come between two frames
        vim.wait(5)
        vim.cmd.redraw()
      end
    end
  end)
end
step("log", function()
  acp.chat()
  vim.cmd("AcpLog")
  for row = 1, math.min(api.nvim_buf_line_count(0), 20) do
    pcall(api.nvim_win_set_cursor, 0, { row, 0 })
    keys("<Tab>")
  end
end)
for i = 1, 40 do
  step("jump " .. i, function()
    clean()
    acp.chat()
    local win = vim.fn.win_findbuf(acp.status().bufnr)[1]
    api.nvim_set_current_win(win)
    vim.cmd.stopinsert()
    local count = api.nvim_buf_line_count(0)
    api.nvim_win_set_cursor(win, { math.max(1, math.floor(count * i / 40)), i % 5 })
    keys(({ "<CR>", "<Tab>", "yc", "K", "gf" })[i % 5 + 1])
    vim.wait(5)
  end)
end
step("all of the transcript", function()
  clean()
  acp.chat()
  api.nvim_set_current_win(vim.fn.win_findbuf(acp.status().bufnr)[1])
  vim.cmd.stopinsert()
  for row = 1, api.nvim_buf_line_count(0), 40 do
    api.nvim_win_set_cursor(0, { row, 0 })
    vim.cmd("normal! zt")
    vim.cmd.redraw()
  end
end)
step("permit", function()
  vim.cmd("AcpPermit")
end)
for i = 1, 45 do
  step("permission " .. i, function()
    keys(({ "d", "f", "n", "n", "]f", "n" })[i % 6 + 1])
  end)
end
step("status line", function()
  clean()
  vim.o.statusline = "%f %{%v:lua.require'nvim-acp'.statusline()%} %{v:lua.require'nvim-acp'.statusline()}"
  acp.chat()
end)

local at, took = 0, {}

function hostile.step()
  at = at + 1
  local s = steps[at]
  if not s then
    return false
  end
  hostile.last = s[1]
  local began = vim.uv.hrtime()
  local ok, err = pcall(s[2])
  if not ok then
    api.nvim_echo({ { ("nvim-acp/step.lua:%d: %s: %s"):format(at, s[1], err) } }, true, {})
  end
  draw()
  table.insert(took, { (vim.uv.hrtime() - began) / 1e6, s[1] })
  return true
end

function hostile.drawn()
  draw()
  return true
end

function hostile.messages()
  return api.nvim_exec2("messages", { output = true }).output
end

function hostile.slowest()
  table.sort(took, function(a, b)
    return a[1] > b[1]
  end)
  local list = {}
  for i = 1, 3 do
    table.insert(list, ("%s %.0f ms"):format(took[i][2], took[i][1]))
  end
  return "slowest: " .. table.concat(list, ", ")
end
