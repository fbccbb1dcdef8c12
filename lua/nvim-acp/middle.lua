--- Floats in the middle of the screen.
local M = {}

---@return integer
function M.width()
  return math.max(math.floor(vim.o.columns * 0.8), 20)
end

--- Opens one for a buffer: as high as its rows need, or of a part of the screen.
---@param buf integer
---@param opts { enter: boolean, rows: integer?, title: string, footer: string }
---@return integer win
function M.open(buf, opts)
  local width = M.width()
  local height = math.min(opts.rows or math.floor(vim.o.lines * 0.6), math.floor(vim.o.lines * 0.8))
  height = math.max(height, 3)
  return vim.api.nvim_open_win(buf, opts.enter, {
    relative = "editor",
    width = width,
    height = height,
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = require("nvim-acp.look").border(),
    title = opts.title,
    footer = opts.footer,
  })
end

return M
