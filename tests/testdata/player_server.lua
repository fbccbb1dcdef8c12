-- The language server of TestPlayer: one that finds a fault in every third word of an agent's.
return function(dispatchers)
  local function look(uri)
    local found, buf = {}, vim.uri_to_bufnr(uri)
    for i, line in ipairs(vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_lines(buf, 0, -1, false) or {}) do
      local word, n = line:match("(a(%d%d%d%d%d)z)")
      if word and tonumber(n) % 3 == 0 then
        local at = { start = { line = i - 1, character = 0 }, ["end"] = { line = i - 1, character = #line } }
        table.insert(found, { range = at, severity = 1, message = "bad " .. word })
      end
    end
    dispatchers.notification("textDocument/publishDiagnostics", { uri = uri, diagnostics = found })
  end
  local over = false
  return {
    request = function(method, _, done)
      if method == "initialize" then
        done(nil, { capabilities = { textDocumentSync = 1 } })
      elseif method == "shutdown" then
        done(nil, vim.NIL)
      else
        done({ code = -32601, message = "no " .. method })
      end
      return true, 1
    end,
    notify = function(_, params)
      local uri = params and params.textDocument and params.textDocument.uri
      if uri then
        vim.schedule(function()
          look(uri)
        end)
      end
      return true
    end,
    is_closing = function()
      return over
    end,
    terminate = function()
      over = true
    end,
  }
end
