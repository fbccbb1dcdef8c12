--- Drafts: unsent prompts on disk. After a restart the next session of the folder gets them.
local M = {}

local api = vim.api

-- The most bytes of a draft with its context: while the user types, and where Neovim ends; and days.
local most, most_once, days = 512 * 1024, 16 * 1024 * 1024, 30

---@type table<string, uv.uv_timer_t>
local timers = {}
local watching = false
---@type table<string, boolean> sessions whose user was told that their draft is not stored
local warned = {}

---@type table<string, string> by session, the text that this Neovim has last stored
local stored = {}
---@type table<string, number> by session, when its prompt was last changed here, unix time
local changed = {}
---@type table<string, string[]> by session, the lines of its prompt unless they are on the disk: a Neovim that a signal
--- ends has unloaded the buffer before VimLeavePre, and a user may delete it
local typed = {}

local function now()
  local sec, usec = vim.uv.gettimeofday()
  return sec + usec / 1e6
end

-- Returns where the drafts of a session's folder are.
---@param s { id: string, cwd: string }
local function folder(s)
  return ("%s/nvim-acp/drafts/%s"):format(vim.fn.stdpath("state"), require("nvim-acp.ui.disk").name(s.cwd))
end

local function file(s)
  return ("%s/%s.json"):format(folder(s), s.id)
end

-- Of the prompts that were sent and not heard.
local function unheard_file(s)
  return ("%s/%s.unheard.json"):format(folder(s), s.id)
end

---@class acp.Draft
---@field text string
---@field attached table? what its mentions mean
---@field back string[]? ids of the prompts that came back into it
---@field unheard acp.Unsent[]? prompts that were sent, and not heard by the host when Neovim ended

---@type table<string, acp.Draft> by session, those that left and could not be stored on disk
local unstored = {}

-- Reports once for a session that its draft is not stored.
local function unkept(s, why)
  if not warned[s.id] then
    warned[s.id] = true
    require("nvim-acp.ui.message").warn(why)
  end
end

-- Returns a draft and when it was stored; the time alone if what the file has is no draft, nothing if there is no such
-- file of the user's.
local function read(path)
  if not require("nvim-acp.ui.own").is(path, "file") then
    return nil
  end
  local text, stat = require("nvim-acp.ui.disk").read(path)
  if not text then
    return nil
  end
  local ok, draft = pcall(vim.json.decode, text)
  local good = ok and type(draft) == "table" and type(draft.text) == "string"
  return good and draft or nil, stat and stat.mtime.sec + stat.mtime.nsec / 1e9 or 0
end

-- Reports whether this Neovim has written a draft. Its address does not say so: a user may give each the same.
local function written_here(draft)
  return vim.deep_equal(draft.neovim, require("nvim-acp.ui.process").own())
end

-- Reports whether another Neovim has stored a draft of the session since the prompt was changed here: one that took
-- the session over while this Neovim was stopped.
local function overtaken(s)
  local draft, time = read(file(s))
  return draft ~= nil and not written_here(draft) and time > (changed[s.id] or 0)
end

-- Writes the draft of a session, and reports whether it did.
local function put(s, draft, path)
  local ok, json = pcall(vim.json.encode, draft)
  if not ok or #json > math.max(most, 2 * #draft.text) and not draft.unheard then
    if draft.attached then
      unkept(s, "the draft is stored without its context, which is too large")
    end
    draft.attached = nil
    json = vim.json.encode(draft)
  end
  return require("nvim-acp.config.atomic").write(path or file(s), json)
end

