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

--- Follows a buffer until it is unloaded. Its marks are lost with that, and when it is read again.
---@param buf integer
---@param lost fun(buf: integer)
function M.follow(buf, lost)
  if timers[buf] then
    return
  end
  timers[buf] = vim.uv.new_timer()
  local function on(events, fn)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = fn })
  end
  on({ "TextChanged", "TextChangedI", "TextChangedP", "InsertLeave" }, function()
    local tell = vim.schedule_wrap(function()
      M.tell(buf)
    end)
    timers[buf]:start(quiet, 0, tell)
  end)
  on("BufReadPost", function()
    lost(buf)
    M.tell(buf)
  end)
  on("BufFilePost", function()
    lost(buf) -- they are the old file's
    M.tell(buf)
  end)
  on("BufUnload", function()
    vim.schedule(function()
      if not api.nvim_buf_is_loaded(buf) then -- else it is read again
        lost(buf)
        M.leave(buf)
      end
    end)
  end)
end

--- No longer follows a buffer.
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

--- No longer follows any buffer.
function M.leave_all()
  for _, buf in ipairs(vim.tbl_keys(timers)) do
    M.leave(buf)
  end
end

return M
