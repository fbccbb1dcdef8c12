--- The list of sessions, and the actions for the chosen one.
local M = {}

local sessions = require("nvim-acp.sessions")

-- Shortens a path that is too long to its end.
local function short(path, width)
  local n = vim.fn.strchars(path)
  return n <= width and path or "…" .. vim.fn.strcharpart(path, n - width + 1)
end

local function dot(row)
  local icons = require("nvim-acp.ui.style").icons()
  if row.state == "waiting" then
    return icons.ask
  end
  return row.state ~= "" and row.state ~= "disconnected" and icons.now or " "
end

local function note(row)
  local notes = {}
  if row.fork and not row.title:find("(fork)", 1, true) then -- some agents say so in the title
    table.insert(notes, "fork")
  end
  if row.in_use then
    table.insert(notes, "in another Neovim")
  elseif row.recorded and row.state == "" and (row.remote == "" or (row.can.known and not row.can.open)) then
    table.insert(notes, "record only")
  end
  return #notes > 0 and ("(%s)"):format(table.concat(notes, ", ")) or ""
end

local function widest(rows, key, most)
  local width = 0
  for _, row in ipairs(rows) do
    width = math.max(width, vim.api.nvim_strwidth(row[key]))
  end
  return math.min(width, most)
end

-- Returns an aligned line for each row, without the folder if all rows have the same.
local function lines(rows, cwd)
  local known = require("nvim-acp.config.agents").agents()
  for _, row in ipairs(rows) do
    row.shown = row.title ~= "" and row.title or "(no title)"
    row.name = row.agent_title ~= row.agent and row.agent_title or (known[row.agent] or {}).title or row.agent
    row.age, row.note = require("nvim-acp.ui.time").age(row.time), note(row)
    row.place = row.cwd ~= cwd and short(vim.fn.fnamemodify(row.cwd, ":~"), 30) or ""
  end
  local agent, age, place = widest(rows, "name", 24), widest(rows, "age", 10), widest(rows, "place", 30)
  local rest = agent + age + place + widest(rows, "note", 40) + 22 -- with the space between them, and the picker's own
  local title = widest(rows, "shown", math.max(vim.o.columns - rest, 20))
  local list = {}
  for _, row in ipairs(rows) do
    local column = require("nvim-acp.ui.text").column
    local parts = { dot(row), column(row.shown, title), "", column(row.name, agent), "", column(row.age, age), "" }
    vim.list_extend(parts, { column(row.place, place), "", row.note })
    list[row] = table.concat(parts, " "):gsub("%s+$", "")
  end
  return list
end

local function refusal(row)
  return row.agent_title .. " cannot do that"
end

-- Returns the actions for a row, { word, function }, and why others are not possible, by their words.
local function actions(row)
  local live, list, why = row.state ~= "", {}, {}
  local function add(word, problem, fn)
    if problem then
      why[word] = problem
    else
      table.insert(list, { word = word, run = fn })
    end
  end
  local function unable(able)
    if row.can.known and not able then
      return refusal(row)
    end
    if row.state == "starting" then
      return row.agent_title .. " is still starting"
    end
    return row.remote == "" and "its agent does not know it"
  end
  local elsewhere = row.in_use and "it is open in another Neovim"
  local unrecorded = not row.recorded and "it has no record"
  add("Open", not live and (elsewhere or unable(row.can.open)), sessions.open)
  add("Read the record", unrecorded or live and "it is open, <CR> shows it", sessions.view)
  add("Continue from this in a new session", unrecorded, sessions.continue)
  add("Fork", unable(row.can.fork), sessions.fork)
  add("Rename", elsewhere, sessions.rename)
  add("Close", not live and (elsewhere or "it is not open"), function()
    sessions.close(row.id)
  end)
  add("Delete", elsewhere or not (row.recorded or live) and unable(row.can.delete), sessions.delete)
  return list, why
end