--- Stores a prompt's text, or deletes the draft if there is none. A newer draft of another Neovim stays.
---@param s acp.Session
---@param buf integer? nil if it is no longer loaded: its text is what was typed last
---@param home string? where the session is from now on: the address of its host, "" if it ends and another may have the
--- draft
---@param long boolean? also a long one, which takes a while
function M.save(s, buf, home, long)
  if timers[s.id] then
    timers[s.id]:stop()
  end
  local loaded = buf and api.nvim_buf_is_loaded(buf)
  local lines = loaded and api.nvim_buf_get_lines(buf, 0, -1, false) or typed[s.id]
  typed[s.id] = nil
  if not lines or overtaken(s) then
    return
  end
  local text = table.concat(lines, "\n")
  local blank = vim.trim(text) == ""
  typed[s.id] = not (home or blank) and lines or nil
  local attached, back = require("nvim-acp.prompt.mention").attached(s), require("nvim-acp.prompt.returned").ids(s)
  unstored[s.id] = home and not blank and { text = text, attached = attached, back = back } or nil
  if #text > (long and most_once or most) then
    return unkept(s, "a prompt over 512 KiB is stored as Neovim ends") -- the previous draft stays
  end
  stored[s.id] = nil
  if blank or not require("nvim-acp.config").options.record.enabled then
    vim.uv.fs_unlink(file(s))
    return
  end
  local draft = { text = text, server = home or vim.v.servername, remote = s.remote }
  if not home then
    draft.neovim, draft.host = require("nvim-acp.ui.process").own(), require("nvim-acp.rpc").survivor()
  end
  draft.attached, draft.back = attached, back
  if put(s, draft) then
    unstored[s.id], typed[s.id], stored[s.id] = nil, nil, text
  else
    unkept(s, "the draft cannot be stored in " .. folder(s))
  end
end

--- Adds a prompt that came back after its session was closed to the draft of that session, which the next one of the
--- folder gets.
---@param s { id: string, cwd: string }
---@param prompt acp.Unsent
---@return boolean? stored nil if it is there already
function M.add(s, prompt)
  local draft = read(file(s)) or { text = "", server = "", back = {} }
  local back = type(draft.back) == "table" and draft.back or {}
  if vim.tbl_contains(back, prompt.id) then
    return nil
  end
  local mention = require("nvim-acp.prompt.mention")
  mention.attached(s, type(draft.attached) == "table" and draft.attached or {})
  local text = require("nvim-acp.prompt.returned").written(s, prompt.text, prompt.context)
  local attached = mention.attached(s)
  mention.forget(s)
  text = draft.text == "" and text or text .. "\n\n" .. draft.text
  if #text > most then
    return false
  end
  back = vim.list_extend(back, { prompt.id })
  return put(s, { text = text, server = "", remote = draft.remote, attached = attached, back = back })
end

--- Stores prompts that the next session of the folder gets.
---@param s acp.Session
---@param prompts acp.Unsent[]
---@param here boolean? once this Neovim has ended: without what was attached if that is long
function M.keep_unheard(s, prompts, here)
  if not require("nvim-acp.config").options.record.enabled then
    return
  end
  local draft = { text = "", server = here and vim.v.servername or "", remote = s.remote, unheard = prompts }
  draft.neovim = here and require("nvim-acp.ui.process").own() or nil
  local ok, json = pcall(vim.json.encode, draft)
  if not ok or here and #json > most then -- by what was attached
    draft.unheard = vim.tbl_map(function(p)
      return { id = p.id, text = p.text }
    end, prompts)
  end
  put(s, draft, unheard_file(s))
end

--- Deletes the prompts that this Neovim has stored for when it has ended.
---@param s acp.Session
function M.forget_unheard(s)
  local draft = read(unheard_file(s))
  if draft and written_here(draft) then
    vim.uv.fs_unlink(unheard_file(s))
  end
end

--- Stores the prompt a moment after a change, also while the user is typing.
---@param s acp.Session
---@param buf integer
function M.later(s, buf)
  changed[s.id], typed[s.id] = now(), api.nvim_buf_get_lines(buf, 0, -1, false)
  local timer = timers[s.id] or vim.uv.new_timer()
  timers[s.id] = timer
  if not timer:is_active() then
    timer:start(
      500,
      0,
      vim.schedule_wrap(function()
        M.save(s, buf)
      end)
    )
  end
  if watching then
    return
  end
  watching = true
  api.nvim_create_autocmd("VimLeavePre", {
    group = api.nvim_create_augroup("nvim-acp.draft", {}),
    callback = function()
      for id in pairs(timers) do
        local left = require("nvim-acp.state").sessions[id]
        if left then
          M.save(left, require("nvim-acp.state.buffers").prompt(left), nil, true)
        end
      end
    end,
  })
end

-- Reports whether a Neovim or a host answers at an address.
local function answers(address)
  local tcp = address:find("^[^/]+:%d+$")
  if not tcp and not require("nvim-acp.ui.own").is(address, "socket") then
    return false
  end
  local ok, channel = pcall(vim.fn.sockconnect, tcp and "tcp" or "pipe", address) -- of bytes: nothing is executed
  if ok and channel > 0 then
    vim.fn.chanclose(channel)
  end
  return ok and channel > 0
