--- `:edit` in our buffers changes nothing: their text is in no file, so Neovim would leave them empty.
local M = {}

local api = vim.api

-- Returns what `:edit` takes of a buffer.
local function note(buf)
  return {
    lines = api.nvim_buf_get_lines(buf, 0, -1, false),
    marks = api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true }),
    modified = vim.bo[buf].modified,
  }
end

-- Sets a mark as Neovim has returned it.
local function set_mark(buf, id, row, col, opts)
  local ns = opts.ns_id
  opts.id, opts.strict, opts.ns_id, opts.invalid = id, false, nil, nil
  if opts.virt_text_win_col then
    opts.virt_text_pos = nil -- "win_col", which is no value that it takes
  end
  api.nvim_buf_set_extmark(buf, ns, row, col, opts)
end

local function restore(buf, noted)
  local modifiable = vim.bo[buf].modifiable
  vim.bo[buf].modifiable = true
  api.nvim_buf_clear_namespace(buf, -1, 0, -1) -- Neovim has left the marks, some of them at other lines
  api.nvim_buf_set_lines(buf, 0, -1, false, noted.lines)
  vim.bo[buf].modifiable = modifiable
  for _, mark in ipairs(noted.marks) do
    pcall(set_mark, buf, unpack(mark)) -- one of another plugin's may have what Neovim returns and does not take
  end
  vim.bo[buf].modified = noted.modified
end

--- Keeps the text and the marks of a buffer.
---@param buf integer
function M.keep(buf)
  local noted, listed = nil, vim.bo[buf].buflisted -- which `:edit` sets first
  api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    callback = function()
      local shown = #vim.fn.win_findbuf(buf) > 0 -- `:edit` is given in a window
      if shown and vim.v.exiting == vim.NIL then
        noted = note(buf)
        vim.schedule(function() -- the buffer is deleted
          noted = nil
        end)
      end
    end,
  })
  api.nvim_create_autocmd("BufReadCmd", {
    buffer = buf,
    callback = function()
      if noted then
        restore(buf, noted)
        vim.bo[buf].buflisted = listed
      end
    end,
  })
end

return M
