--- Tells the host what windows show of a transcript where they are not at its end: diffs are highlighted when they are
--- seen.
local M = {}

local api = vim.api

-- Reports whether a window shows the last line.
local function at_end(win)
  return vim.fn.line("w$", win) == api.nvim_buf_line_count(api.nvim_win_get_buf(win))
end

-- Reports whether all windows of a transcript are at its end, as they are while an answer comes.
local function all_follow(s, buf)
  local last = api.nvim_buf_line_count(buf)
  return vim.iter(require("nvim-acp.state.buffers").windows(s, "transcript")):all(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end)
end

local function tell(s)
  local blocks = require("nvim-acp.chat.blocks")
  for _, win in ipairs(require("nvim-acp.state.buffers").windows(s, "transcript")) do
    if not at_end(win) and require("nvim-acp.rpc").running() then
      local from, _, first = blocks.at(s, vim.fn.line("w0", win))
      local to, _, last = blocks.at(s, vim.fn.line("w$", win))
      if from and to then
        require("nvim-acp.state").notify(s, "shown", {
          from = { block = from, row = first },
          to = { block = to, row = last },
        })
      end
    end
  end
end

--- Watches the windows of a transcript.
---@param s acp.Session
---@param buf integer
function M.attach(s, buf)
  local waits = false
  api.nvim_create_autocmd("WinScrolled", {
    buffer = buf,
    callback = function()
      if waits or all_follow(s, buf) then
        return
      end
      waits = true
      vim.defer_fn(function() -- a moment later, since somebody who pages through looks at the last place only
        waits = false
        if api.nvim_buf_is_loaded(buf) then
          tell(s)
        end
      end, 30)
    end,
  })
end

return M