end

-- Reports whether the session of a draft is in a Neovim that still runs, or in a host. Those of this machine are known
-- by their processes: at its address another may listen by now, or nobody. Else what answers there counts. known has
-- which addresses answer: each is asked once, as one that is busy refuses after some 30 connections.
---@param draft table
---@param known table<string, boolean>
local function lives(draft, known)
  local process = require("nvim-acp.ui.process")
  local here, address = process.lives(draft.neovim), draft.server
  if here ~= nil then
    return here or process.lives(draft.host) or false
  elseif type(address) ~= "string" or address == "" or address == vim.v.servername then
    return false
  elseif known[address] == nil then
    known[address] = answers(address)
  end
  return known[address]
end

-- Returns a draft with the prompts of its session that were not heard, and removes both from the disk.
local function take_all(s, draft)
  local own, unheard = read(file(s)), read(unheard_file(s))
  vim.uv.fs_unlink(file(s))
  draft = own or draft
  draft.unheard = nil
  if unheard and not written_here(unheard) then
    vim.uv.fs_unlink(unheard_file(s))
    draft.unheard = type(unheard.unheard) == "table" and unheard.unheard or nil
  end
  return draft
end

--- Returns the session's own draft, or the newest one that a Neovim that has ended left in its folder, which then
--- belongs to the session. That of another session which is open here, or detached, stays.
---@param s acp.Session
---@return acp.Draft?
function M.take(s)
  if typed[s.id] then -- its buffer was unloaded
    M.save(s, nil, "", true)
  end
  local left = unstored[s.id]
  if left then
    unstored[s.id] = nil
    return left
  end
  local newest, when, id
  local known = {}
  for name in vim.fs.dir(folder(s)) do
    local path = folder(s) .. "/" .. name
    local draft, time = read(path)
    local half = not vim.endswith(name, ".json") -- it is incomplete, or its writer was killed
    local there = time ~= nil -- else another Neovim has taken it meanwhile, or it is no file of the user's
    if there and (os.time() - time > (half and 60 or days * 86400) or not (half or draft)) then
      vim.uv.fs_unlink(path)
    elseif there and not half and (path == file(s) or not lives(draft, known)) then
      local owner = name:match("^[^.]+")
      local mine = owner == s.id or (s.remote ~= nil and draft.remote == s.remote)
      local another = not mine and require("nvim-acp.state").sessions[owner] ~= nil
      if not another and (not when or mine or time > when) then
        newest, when, id = draft, mine and math.huge or time, owner
      end
    end
  end
  return newest and take_all({ id = id, cwd = s.cwd }, newest)
end

--- Reports whether the draft of a session is the one that this Neovim has stored: no other has taken it since.
---@param s acp.Session
---@return boolean
function M.own(s)
  local draft = read(file(s))
  return draft ~= nil and written_here(draft)
end

--- Returns what is in a prompt, in its order: what came back, and what was typed.
---@param s acp.Session
---@param buf integer of the prompt here
---@return acp.Unsent[]
function M.all(s, buf)
  local mention = require("nvim-acp.prompt.mention")
  local attached = mention.attached(s)
  local list = require("nvim-acp.prompt.returned").split(s, buf)
  for _, p in ipairs(list) do
    if not p.id then
      p.context = {}
      for _, name in ipairs(mention.names(p.text)) do
        if attached[name] then
          table.insert(p.context, vim.tbl_extend("force", attached[name], { as = name }))
        end
      end
    end
  end
  return list
end

--- Returns what has come into a prompt since its draft was last stored here: what came back, and what was typed.
---@param s acp.Session
---@param buf integer of the prompt here
---@return acp.Unsent[]
function M.unsaved(s, buf)
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
  local draft = read(file(s))
  if vim.trim(text) == "" or text == stored[s.id] or draft and text == draft.text then
    return {}
  end
  return M.all(s, buf)
end

---@param s acp.Session
---@param keep boolean? the draft stays on the disk
function M.forget(s, keep)
  if timers[s.id] then
    timers[s.id]:stop()
    timers[s.id]:close()
    timers[s.id] = nil
  end
  warned[s.id], stored[s.id], changed[s.id], typed[s.id] = nil, nil, nil, nil
  if not keep then
    vim.uv.fs_unlink(file(s))
  end
end

return M
