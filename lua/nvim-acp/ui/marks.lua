--- Draws the marks of lines as the host encodes them: one flat list, four values a mark.
local M = {}

-- Above the colours of code: they show which words of a line have changed.
local words = { AcpAddText = 4200, AcpDeleteText = 4200 }

-- Draws the bar of a quotation over a space, in each row that the line wraps to.
local function bar(buf, ns, line, col)
  vim.api.nvim_buf_set_extmark(buf, ns, line, col, {
    virt_text = require("nvim-acp.ui.virtual").text({ { require("nvim-acp.ui.style").icons().quote, "AcpQuoteBar" } }),
    virt_text_pos = "overlay",
    virt_text_repeat_linebreak = true,
    hl_mode = "combine",
    strict = false,
  })
end

local span = { strict = false } -- what a mark is set with: one table for all, as there are many

-- Groups with a background, or a line, below words.
local solid = { AcpCode = true, AcpLink = true, AcpHeading1 = true }

-- Draws such a group. Neovim would draw that of a blank at which it breaks the line to the edge of the window, so
-- blanks get theirs from a cell over them.
local function words_of(buf, ns, line, from, text, opts)
  for at, word in text:gmatch("()([^ ]+)") do
    opts.end_col = from + at - 1 + #word
    vim.api.nvim_buf_set_extmark(buf, ns, line, from + at - 1, opts)
  end
  for at in text:gmatch("() ") do
    vim.api.nvim_buf_set_extmark(buf, ns, line, from + at - 1, {
      virt_text = require("nvim-acp.ui.virtual").text({ { " ", opts.hl_group } }),
      virt_text_pos = "overlay",
      hl_mode = "combine",
      strict = false,
    })
  end
end

--- Draws marks. Those outside of the buffer's text are cut off.
---@param buf integer
---@param ns integer
---@param first integer the line, from 0, that their rows count from
---@param marks any[]? row, first column, end column (-1: to the edge of the window) and group of each, in bytes
---@param lines string[]? the first of the lines, as far as they are known
function M.draw(buf, ns, first, marks, lines)
  marks, lines = marks or {}, lines or {}
  local style, indent = require("nvim-acp.ui.style"), require("nvim-acp.ui.indent")
  local priorities, tab = {}, nil ---@type table<string, integer>, integer?
  local texts = {} ---@type table<integer, string> lines by row: of many marks in one it is copied once
  local function text_of(row)
    texts[row] = lines[row + 1]
      or texts[row]
      or vim.api.nvim_buf_get_lines(buf, first + row, first + row + 1, false)[1]
      or ""
    return texts[row]
  end
  for i = 1, #marks, 4 do
    local line, from, to, group = first + marks[i], marks[i + 1], marks[i + 2], marks[i + 3]
    if group == "AcpHidden" then
      vim.api.nvim_buf_set_extmark(buf, ns, line, from, { end_col = to, conceal = "", strict = false })
    elseif group == "AcpQuoteBar" then
      bar(buf, ns, line, from)
    elseif to < 0 then
      priorities[group] = priorities[group] or style.priority(group)
      style.whole_line(buf, ns, line, group, from, priorities[group])
      if indent.groups[group] then
        tab = tab or indent.longest_tab(buf)
        indent.set(buf, line, group, from, text_of(marks[i]), tab)
      end
    else
      if group:sub(1, 4) == "Dim@" then
        group = require("nvim-acp.ui.contrast").dim(group:sub(4))
      end
      span.end_col, span.hl_group, span.priority = to, group, words[group]
      if solid[group] then
        words_of(buf, ns, line, from, text_of(marks[i]):sub(from + 1, to), span)
      else
        vim.api.nvim_buf_set_extmark(buf, ns, line, from, span)
        if group == "AcpMention" then
          require("nvim-acp.ui.names").set(buf, line, from, to)
        end
      end
    end
  end
end

return M
