-- What runs in Neovim while it is measured, and the bare loops that are the limits.
local M = {}

local api, uv = vim.api, vim.uv

--- Begins to note the gaps between ticks of 2 ms.
function M.watch()
  M.timer, M.ticks, M.busy = assert(uv.new_timer()), {}, 0
  local last, used = uv.hrtime(), os.clock()
  M.timer:start(2, 2, function()
    local now, clock = uv.hrtime(), os.clock()
    table.insert(M.ticks, (now - last) / 1e6)
    M.busy = math.max(M.busy, (clock - used) * 1e3)
    last, used = now, clock
  end)
end

--- Ends that.
---@return table in milliseconds; over is the sum of those over 16, busy the most processor time between two ticks
function M.gaps()
  M.timer:close()
  local over = 0
  for _, gap in ipairs(M.ticks) do
    over = over + (gap > 16 and gap or 0)
  end
  table.sort(M.ticks)
  local n = #M.ticks
  return { max = M.ticks[n] or 0, p99 = M.ticks[math.max(math.floor(n * 0.99), 1)] or 0, over = over, busy = M.busy }
end

local function say(what)
  vim.rpcnotify(M.channel, "bench", what)
end

local function text_of(update)
  if update.sessionUpdate ~= "tool_call" then
    return update.content.text
  end
  local lines = { update.title }
  for _, content in ipairs(update.content or {}) do
    for sign, text in pairs({ ["-"] = content.oldText, ["+"] = content.newText }) do
      for _, line in ipairs(vim.split(text, "\n")) do
        table.insert(lines, sign .. line)
      end
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- A window for a bare loop, and what appends text to it.
local function window()
  local buf = api.nvim_create_buf(false, true)
  M.win = api.nvim_open_win(buf, false, { split = "right", win = -1 })
  vim.wo[M.win].wrap = true
  return function(text)
    local lines = vim.split(text, "\n", { plain = true })
    local last = api.nvim_buf_line_count(buf)
    local tail = api.nvim_buf_get_lines(buf, last - 1, last, false)[1]
    lines[1] = tail .. lines[1]
    api.nvim_buf_set_lines(buf, last - 1, last, false, lines)
    api.nvim_win_set_cursor(M.win, { last - 1 + #lines, 0 })
  end
end

--- The limit of a stream: a client in Lua that decodes and appends in batches of 16 ms, and does nothing else.
---@param exe string
---@param dir string
---@param prompt string what the agent is to do
function M.bare(exe, dir, prompt)
  local append = window()
  local stdin, stdout, timer = assert(uv.new_pipe()), assert(uv.new_pipe()), assert(uv.new_timer())
  local texts, rest, over = {}, "", false
  local process = uv.spawn(exe, { args = { "agent", dir }, stdio = { stdin, stdout, nil } }, function() end)
  local function take(line)
    local m = vim.json.decode(line)
    if m.method then
      table.insert(texts, text_of(m.params.update))
    else
      over = true
    end
  end
  stdout:read_start(function(_, data)
    local at = 1
    while data do
      local stop = data:find("\n", at, true)
      if not stop then
        rest = rest .. data:sub(at)
        break
      end
      take(rest .. data:sub(at, stop - 1))
      rest, at = "", stop + 1
    end
  end)
  timer:start(0, 16, function()
    if #texts == 0 and not over then
      return
    end
    vim.schedule(function()
      if #texts > 0 then
        append(table.concat(texts))
        texts = {}
      end
      if over and process then
        timer:close()
        stdin:close()
        stdout:close()
        process:close()
        process = nil
        say("bare")
      end
    end)
  end)
  stdin:write(vim.json.encode({
    jsonrpc = "2.0",
    id = 1,
    method = "session/prompt",
    params = { sessionId = "bare", prompt = { { type = "text", text = prompt } } },
  }) .. "\n")
end

--- Takes the window of a bare loop away.
function M.clear()
  local buf = api.nvim_win_get_buf(M.win)
  api.nvim_win_close(M.win, true)
  api.nvim_buf_delete(buf, { force = true })
  collectgarbage()
end

--- How long code takes, in milliseconds: the median of five runs, each with the garbage of the one before to collect.
---@param code string
---@return number
function M.time(code)
  local times, chunk = {}, assert(loadstring(code))
  for i = 1, 5 do
    collectgarbage() -- an agent's request comes seconds after the last one, and finds no lines of that
    local began = uv.hrtime()
    chunk()
    times[i] = (uv.hrtime() - began) / 1e6
  end
  table.sort(times)
  return times[3]
end

local function range(line)
  return { start = { line = line, character = 0 }, ["end"] = { line = line, character = 4 } }
end

-- What a language server answers about a file.
local function answers(uri)
  local locations, symbols = {}, {}
  for i = 1, 500 do
    table.insert(locations, { uri = uri, range = range(i) })
    table.insert(symbols, { name = "symbol" .. i, kind = 12, range = range(i), selectionRange = range(i) })
  end
  return {
    initialize = {
      capabilities = {
        textDocumentSync = 1,
        referencesProvider = true,
        hoverProvider = true,
        documentSymbolProvider = true,
      },
    },
    ["textDocument/references"] = locations,
    ["textDocument/documentSymbol"] = symbols,
    ["textDocument/hover"] = { contents = "a text" },
  }
end

--- Attaches a language server within Neovim to the first buffer, which finds n problems in it.
---@param n integer
function M.serve(n)
  local uri = vim.uri_from_bufnr(1)
  local given = answers(uri)
  local client = vim.lsp.start({
    name = "bench",
    root_dir = vim.fn.getcwd(),
    cmd = function(dispatchers)
      return {
        request = function(method, _, callback)
          vim.schedule(function()
            callback(nil, given[method] or vim.NIL)
          end)
          return true, 1
        end,
        notify = function(method)
          if method == "textDocument/didOpen" then
            local list = {}
            for i = 1, n do
              table.insert(
                list,
                { range = range(i), severity = 1, message = "a problem of some words", source = "bench" }
              )
            end
            vim.schedule(function()
              dispatchers.notification("textDocument/publishDiagnostics", { uri = uri, diagnostics = list })
            end)
          end
          return true
        end,
        is_closing = function()
          return false
        end,
        terminate = function() end,
      }
    end,
  }, { bufnr = 1 })
  assert(client and vim.wait(5000, function()
    return #vim.diagnostic.get(1) == n
  end))
end

--- Opens n files, each with a problem.
---@param n integer
function M.open(n)
  local ns = api.nvim_create_namespace("bench.problems")
  for i = 1, n do
    local name = ("%s/files/%d.txt"):format(vim.fn.getcwd(), i)
    vim.fn.mkdir(vim.fs.dirname(name), "p")
    vim.fn.writefile({ "a line", "another" }, name)
    local buf = vim.fn.bufadd(name)
    vim.fn.bufload(buf)
    vim.bo[buf].buflisted = true
    vim.diagnostic.set(ns, buf, { { lnum = 0, col = 0, message = "a problem" } })
  end
end

--- Opens a previous session, and notes when its transcript fills a screen: after how many milliseconds, and in those of
--- the clock.
function M.first_lines(id)
  local began, timer = uv.hrtime(), assert(uv.new_timer())
  M.first = nil
  require("nvim-acp").chat({ session = id, agent = "bench" })
  timer:start(1, 1, function()
    vim.schedule(function()
      local buf = require("nvim-acp").status().bufnr
      if not M.first and buf and api.nvim_buf_line_count(buf) > 50 then
        local now = uv.clock_gettime("realtime")
        M.first = { took = (uv.hrtime() - began) / 1e6, at = now.sec * 1e3 + now.nsec / 1e6 }
        timer:close()
      end
    end)
  end)
end

--- Attaches to the only host, and says when its chat is on the screen with the end of the transcript, and when all is
--- drawn.
function M.attach()
  local timer, said, buf = assert(uv.new_timer()), false, nil
  require("nvim-acp").attach()
  timer:start(1, 1, function()
    vim.schedule(function()
      local st = not buf and require("nvim-acp").status() -- once: it copies what it says
      buf = buf or st and st.bufnr
      local lines = buf and api.nvim_buf_line_count(buf) or 0
      local win = not said and buf and vim.fn.bufwinid(buf) or -1
      if not said and lines > 20 and win > 0 and vim.fn.line("w$", win) == lines then
        said = true
        vim.cmd.redraw()
        say("attached")
      elseif said and lines > 30000 and not timer:is_closing() then
        timer:close()
        say("whole")
      end
    end)
  end)
end

--- Marks lines as an edit of them does that comes within a second: those that go, and virtual ones for those that come.
function M.edit(first, texts, changed)
  local ns, timer, done = api.nvim_create_namespace("bench"), assert(uv.new_timer()), 0
  timer:start(10, 10, function()
    vim.schedule(function()
      for i = done + 1, math.min(done + 5, #texts) do
        if texts[i] ~= changed[i] then
          local row = first + i - 1
          api.nvim_buf_set_extmark(0, ns, row, 0, { end_row = row + 1, hl_group = "DiffDelete", hl_eol = true })
          api.nvim_buf_set_extmark(0, ns, row, 0, { virt_lines = { { { changed[i], "DiffAdd" } } } })
        end
      end
      done = done + 5
      if done >= #texts and not timer:is_closing() then
        timer:close()
        api.nvim_buf_clear_namespace(0, ns, 0, -1)
        say("edited")
      end
    end)
  end)
end

return M
