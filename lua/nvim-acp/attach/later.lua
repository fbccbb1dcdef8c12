--- What waits while sessions are being detached: what it opens would go with them.
local M = {}

---@type fun()[]
local waiting = {}

--- Has a function called once the host has answered to "detach", or has ended.
---@param fn fun()
function M.wait(fn)
  if #waiting == 0 then
    vim.defer_fn(function()
      if #waiting > 0 then
        local text = "the sessions are still being detached"
        require("nvim-acp.ui.message").info(text, { "still being detached" })
      end
    end, 700)
  end
  table.insert(waiting, fn)
end

--- Calls what waits.
function M.run()
  local list = waiting
  waiting = {}
  for _, fn in ipairs(list) do
    require("nvim-acp.ui.try").call(fn)
  end
end

require("nvim-acp.rpc").on_exit(M.run)

return M
