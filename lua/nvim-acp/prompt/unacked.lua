--- Prompts that the host has not heard of, or not sent as it ends with Neovim: one that hangs may never read them. They
--- are on the disk then, and in the next prompt of their folder, unless the host has had them after all.
local M = {}

local watching = false

-- Returns the prompts of a session that the host has not acknowledged.
local function left(s)
  return vim.tbl_filter(function(p)
    return p.n > (s.seen or 0)
  end, s.unheard or {})
end

---@type table<string, table<string, table[]>> by session and prompt, what was attached to those that wait or run
local attached = {}

-- Returns the queued prompts of a session whose host ends with Neovim.
local function queued(s)
  local rpc, list = require("nvim-acp.rpc"), {}
  if not rpc.running() or rpc.parting() or require("nvim-acp.config").options.session.detach then
    return list -- it lives on, and has them
  end
  for i, text in ipairs(s.queue) do
    table.insert(list, { id = s.queue_ids[i], text = text, context = M.context(s, s.queue_ids[i]) })
  end
  return list
end

-- Stores what a host has not heard, which has a moment for it, and what waits in a host that ends.
local function store()
  local sessions = require("nvim-acp.state").sessions
  vim.wait(200, function()
    return not vim.iter(vim.tbl_values(sessions)):any(function(s)
      return #left(s) > 0
    end)
  end, 5)
  for _, s in pairs(sessions) do
    local unheard = left(s)
    local prompts = vim.tbl_filter(function(p)
      return not vim.iter(unheard):any(function(other)
        return other.id == p.id
      end)
    end, queued(s))
    for _, p in ipairs(unheard) do
      table.insert(prompts, { id = p.id, text = p.text, context = p.context })
    end
    M.copied(s, {})
    if #prompts > 0 then
      require("nvim-acp.prompt.draft").keep_unheard(s, prompts)
    end
  end
end

---@type table<string, string> by session, the ids and words of those prompts that are on the disk for the case that
--- Neovim is killed
local copies = {}

--- Keeps prompts of a session on the disk for the case that Neovim is killed, instead of those that were.
---@param s acp.Session
---@param prompts acp.Unsent[]
function M.copied(s, prompts)
  local key
  for _, p in ipairs(prompts) do
    key = ("%s%s\0%s\0"):format(key or "", p.id, p.text)
  end
  if key == copies[s.id] then
    return
  end
  copies[s.id] = key
  if key then
    require("nvim-acp.prompt.draft").keep_unheard(s, prompts, true)
  else
    require("nvim-acp.prompt.draft").forget_unheard(s)
  end
end

--- Keeps what waits in a session on the disk for the case that Neovim is killed.
---@param s acp.Session
function M.changed(s)
  if #s.queue > 0 or copies[s.id] then
    M.copied(s, queued(s))
  end
end

--- Notes a prompt that was sent.
---@param s acp.Session
---@param prompt acp.Unsent
function M.sent(s, prompt)
  local known, still = attached[s.id] or {}, { [prompt.id] = prompt.context }
  for _, id in ipairs(vim.list_extend({ s.running_id or "" }, s.queue_ids)) do
    still[id] = known[id]
  end
  for _, p in ipairs(s.steered or {}) do
    still[p.id] = known[p.id]
  end
  attached[s.id] = still
  s.unheard = left(s)
  table.insert(s.unheard, { n = s.sent, id = prompt.id, text = prompt.text, context = prompt.context })
  if not watching then
    watching = true
    vim.api.nvim_create_autocmd("VimLeavePre", {
      group = vim.api.nvim_create_augroup("nvim-acp.unheard", {}),
      callback = store,
    })
  end
end

--- Returns what was attached to a prompt that waits or runs, nil if that is not known here.
---@param s acp.Session
---@param id string?
---@return table[]?
function M.context(s, id)
  return id and (attached[s.id] or {})[id]
end

---@type table<string, string[]> by session, the ids of the prompts that a host has said it has had
local heard = {}

--- Notes the prompts that a host has had: they are in it, and a Neovim that could not know stored them for nothing.
---@param s { id: string }
---@param ids string[]
function M.heard(s, ids)
  heard[s.id] = ids
end

--- Returns those of some prompts that no host has had.
---@param s acp.Session
---@param prompts acp.Unsent[]
---@return acp.Unsent[]
function M.of(s, prompts)
  return vim.tbl_filter(function(p)
    return not vim.tbl_contains(heard[s.id] or {}, p.id)
  end, prompts)
end

--- Notes that the host has had all that was sent.
function M.all_heard()
  for _, s in pairs(require("nvim-acp.state").sessions) do
    s.unheard = nil
  end
end

---@param s acp.Session
function M.forget(s)
  M.copied(s, {})
  heard[s.id], attached[s.id] = nil, nil
end

return M
