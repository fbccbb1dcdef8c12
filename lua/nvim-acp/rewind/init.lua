--- :AcpUndo and :AcpRewind: go back to before a turn, in files, in the conversation or in both, after a look at what
--- that would do.
local M = {}

---@class acp.Turn a turn, or a rewind
---@field owner string local id of its session
---@field id integer of its changes in files, counted in that session; 0: none are known
---@field turn string key of its prompt, "" of a rewind
---@field time integer unix time, 0: not known
---@field prompt string its first line
---@field agent string
---@field rewind boolean it has taken back the changes of earlier ones
---@field files integer
---@field added integer lines
---@field removed integer
---@field gone boolean all of it has been taken back
---@field notes string[] what is not known of its changes

-- Asks the host for a rewind, or with `dry` for what it would do: what is of acp.RewindPlan, or has the `block` of a
-- prompt.
local function request(s, what, dry)
  local state = require("nvim-acp.state")
  if not state.sessions[s.id] then
    return require("nvim-acp.ui.message").info("the session was closed; nothing is taken back")
  end
  state.notify(s, "rewind", {
    owner = what.owner,
    entry = what.entry,
    only = what.only,
    turn = what.turn,
    block = what.block,
    files = what.files,
    talk = what.talk,
    dry = dry,
  })
end

-- Returns the line of a turn in the list.
local function row(turn)
  if turn.origin then
    return "the conversation before it went back"
  end
  local words = require("nvim-acp.ui.text")
  local what = turn.prompt ~= "" and turn.prompt or "(no words)"
  if turn.rewind then
    what = "undid: " .. what
  end
  local parts = {}
  if turn.files > 0 then
    table.insert(parts, words.count(turn.files, "file"))
  end
  if turn.added + turn.removed > 0 then
    parts[1] = ("%s %s"):format(parts[1], words.counts(turn.added, turn.removed))
  end
  table.insert(parts, turn.agent)
  if turn.time > 0 then
    table.insert(parts, (require("nvim-acp.ui.time").age(turn.time)))
  end
  local notes = turn.gone and { "undone" } or {}
  if #turn.notes > 0 then
    table.insert(notes, "not all of it is known")
  end
  local right = table.concat(parts, "  ")
  if #notes > 0 then
    right = ("%s  (%s)"):format(right, table.concat(notes, ", "))
  end
  local width = math.max(vim.o.columns - vim.api.nvim_strwidth(right) - 10, 20)
  what = words.line(what, width)
  return what .. (" "):rep(width - vim.api.nvim_strwidth(what)) .. "  " .. right
end

-- Lets the user choose one of several things to do.
local function select(items, prompt)
  require("nvim-acp.ui.choose").from(items, {
    prompt = require("nvim-acp.ui.text").line(prompt, math.max(vim.o.columns - 12, 20)),
    kind = "acp-undo",
    format_item = function(item)
      return item.text
    end,
  }, function(item)
    if item then
      item.run()
    end
  end)
end

-- Returns a choice that leads to a dry run.
local function choice(s, text, what)
  return {
    text = text,
    run = function()
      request(s, what, true)
    end,
  }
end

-- What there is to do with a turn: a key, a word, the words of a menu, and what the host is asked for.
local ways = {
  alone = { "a", "this alone", "Take back this turn alone", { only = true, files = true } },
  back = { "b", "as before", "Files as before this, with all later turns undone", { files = true } },
  both = { "b", "both", "Files and conversation as before this", { files = true, talk = true } },
  talk = { "c", "conversation", "Conversation as before this, files as they are", { talk = true } },
  files = { "f", "files", "Files as before this, conversation as it is", { files = true } },
}

