--- What language servers were told of texts, and what they have said since then: of which text their diagnostics are.
local M = {}

local api = vim.api

---@class acp.Heard what is known of a client; times are milliseconds of vim.uv.now()
---@field id integer
---@field began integer since when it is known
---@field versions table<integer, integer>? of texts by buffer, if it was there before
---@field seq integer how often it was told of a change
---@field name string? the file that it was last told of …
---@field at integer … when …
---@field other integer … and when it was last told of another one
---@field texts table<string, { version: integer, at: integer }> by file, the text that it was told of
---@field said table<string, { version: integer?, at: integer }> by file, the text that its last diagnostics are of
---@field heard integer when diagnostics of any file came
---@field works integer how often it has said that it begins or ends to work
---@field answered { seq: integer, at: integer, last: integer }? when it first and last answered after what it was told
---@field settled table<string, integer> by file, the seq for which its diagnostics were complete
---@field pulled table<string, integer> by file, the seq for which they were asked for

---@type table<integer, acp.Heard> by client
local all = {}
local following ---@type integer? since when

local publish = "textDocument/publishDiagnostics"
local changes = { -- but for files that are closed: Neovim 0.12 has no event for that
  ["textDocument/didOpen"] = true,
  ["textDocument/didChange"] = true,
  ["workspace/didChangeWatchedFiles"] = true,
}

--- Returns what is known of a client.
---@param id integer
---@return acp.Heard
function M.of(id)
  local now = vim.uv.now()
  if not all[id] then
    all[id] = { id = id, began = now, seq = 0, at = now, other = now, heard = 0, works = 0 }
    all[id] = vim.tbl_extend("force", all[id], { texts = {}, said = {}, settled = {}, pulled = {} })
  end
  return all[id]
end

-- Returns the name of a file as it is in the tables, "" for what is none.
local function name_of(uri)
  local ok, name = pcall(vim.uri_to_fname, uri)
  return ok and name or ""
end

--- Returns the name of a buffer's file as it is in the tables.
---@param buf integer
---@return string
function M.name(buf)
  return name_of(vim.uri_from_bufnr(buf))
end

--- Returns the version of a buffer's text, as servers are told it: saving is none.
---@param buf integer
---@return integer
function M.version(buf)
  return vim.lsp.util.buf_versions[buf] or 0
end

--- Notes that a client was told of a change: of a file's text, or of something else that its diagnostics may depend on.
---@param id integer
---@param name string? file
---@param version integer? of its text
function M.told(id, name, version)
  local h, now = M.of(id), vim.uv.now()
  h.seq = h.seq + 1
  if name ~= h.name then
    h.other = h.at
  end
  h.name, h.at = name, now
  if name and version then
    h.texts[name] = { version = version, at = now }
  elseif name then -- it is closed
    h.texts[name], h.said[name], h.settled[name], h.pulled[name] = nil, nil, nil, nil
  end
  if not name then
    h.other = now
  end
end

-- Notes diagnostics of a client. Servers that name no version mean the last text that they were told of.
local function said(id, result)
  local h, name = M.of(id), name_of(result.uri)
  h.heard = vim.uv.now()
  local version = type(result.version) == "number" and result.version or nil
  h.said[name] = { version = version or (h.texts[name] or {}).version, at = h.heard }
end

---@type table<table, boolean> tables of handlers that are listened to: clients may share one
local listening = {}

-- Listens to the diagnostics of a client, which are handled as before.
local function listen(client)
  M.of(client.id)
  if listening[client.handlers] then
    return
  end
  listening[client.handlers] = true
  local own = client.handlers[publish]
  client.handlers[publish] = function(err, result, ctx, ...)
    if type(result) == "table" and type(result.uri) == "string" then
      vim.schedule(function() -- after what it was told before that, which comes as an event
        said(ctx.client_id, result)
      end)
    end
    return (own or vim.lsp.handlers[publish])(err, result, ctx, ...)
  end
end

--- Begins to note what clients are told and say, so that later questions know of which text that is.
function M.follow()
  if following then
    return
  end
  following = vim.uv.now()
  local group = api.nvim_create_augroup("nvim-acp.knowledge", {})
  api.nvim_create_autocmd("LspNotify", {
    group = group,
    callback = function(args)
      local data = args.data
      if changes[data.method] then
        local document = type(data.params) == "table" and data.params.textDocument
        M.told(data.client_id, document and name_of(document.uri), document and document.version)
      end
    end,
  })
  api.nvim_create_autocmd("LspProgress", {
    group = group,
    pattern = { "begin", "end" },
    callback = function(args)
      local h = M.of(args.data.client_id)
      h.works = h.works + 1
    end,
  })
  api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(args)
      local client = vim.lsp.get_client_by_id(args.data.client_id)
      if client then
        listen(client)
        require("nvim-acp.knowledge.closed").attached(client, args.buf)
      end
    end,
  })
  api.nvim_create_autocmd("LspDetach", {
    group = group,
    callback = function(args)
      local id, name = args.data.client_id, M.name(args.buf)
      require("nvim-acp.knowledge.closed").detached(id, args.buf)
      vim.schedule(function() -- after what it was told before that, which comes as an event
        local client = vim.lsp.get_client_by_id(id)
        if client and not require("nvim-acp.knowledge.requests").is_over(client) then
          M.told(id, name)
        else
          all[id] = nil
        end
      end)
    end,
  })
  if not package.loaded["vim.lsp"] then
    return -- there are none
  end
  local versions = {}
  for buf, version in pairs(vim.lsp.util.buf_versions) do
    versions[buf] = version
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    listen(client)
    M.of(client.id).versions = versions
  end
end

--- Returns what a client has last said of a buffer. What it had said before it was followed counts as said then, of the
--- text of then.
---@param h acp.Heard
---@param buf integer
---@param name string of its file
---@return { version: integer?, at: integer }?
function M.last(h, buf, name)
  if h.said[name] or not h.versions or h.texts[name] then
    return h.said[name]
  end
  local namespace = vim.lsp.diagnostic.get_namespace(h.id)
  if next(vim.diagnostic.count(buf, { namespace = namespace })) ~= nil then
    return { version = h.versions[buf] or 0, at = h.began }
  end
end

--- Returns since when it is noted what clients are told and say, in milliseconds of vim.uv.now().
---@return integer
function M.began()
  return following
end

--- Returns when a client was last told of anything but the text of one file.
---@param h acp.Heard
---@param name string
---@return integer
function M.others(h, name)
  return h.name == name and h.other or h.at
end

--- Reports whether the last diagnostics of a client are of a buffer's text, with the other files as they are.
---@param h acp.Heard
---@param buf integer
---@param name string of its file
---@return boolean
function M.is_fresh(h, buf, name)
  local last, text = M.last(h, buf, name), h.texts[name]
  if not last or last.at < M.others(h, name) then
    return false
  elseif not last.version then
    return not text
  end
  return last.version == M.version(buf)
end

return M
