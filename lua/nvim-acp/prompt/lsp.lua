--- A language server inside Neovim that only completes in prompts, since every completion plugin supports language
--- servers.
local M = {}

-- CompletionItemKind. A command is a keyword, since completion plugins put parentheses behind what is a function.
local kinds = { command = 14, context = 21, buffer = 17, file = 17, folder = 19, symbol = 18 }

local function item(entry, place, position, i)
  local from = { line = position.line, character = place.from }
  local clean = require("nvim-acp.ui.text").line
  return {
    label = clean(entry.text, 60),
    labelDetails = entry.hint and { detail = " " .. clean(entry.hint, 24) } or nil,
    kind = kinds[entry.kind],
    detail = clean(entry.detail or "", 60),
    documentation = entry.about and { kind = "plaintext", value = entry.about } or nil,
    filterText = place.sign .. entry.name,
    sortText = ("%04d"):format(i),
    textEdit = { range = { start = from, ["end"] = position }, newText = entry.text },
  }
end

-- Returns the session of a prompt, whose buffer's name changes with its title.
local function session(uri)
  for _, s in pairs(require("nvim-acp.state").sessions) do
    local buf = require("nvim-acp.state.buffers").prompt(s)
    if buf and vim.uri_from_bufnr(buf) == uri then
      return s
    end
  end
end

local function complete(params, answer)
  local s = session(params.textDocument.uri)
  local none = { isIncomplete = false, items = {} }
  if not s then
    return answer(nil, none)
  end
  local at = params.position
  local buf = require("nvim-acp.state.buffers").prompt(s)
  local line = vim.api.nvim_buf_get_lines(buf, at.line, at.line + 1, false)[1] or ""
  local source = require("nvim-acp.prompt.source")
  local place = source.at(line, at.line, at.character)
  if not place then
    return answer(nil, none)
  end
  source.find(s, place, function(items)
    local list = {}
    for i, entry in ipairs(items) do
      list[i] = item(entry, place, at, i)
    end
    answer(nil, { isIncomplete = true, items = list })
  end)
end

local capabilities = {
  positionEncoding = "utf-8",
  completionProvider = { triggerCharacters = { "/", "@", '"' }, resolveProvider = false },
}

local function server()
  local closing, count = false, 0
  return {
    request = function(method, params, callback, replied)
      count = count + 1
      local id = count
      -- Later, as any server: only then Neovim and plugins know the request by its number, and that it is over.
      local answer = vim.schedule_wrap(function(err, result)
        callback(err, result, id)
        if replied then
          replied(id)
        end
      end)
      if method == "initialize" then -- at once: a plugin looks for servers in the same moment
        callback(nil, { capabilities = capabilities, serverInfo = { name = "nvim-acp" } }, id)
      elseif method == "textDocument/completion" then
        complete(params, answer)
      else
        answer(nil, nil)
      end
      return true, id
    end,
    notify = function()
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

--- Attaches the server to a prompt.
---@param s acp.Session
---@param buf integer
function M.start(s, buf)
  require("nvim-acp.ui.servers").load()
  vim.lsp.start({ name = "nvim-acp", cmd = server, root_dir = s.cwd }, { bufnr = buf })
end

return M
