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
  require("nvim-acp.state").notify(s, "rewind", {
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
    what = "took back: " .. what
  end
  local parts = {}
  if turn.files > 0 then
    table.insert(parts, require("nvim-acp.rewind.plan").count(turn.files, "file"))
  end
  if turn.added + turn.removed > 0 then
    parts[1] = ("%s +%d -%d"):format(parts[1], turn.added, turn.removed)
  end
  table.insert(parts, turn.agent)
  if turn.time > 0 then
    table.insert(parts, (require("nvim-acp.ui.time").age(turn.time)))
  end
  local notes = turn.gone and { "taken back" } or {}
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

-- Lets the user choose how far a turn goes back.
local function choose(s, turn, talk)
  local function of(more)
    return vim.tbl_extend("force", { owner = turn.owner, entry = turn.id, files = true }, more or {})
  end
  local alone = choice(s, turn.rewind and "Undo this alone" or "Take back this turn alone", of({ only = true }))
  local items = { choice(s, "Files as before this, with all later turns taken back", of()) }
  if talk and turn.turn ~= "" then
    local function from(more)
      return vim.tbl_extend("force", { turn = turn.turn }, more)
    end
    items = {
      choice(s, "Files and conversation as before this", from({ files = true, talk = true })),
      choice(s, "Conversation as before this, files as they are", from({ talk = true })),
      choice(s, "Files as before this, conversation as it is", from({ files = true })),
    }
  end
  if turn.files > 0 and not turn.gone then
    table.insert(items, turn.rewind and 1 or #items + 1, alone)
  end
  select(items, turn.prompt)
end

--- Shows turns of a session, the newest first, to choose one from.
---@param s acp.Session
---@param turns acp.Turn[]
---@param talk boolean also the conversation may go back
---@param origin string local id of the session that this one goes on from, or ""
function M.list(s, turns, talk, origin)
  if origin ~= "" then
    table.insert(turns, 1, { origin = origin })
  end
  if #turns == 0 then
    local what = talk and "nothing was said in this session yet" or "no turn of this session has changed a file yet"
    return require("nvim-acp.ui.message").info(what)
  end
  require("nvim-acp.ui.choose").from(turns, {
    prompt = "Go back to before",
    kind = "acp-turn",
    format_item = row,
  }, function(turn)
    if turn and turn.origin then
      require("nvim-acp.sessions").chat({ session = turn.origin })
    elseif turn then
      choose(s, turn, talk)
    end
  end)
end

--- Shows what a rewind would do, and asks for a word.
---@param s acp.Session
---@param plan acp.RewindPlan
function M.plan(s, plan)
  require("nvim-acp.rewind.plan").show(s, plan, function()
    request(s, plan, false)
  end)
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
