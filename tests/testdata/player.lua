-- What TestPlayer has in Neovim, as P.
local acp = require("nvim-acp")
local P = { said = {}, all = {}, from = {} }
vim.o.hidden, vim.o.shortmess, vim.o.more = true, vim.o.shortmess .. "FAIc", false
vim.keymap.set({ "n", "x", "i" }, "<F7>", "<Cmd>lua P.ends = P.ends + 1<CR>")
-- A modified buffer whose file has changed is left as it is: Neovim asks about it for a moment after an attach.
vim.api.nvim_create_autocmd("FileChangedShell", {
  callback = function(args)
    vim.v.fcs_choice = vim.bo[args.buf].modified and "" or "reload" -- the user answers, where 'autoread' is off
    table.insert(P.all, "Neovim would ask: W12")
  end,
})
-- Whatever the user is asked, they answer at random.
vim.ui.select = function(items, opts, done)
  local i = #items > 0 and (opts.kind == "acp-attach" and 1 or math.random(#items)) or nil
  P.asked = i and opts.format_item and opts.format_item(items[i]) or ""
  vim.schedule(function()
    done(i and items[i], i)
  end)
end
vim.ui.input = function(opts, done)
  vim.schedule(function()
    done("some words")
  end)
end
vim.notify = function(text)
  table.insert(P.said, text)
  table.insert(P.all, text)
end
function P.prompt(s)
  local buf = require("nvim-acp.state.buffers").prompt(s)
  return buf and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") or ""
end
-- The prompt of a session whose chat was not opened since it was attached.
function P.draft(id)
  local s = require("nvim-acp.state").sessions[id]
  if s then
    require("nvim-acp.prompt").ensure(s)
  end
  return s and P.prompt(s) or ""
end
-- Notes of which session another one is a copy.
for _, name in ipairs({ "go_on", "fork" }) do
  local begin = require("nvim-acp.sessions")[name]
  require("nvim-acp.sessions")[name] = function(from, ...)
    local before = vim.tbl_keys(require("nvim-acp.state").sessions)
    begin(from, ...)
    for id in pairs(require("nvim-acp.state").sessions) do
      if not vim.tbl_contains(before, id) then
        P.from[id] = from.id
      end
    end
  end
end
-- The window of what going back would do.
local function plan()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local title = vim.inspect(vim.api.nvim_win_get_config(win).title or "")
    if title:find("Go b") or title:find("Take") or title:find("Rest") then -- it may be cut
      return win
    end
  end
end
-- What has come of a wish to go back: "plan" if that window is there.
function P.planned()
  if plan() then
    return "plan"
  end
  if #P.said > 0 then
    return "said"
  end
  return P.asked == "the conversation before it went back" and "back" or ""
end
-- Agrees to the plan, unless all of it is refused, and returns it. A key might come to a window that has just opened.
function P.agree()
  local win = plan()
  if not win then
    return "gone"
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), "; ")
  vim.api.nvim_set_current_win(win)
  vim.cmd("normal! G") -- it is done only once all of it was on the screen
  vim.cmd("redraw")
  local key = vim.fn.maparg("<CR>", "n", false, true)
  key = key.callback and key or vim.fn.maparg("q", "n", false, true)
  key.callback()
  return text
end
-- Closes what the user has read.
function P.tidy()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
    if vim.fs.basename(name):find("^Usage") then
      pcall(vim.api.nvim_win_close, win, true)
    end
  end
end
function P.sessions()
  local list = {}
  for _, st in ipairs(acp.sessions()) do
    local s = require("nvim-acp.state").sessions[st.session]
    local waits = 0
    for i in ipairs(st.queue) do
      waits = waits + (s.held and s.held[i] and 0 or 1)
    end
    table.insert(list, {
      id = s.id,
      from = P.from[s.id] or "",
      remote = s.remote or "",
      state = st.state,
      mode = st.mode or "",
      pending = st.pending,
      placed = st.place ~= nil,
      behind = require("nvim-acp.rpc").running() and (s.seen or 0) < s.sent,
      form = s.permissions[1] ~= nil and s.permissions[1].form ~= nil,
      queue = st.queue,
      waits = waits,
      used = s.usage and s.usage.used or 0,
      children = s.children or 0,
      prompt = P.prompt(s),
      text = st.bufnr and table.concat(vim.api.nvim_buf_get_lines(st.bufnr, 0, -1, false), "\n") or "",
    })
  end
  return list