-- Lets the user choose one of all actions for a session.
local function act(row)
  local list, why = actions(row)
  local prompt = row.title ~= "" and row.title or "Session"
  local cannot = {}
  for _, word in ipairs({ "Open", "Fork", "Delete" }) do
    if why[word] == refusal(row) then
      table.insert(cannot, word:lower())
    end
  end
  if #cannot > 0 then
    prompt = ("%s (%s cannot %s)"):format(prompt, row.agent_title, table.concat(cannot, ", "))
  end
  if row.in_use then
    prompt = prompt .. " (open in another Neovim)"
  end
  require("nvim-acp.ui.choose").from(list, {
    prompt = require("nvim-acp.ui.text").line(prompt, math.max(vim.o.columns - 12, 20)),
    kind = "acp-action",
    format_item = function(action)
      return action.word
    end,
  }, function(action)
    if action then
      action.run(row)
    end
  end)
end

-- The keys of the list, beside <CR>, and the actions that they are for.
local keyed = {
  { "r", "read", "read the record", "Read the record" },
  { "c", "continue", "continue from this in a new session", "Continue from this in a new session" },
  { "f", "fork", "make a copy of this session", "Fork" },
  { "R", "rename", "give it another title", "Rename" },
  { "x", "close", "close this session", "Close" },
  { "D", "delete", "delete it, after a question", "Delete" },
}

-- Does one thing with a session, if that is possible.
local function run(word, row)
  local list, why = actions(row)
  for _, action in ipairs(list) do
    if action.word == word then
      return action.run(row)
    end
  end
  require("nvim-acp.ui.message").info(("%s: %s"):format(word:lower(), why[word]), { why[word] })
end

-- Does the usual with a session: opens it, else reads its record, else continues from it.
local function usual(row)
  local first = actions(row)[1]
  if first then
    first.run(row)
  end
end

-- Returns the keys for rows, some of which may be for other things.
local function keys_for(is_row)
  local list = {}
  for _, key in ipairs(keyed) do
    table.insert(list, {
      key[1],
      key[2],
      key[3],
      run = function(row)
        if is_row(row) then
          run(key[4], row)
        end
      end,
      on = function(row)
        return is_row(row) and select(2, actions(row))[key[4]] == nil
      end,
    })
  end
  return list
end

-- Returns the name of the file that a session was begun in.
local function file(row)
  return row.placed.path ~= "" and vim.fn.fnamemodify(row.placed.path, ":t") or "buffer"
end

