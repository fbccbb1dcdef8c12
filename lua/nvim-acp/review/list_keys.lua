--- The keys of the list of changes: below its rows, and in its bar while these are out of sight.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.review-list-keys")

-- The keys of the list, with words for the line below it and whole ones.
M.list = {
  { "<CR>", "show", "show the file, at this change" },
  { "a", "keep", "keep the change, or all of the file" },
  { "r", "revert", "revert the change, or those of the file" },
  { "R", "with yours", "revert also what has lines that you have edited" },
  { "u", "undo", "undo the last decision" },
  { "<C-r>", "redo", "redo it" },
  { "d", "diff", "compare the file with its text without the changes" },
  { "za", "fold", "list or hide the changes of the file" },
  { "zM", "", "hide the changes of all files" },
  { "zR", "", "list the changes of all files" },
  { "<Tab>", "scope", "all changes, this session's, this turn's" },
  { "Q", "quickfix", "quickfix list of the changes" },
  { "q", "close", "close the list" },
}

-- Returns the keys that have words, the last of them the one that shows all.
local function named()
  local help = require("nvim-acp.ui.keys").key
  return vim.tbl_filter(function(key)
    return key[2] ~= ""
  end, vim.list_extend(vim.list_slice(M.list), help and { { help, "keys" } } or {}))
end

-- Returns chunks for a key, as text and as parts of a bar, and their cells.
local function chunks(key)
  return { " " .. key[1], "AcpKey" }, { " " .. key[2] .. " ", "AcpDone" }, api.nvim_strwidth(key[1] .. key[2]) + 3
end

--- Draws the keys below a row, as many in a line as fit.
---@param buf integer
---@param win integer
---@param last integer from 0
function M.draw(buf, win, last)
  local width, lines, line, used = api.nvim_win_get_width(win) - 1, { { { "" } } }, {}, 0
  for _, key in ipairs(named()) do
    local lhs, word, cells = chunks(key)
    if used + cells > width and used > 0 then
      table.insert(lines, line)
      line, used = {}, 0
    end
    vim.list_extend(line, { lhs, word })
    used = used + cells
  end
  table.insert(lines, line)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  api.nvim_buf_set_extmark(buf, ns, last, 0, { virt_lines = require("nvim-acp.ui.virtual").lines(lines) })
end

--- Sets the bar: the title, and as many keys beside it as have room, where those below the rows are out of sight.
---@param win integer
---@param title string[] a longer text, a shorter one, and the shortest, which is beside keys
function M.bar(win, title)
  local bar, width = require("nvim-acp.ui.bar"), api.nvim_win_get_width(win)
  if not require("nvim-acp.ui.window").below(win) then
    local text = api.nvim_strwidth(title[1]) <= width and title[1] or title[2]
    return bar.set(win, "winbar", { { "AcpWinbar", text } })
  end
  local parts, keys = { { "AcpWinbar", title[3] }, bar.right }, named()
  local function add(key)
    local lhs, word = chunks(key)
    vim.list_extend(parts, { { lhs[2], lhs[1] }, { word[2], word[1] } })
  end
  local last = table.remove(keys)
  local room = width - api.nvim_strwidth(title[3]) - select(3, chunks(last))
  for _, key in ipairs(keys) do
    room = room - select(3, chunks(key))
    if room < 0 then
      break
    end
    add(key)
  end
  add(last)
  bar.set(win, "winbar", parts)
end

return M