end
function P.text(name)
  local buf = vim.fn.bufnr(name)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n") .. "\n"
end
-- Notes which words come into a buffer and go from it, and by whom.
P.log = {}
local function count(buf)
  local set = {}
  for _, l in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    for w in l:gmatch("[ua]%d%d%d%d%dz") do
      set[w] = true
    end
  end
  return set
end
local followed = {}
function P.follow(buf, name)
  if followed[buf] then
    return
  end
  followed[buf] = true
  local had = count(buf)
  local function look(how, first, last, now_last)
    local now, what = count(buf), {}
    for w in pairs(had) do
      if not now[w] then
        table.insert(what, "-" .. w)
      end
    end
    for w in pairs(now) do
      if not had[w] then
        table.insert(what, "+" .. w)
      end
    end
    had = now
    if #what == 0 then
      return
    end
    local sec, us = vim.uv.gettimeofday()
    if first then
      how = ("%s [%d,%d)->%d"):format(how, first, last, now_last)
    end
    local by = debug.traceback("", 3):match("lua/nvim%-acp/(%S+:%d+)") or "Neovim"
    table.insert(
      P.log,
      ("%s.%03d   %s %s: %s %s"):format(os.date("%H:%M:%S", sec), us / 1000, how, name, table.concat(what, " "), by)
    )
  end
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, now_last)
      look("now", first, last, now_last)
    end,
    on_reload = function()
      look("reloaded")
    end,
    on_detach = function()
      followed[buf] = nil
    end,
  })
end
-- Goes to a file in a window of files.
function P.visit(name)
  local buf, at = vim.fn.bufadd(name), nil
  if vim.fn.bufloaded(buf) == 0 then
    vim.fn.bufload(buf)
    vim.bo[buf].buflisted = true
  end
  P.follow(buf, name)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local b = vim.api.nvim_win_get_buf(win)
    local plain = vim.api.nvim_win_get_config(win).relative == "" and vim.bo[b].buftype == "" and not vim.b[b].acp_kind
    if plain and not vim.wo[win].winfixbuf and not vim.wo[win].previewwindow then
      at = at or win
    end
  end
  if not at then
    if not pcall(vim.cmd, "topleft new") then -- no room
      vim.cmd("tabnew")
    end
    at = vim.api.nvim_get_current_win()
  end
  vim.api.nvim_set_current_win(at)
  vim.api.nvim_win_set_buf(at, buf)
  if P.served then
    P.serve(buf)
  end
end
local server = dofile((debug.getinfo(1, "S").source:sub(2):gsub("%.lua$", "_server.lua")))
function P.serve(buf)
  P.served = true
  if #vim.lsp.get_clients({ bufnr = buf, name = "player" }) == 0 then
    vim.lsp.start({ name = "player", cmd = server, root_dir = vim.fn.getcwd() }, { bufnr = buf })
  end
end
-- Sends the errors that the last turn has brought, if they are offered.
function P.send_errors(id)
  local s = require("nvim-acp.state").sessions[id]
  require("nvim-acp.state").notify(s, "send_errors", {})