-- Returns how far a turn can go back, the usual first.
local function ways_of(turn, talk)
  local list = talk and turn.turn ~= "" and { ways.both, ways.talk, ways.files } or { ways.back }
  if turn.files > 0 and not turn.gone then
    table.insert(list, turn.rewind and 1 or #list + 1, ways.alone)
  end
  return list
end

---@type { turn: acp.Turn, others: fun()? }? the turn that a dry run is of, and what lists the others
local trying

-- Asks for a dry run of what a way would do.
local function try(s, turn, way, others)
  trying = { turn = turn, others = others }
  local what = { owner = turn.owner, entry = turn.id }
  if way ~= ways.alone and way ~= ways.back then
    what = { turn = turn.turn }
  end
  request(s, vim.tbl_extend("force", what, way[4]), true)
end

-- Lets the user choose how far a turn goes back.
local function choose(s, turn, talk)
  local items = {}
  for _, way in ipairs(ways_of(turn, talk)) do
    table.insert(items, {
      text = way == ways.alone and turn.rewind and "Undo this alone" or way[3],
      run = function()
        try(s, turn, way)
      end,
    })
  end
  select(items, turn.prompt)
end

-- Goes to the session that this one goes on from.
local function go(turn)
  require("nvim-acp.sessions").chat({ session = turn.origin })
end

-- Returns why a turn cannot go back in a way.
local function why_not(turn, way)
  if turn.origin then
    return "it is another conversation: <CR> goes to it"
  elseif way ~= ways.alone then
    return "it is no prompt: it has only undone changes of files"
  end
  return turn.gone and "all of it is undone already" or "it has changed no file"
end

-- Returns the keys of the list of turns.
local function keys_of(s, talk)
  local list = {}
  for _, way in ipairs(talk and { ways.talk, ways.files, ways.alone } or { ways.alone, ways.back }) do
    table.insert(list, {
      way[1],
      way[2],
      way[3]:sub(1, 1):lower() .. way[3]:sub(2),
      run = function(turn)
        if not turn.origin and vim.tbl_contains(ways_of(turn, talk), way) then
          return try(s, turn, way)
        end
        require("nvim-acp.ui.message").info(why_not(turn, way))
      end,
      on = function(turn)
        return not turn.origin and vim.tbl_contains(ways_of(turn, talk), way)
      end,
    })
  end
  return list
end

-- Shows turns of a session, the newest first, to choose one from.
local function list(s, turns, talk)
  require("nvim-acp.ui.choose").from(turns, {
    prompt = talk and "Go back to before" or "Take back",
    kind = "acp-turn",
    format_item = row,
    usual = {
      "<CR>",
      "go back",
      "show what going back to before this would do",
      run = function(turn)
        if turn.origin then
          return go(turn)
        end
        try(s, turn, ways_of(turn, talk)[1])
      end,
    },
    keys = keys_of(s, talk),
  }, function(turn)
    if turn and turn.origin then
      go(turn)
    elseif turn then
      choose(s, turn, talk)
    end
  end)
end

--- Shows turns of a session. For :AcpUndo that is what taking back the last one would do, if there is one to be taken
--- back, and the list by a key.
---@param s acp.Session
---@param turns acp.Turn[] the newest first
---@param talk boolean also the conversation may go back
---@param origin string local id of the session that this one goes on from, or ""
function M.list(s, turns, talk, origin)
  local last = not talk and turns[1]
  if origin ~= "" then
    table.insert(turns, 1, { origin = origin })
  end
  if #turns == 0 then
    local what = talk and "nothing was said in this session yet" or "no turn of this session has changed a file yet"
    return require("nvim-acp.ui.message").info(what)
  elseif not last or last.gone or last.rewind or not require("nvim-acp.ui.choose").ours() then
    return list(s, turns, talk)
  end
  try(s, last, ways.back, #turns > 1 and function()
    list(s, turns, talk)
  end or nil)
end

--- Shows what a rewind would do, and asks for a word.
---@param s acp.Session
---@param plan acp.RewindPlan
function M.plan(s, plan)
  local of = trying or {}
  trying = nil
  require("nvim-acp.rewind.plan").show(s, plan, of.turn, function()
    request(s, plan, false)
  end, of.others)
end

--- Offers to edit a prompt of the transcript: to send it again, or to go on from there.
---@param s acp.Session
---@param block string id of its block
function M.edit(s, block)
  select({
    {
      text = "Edit it, and send it at the end",
      run = function()
        require("nvim-acp.state").notify(s, "again", { block = block })
        require("nvim-acp.chat").open(s, true)
      end,
    },
    choice(
      s,
      "Edit it, and go on from there: conversation and files as before it",
      { block = block, files = true, talk = true }
    ),
    choice(s, "Edit it, and go on from there: files as they are", { block = block, talk = true }),
  }, "This prompt")
end

--- Lists the turns of a session: for :AcpRewind all of them, for :AcpUndo those that have changed files.
---@param s acp.Session
---@param talk boolean
function M.run(s, talk)
  require("nvim-acp.state").notify(s, "turns", { talk = talk })
end

return M
