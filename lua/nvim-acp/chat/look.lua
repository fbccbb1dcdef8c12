--- Tells the host what windows show of a transcript: that of a session at lines is rendered when a window shows it, and
--- diffs are highlighted when they are seen.
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

--- Tells the host how wide the rows of a transcript are: tables are laid out for that.
---@param s acp.Session
function M.width(s)
  local buf = require("nvim-acp.state.buffers").transcript(s)
  local width = buf and require("nvim-acp.ui.align").width(buf)
  if width and width ~= s.width then
    s.width = width
    if require("nvim-acp.rpc").running() then
      require("nvim-acp.state").notify(s, "width", { width = width })
    end
  end
end

--- Watches the windows of a transcript.
---@param s acp.Session
---@param buf integer
function M.attach(s, buf)
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      require("nvim-acp.ui.try").call(M.width, s)
    end,
  })

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