end
-- Goes to a line outside of conflicts.
function P.line(where)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.api.nvim_win_set_cursor(0, { 1 + math.floor(where * #lines), 0 })
end
-- The sessions that have changed a file.
function P.owners(name)
  local out = {}
  for _, c in ipairs(acp.changes()) do
    if vim.fs.basename(c.path) == name then
      table.insert(out, c.session)
    end
  end
  return out
end
-- Neovim itself looks only at files that are in a window.
function P.checktime()
  for _, name in ipairs({ "a.txt", "b.txt", "c.txt" }) do
    if vim.fn.bufloaded(name) == 1 then
      vim.cmd("silent! checktime " .. vim.fn.bufnr(name))
    end
  end
end
function P.files()
  local out = {}
  for _, name in ipairs({ "a.txt", "b.txt", "c.txt" }) do
    if vim.fn.bufloaded(name) == 1 then
      table.insert(out, { name = name, text = P.text(name), modified = vim.bo[vim.fn.bufnr(name)].modified })
    end
  end
  return out
end
function P.floats()
  local n = 0
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "acp-permission" then
      n = n + 1
    end
  end
  return n
end
function P.problems()
  local log = vim.fn.filereadable(vim.fn.stdpath("log") .. "/nvim-acp.log") == 1
      and vim.fn.readfile(vim.fn.stdpath("log") .. "/nvim-acp.log")
    or {}
  return vim.fn.execute("messages") .. "\n" .. table.concat(P.all, "\n") .. "\n" .. table.concat(log, "\n")
end

-- Attaches the host that no Neovim has.
function P.attach()
  require("nvim-acp.attach.hosts").list(function(hosts)
    for _, host in ipairs(hosts) do
      if host.neovim == 0 and not host.ended then
        return acp.attach({ pid = host.pid })
      end
    end
  end)
end
local adopt = require("nvim-acp.rpc").adopt
require("nvim-acp.rpc").adopt = function(...)
  P.adopted = true
  return adopt(...)
end
-- Takes the host of another Neovim.
function P.take_over(pid)
  require("nvim-acp.attach.hosts").list(function(hosts)
    for _, host in ipairs(hosts) do
      if host.neovim == pid then
        return acp.attach({ pid = host.pid })
      end
    end
    vim.notify("nothing to take over")
  end)
end

-- Lines that an agent was asked about, in the file that is shown.
P.ends, P.results = 0, {}
function P.edit(kind, first, lines, instruction)
  local last = vim.api.nvim_buf_line_count(0)
  first = math.min(first, last)
  return require("nvim-acp.edit").run({
    range = { first, math.min(first + lines, last) },
    agent = "scripted",
    instruction = instruction,
    on_done = function(result)
      table.insert(P.results, result.result)
    end,
  }, kind)
end
local function place_of(s)
  return require("nvim-acp.edit.place").all[s]
end
-- Goes to the lines of a session, and returns how far it is, with the lines as they were when the agent was asked.
function P.to_place(s)
  local p = place_of(s)
  if not p or p.aside or not vim.api.nvim_buf_is_loaded(p.buf) then
    return { phase = "" }
  end
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(p.buf))
  P.visit(name)
  local row = require("nvim-acp.edit.place").rows(p)
  vim.api.nvim_win_set_cursor(0, { math.min(row + 1, vim.api.nvim_buf_line_count(0)), 0 })
  return { kind = p.kind, phase = p.phase, name = name, told = table.concat(p.told or {}, "\n") }
end
function P.close_answer(s)
  local p, answer = place_of(s), require("nvim-acp.edit.answer")
  answer.close(p)
  answer.actions.close(p)
end
function P.at_work()
  local n = 0
  for _, p in pairs(require("nvim-acp.edit.place").all) do
    n = n + (p.phase == "working" and 1 or 0)
  end
  return n
end

function P.login(id)
  local s = require("nvim-acp.state").sessions[id] -- an edit may be over
  if s then
    require("nvim-acp.state").notify(s, "login", { method = "browser" })
  end
end
function P.fork(id)
  local s, sessions = require("nvim-acp.state").sessions[id], require("nvim-acp.sessions")
  if s.can and s.can.fork and s.remote then
    sessions.fork(sessions.row(s))
  end
end
-- What to do with the first prompt of a queue.
function P.queue(id, action)
  local s = require("nvim-acp.state").sessions[id]
  local text = s.queue[1]
  if text then
    require("nvim-acp.state").notify(s, "queue", { action = action, index = 1, text = text })
  end
  return text or ""
end
-- Makes a rule of the first request, for the session.
function P.rule(id)
  local s = require("nvim-acp.state").sessions[id]
  local p = s.permissions[1]
  local door = require("nvim-acp.permission.door")
  if not p or p.form or #(p.suggest or {}) == 0 or not door.may_allow(p) then
    return ""
  end
  door.rule(s, p, p.suggest[1], "session")
  return p.suggest[1]
end
-- Has the transcript of a session sent again; the answer is a number that is reached when that has come.
function P.again(id)
  local s = require("nvim-acp.state").sessions[id]
  require("nvim-acp.state").notify(s, "redraw")
  return s.sent
end
function P.heard(id)
  return require("nvim-acp.state").sessions[id].seen or 0
end
-- Closes the files, as they are on the disk.
function P.leave_files()
  for _, name in ipairs({ "a.txt", "b.txt", "c.txt" }) do
    if vim.fn.bufexists(name) == 1 then
      vim.cmd("silent bwipeout! " .. name)
    end
  end
end

return P
