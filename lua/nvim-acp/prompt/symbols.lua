--- Symbols of the buffer beside the chat, from its language servers: mentioned as lines of its file.
local M = {}

local api = vim.api

---@type { buf: integer?, tick: integer?, list: table[] } the last answer
local kept = { list = {} }

local function collect(symbols, into, container)
  for _, symbol in ipairs(symbols) do
    local range = symbol.range or (symbol.location and symbol.location.range)
    if range and #into < 2000 then
      local name = container and container .. "." .. symbol.name or symbol.name
      local first, last = range.start.line + 1, range["end"].line + 1
      table.insert(into, { name = name, kind = symbol.kind, first = first, last = last })
      collect(symbol.children or {}, into, name)
    end
  end
end

-- Requests the symbols again if the buffer has changed; the answer is for the next call.
local function refresh(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  if kept.buf == buf and kept.tick == tick then
    return
  end
  local able = vim.tbl_filter(function(client)
    return client.server_capabilities and client.server_capabilities.documentSymbolProvider
  end, vim.lsp.get_clients({ bufnr = buf }))
  kept = { buf = buf, tick = #able > 0 and tick or nil, list = kept.buf == buf and kept.list or {} }
  if #able == 0 then
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(buf) } }
  vim.lsp.buf_request_all(buf, "textDocument/documentSymbol", params, function(answers)
    local found = {}
    for _, answer in pairs(answers) do
      collect(type(answer.result) == "table" and answer.result or {}, found)
    end
    if kept.buf == buf then
      kept.list = found
    end
  end)
end

--- Returns the symbols known so far.
---@param s acp.Session
---@return acp.Item[]
function M.items(s)
  local buf = require("nvim-acp.prompt.context").buffer()
  local path = buf and api.nvim_buf_get_name(buf) or ""
  if path == "" then
    return {}
  end
  refresh(buf --[[@as integer]])
  local mention = require("nvim-acp.files.mention")
  local name = require("nvim-acp.prompt.path").name(s, path)
  return vim.tbl_map(function(symbol)
    local kind = vim.lsp.protocol.SymbolKind[symbol.kind] or "Symbol"
    local text = mention.write(name, symbol.first, symbol.last)
    return { text = text, name = symbol.name, kind = "symbol", detail = kind:lower() .. " " .. text:sub(2) }
  end, kept.list)
end

return M
