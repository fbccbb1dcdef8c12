--- What edits have saved of buffers whose text had more than that. Their undo history has no such state: an edit is one
--- step, with the user's changes that are put back after the save.
local M = {
  saving = nil, ---@type integer? the buffer that is being saved for an agent
}

local api = vim.api

---@type table<integer, { save: integer, lines: string[] }> by buffer
local texts = {}

local function last_save(buf)
  return api.nvim_buf_call(buf, vim.fn.undotree).save_last
end

--- Notes that a buffer was saved just now, before more is put back into it.
---@param buf integer
function M.note(buf)
  texts[buf] = { save = last_save(buf), lines = api.nvim_buf_get_lines(buf, 0, -1, false) }
end

--- Returns the lines that a buffer was saved with last, if an edit has done that and put more back.
---@param buf integer
---@return string[]?
function M.lines(buf)
  local text = texts[buf]
  return text and text.save == last_save(buf) and vim.list_slice(text.lines) or nil
end

---@param buf integer
function M.forget(buf)
  texts[buf] = nil
end

return M
