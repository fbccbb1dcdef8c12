--- Follows buffers with marks: what the user changes in them is reported to the host, so that it is no part of a change
--- of an agent's.
local M = {}

local api = vim.api

-- How long after the last change, in milliseconds, a buffer is reported.
local quiet = 300

---@type table<integer, uv.uv_timer_t> by buffer
local timers = {}

local group = api.nvim_create_augroup("nvim-acp.review", { clear = true })

--- Reports a buffer to the host now.
---@param buf integer
function M.tell(buf)
  local name = api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) or ""
  if name ~= "" and require("nvim-acp.rpc").running() then
    require("nvim-acp.rpc").notify("review_look", { paths = { require("nvim-acp.files.path").real(name) } })
  end
end

--- Follows a buffer until it is unloaded or read again, which is told: its marks are lost.
---@param buf integer
---@param unloaded fun(buf: integer)
function M.follow(buf, unloaded)
  timers[buf] = timers[buf] or vim.uv.new_timer()
  api.nvim_clear_autocmds({ group = group, buffer = buf })
  api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP", "InsertLeave" }, {
    group = group,
    buffer = buf,
    callback = function()
      timers[buf]:start(
        quiet,
        0,
        vim.schedule_wrap(function()
          M.tell(buf)
        end)
      )
    end,
  })
  api.nvim_create_autocmd({ "BufReadPost", "BufUnload" }, {
    group = group,
    buffer = buf,
    callback = function()
      vim.schedule(function()
        unloaded(buf)
      end)
    end,
  })
end

---@param buf integer
function M.leave(buf)
  if timers[buf] then
    timers[buf]:stop()
    timers[buf]:close()
    timers[buf] = nil
  end
  if api.nvim_buf_is_valid(buf) then
    api.nvim_clear_autocmds({ group = group, buffer = buf })
  end
end

return M