-- Returns the rows with those of edits and questions under their file: a row for each file that has more than one.
local function folded(rows)
  local list, files = {}, {}
  for _, row in ipairs(rows) do
    local into = row.placed and files[row.placed.path]
    if into then
      table.insert(into.rows, row)
      into.state = into.state ~= "" and into.state or row.state
    elseif row.placed then
      into = vim.tbl_extend("force", row, { rows = { row } })
      files[row.placed.path] = into
      table.insert(list, into)
    else
      table.insert(list, row)
    end
  end
  for i, row in ipairs(list) do
    if row.rows and #row.rows == 1 then
      list[i] = row.rows[1]
      list[i].title = ("%s: %s"):format(file(row), row.title)
    elseif row.rows then
      row.title = ("%s: %d edits and questions"):format(file(row), #row.rows)
      row.agent, row.agent_title = "", ""
    end
  end
  return list
end

-- Lets the user choose one of the sessions of a file.
local function choose(row, cwd)
  local texts = lines(row.rows, cwd)
  require("nvim-acp.ui.choose").from(row.rows, {
    prompt = "Edits and questions in " .. file(row),
    kind = "acp-session",
    format_item = function(item)
      return texts[item]
    end,
    usual = { "<CR>", "open", "open this session", run = usual },
    keys = keys_for(function()
      return true
    end),
  }, function(item)
    if item then
      act(item)
    end
  end)
end

-- Returns the first row of a session that is not in sight.
local function first(rows)
  local s = require("nvim-acp.state").current()
  local tab = vim.api.nvim_get_current_tabpage()
  local seen = s and #require("nvim-acp.state.buffers").windows(s, "transcript", tab) > 0
  return seen and rows[1].id == s.id and rows[2] and 2 or 1
end

-- Returns where a session is in other rows of the list.
local function place(rows, session)
  for i, row in ipairs(rows) do
    local known = row.id ~= "" and row.id == session.id
    if known or row.remote ~= "" and row.remote == session.remote and row.agent == session.agent then
      return i
    end
  end
end

-- The list that is shown before all agents have answered: its number, and what gives it other rows.
local begun = {}

--- Shows the list.
---@param rows acp.SessionRow[]
---@param query string
---@param cwd string "": all folders
---@param more boolean agents have further pages
---@param part { n: integer, asking: string[], again: boolean } its number, the agents that are yet to answer, whether
---  it was shown before they had
function M.show(rows, query, cwd, more, part)
  if #rows == 0 and not more then
    local what = query ~= "" and ("no session has “%s”"):format(query) or "no sessions yet"
    return require("nvim-acp.ui.message").info(what .. (cwd ~= "" and " in this folder; :AcpSessions! has all" or ""))
  end
  rows = query == "" and folded(rows) or rows
  local texts = lines(rows, cwd)
  local items = vim.list_slice(rows)
  if more then
    table.insert(items, "more")
  end
  local prompt = query ~= "" and ("Sessions with “%s”"):format(query) or "Sessions"
  if #part.asking > 0 then
    prompt = ("%s (asking %s…)"):format(prompt, table.concat(part.asking, ", "))
  end
  if part.again then
    if begun.n == part.n then
      begun.replace(items, texts, prompt)
      begun = {}
    end
    return
  end

  local function take(item, one)
    if item == "more" then
      require("nvim-acp.rpc").notify("sessions", { more = true, query = query, cwd = cwd })
    elseif item and item.rows then
      choose(item, cwd)
    elseif item then
      one(item)
    end
  end
  local replace = require("nvim-acp.ui.choose").from(items, {
    prompt = prompt,
    kind = "acp-session",
    at = #rows > 0 and first(rows) or 1,
    format_item = function(item)
      return item == "more" and "  more…" or texts[item]
    end,
    usual = {
      "<CR>",
      "open",
      "open this session",
      run = function(item)
        take(item, usual)
      end,
    },
    keys = keys_for(function(item)
      return item ~= "more" and not item.rows
    end),
  }, function(item)
    take(item, act)
  end)
  if replace then
    begun = {
      n = part.n,
      replace = function(new, shown, above)
        texts = shown
        replace(new, above, function(row)
          return place(new, row)
        end)
      end,
    }
  end
end

--- Asks the host for the list: open sessions, recorded ones, and those of agents that run or could be started.
---@param query string
---@param all boolean all folders
function M.ask(query, all)
  local agents = require("nvim-acp.config.agents")
  local cwd = vim.fn.getcwd()
  local name = agents.default()
  local spec = name and agents.spec(name)
  require("nvim-acp.rpc").notify("sessions", {
    query = query,
    cwd = all and "" or cwd,
    folder = cwd,
    agents = { spec },
    soon = require("nvim-acp.ui.choose").ours(),
  })
end

-- Actions of :AcpSessions for the current session.
local words = {
  read = sessions.view,
  fork = sessions.fork,
  delete = sessions.delete,
}

local function current()
  local s = require("nvim-acp.state").current()
  if not s then
    require("nvim-acp.ui.message").warn("no chat yet; :AcpSessions lists previous ones")
  end
  return s and sessions.row(s)
end

--- Runs :AcpSessions: an action for the current session, or the list with a query.
---@param text string
---@param all boolean
function M.run(text, all)
  local word, rest = text:match("^(%S*)%s*(.-)%s*$")
  if word == "rename" or (word == "continue" and not rest:find(" ")) then
    local row = current()
    if row and word == "rename" then
      sessions.rename(row, rest ~= "" and rest or nil)
    elseif row then
      sessions.continue(row, rest ~= "" and rest or nil)
    end
  elseif words[word] and rest == "" then
    local row = current()
    if row and word == "fork" and not row.can.fork then
      local why = row.state == "starting" and "%s is still starting" or "%s cannot fork sessions"
      require("nvim-acp.ui.message").warn(why:format(row.agent_title))
    elseif row then
      words[word](row)
    end
  else
    M.ask(text, all)
  end
end

return M
