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

-- Groups with a background, or a line, below words.
local solid = { AcpCode = true, AcpLink = true, AcpHeading1 = true }

-- Draws such a group. Neovim would draw that of a blank at which it breaks the line to the edge of the window, so
-- blanks get theirs from a cell over them.
local function words_of(buf, ns, line, from, to, opts)
  local text = (vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ""):sub(from + 1, to)
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
function M.draw(buf, ns, first, marks)
  marks = marks or {}
  for i = 1, #marks, 4 do
    local line, from, to, group = first + marks[i], marks[i + 1], marks[i + 2], marks[i + 3]
    if group == "AcpHidden" then
      vim.api.nvim_buf_set_extmark(buf, ns, line, from, { end_col = to, conceal = "", strict = false })
    elseif group == "AcpQuoteBar" then
      bar(buf, ns, line, from)
    elseif to < 0 then
      require("nvim-acp.ui.style").whole_line(buf, ns, line, group, from)
      if group == "AcpCodeSurface" or group == "AcpAdd" or group == "AcpDelete" then
        require("nvim-acp.ui.indent").set(buf, line, group, from)
      end
    else
      if group:sub(1, 4) == "Dim@" then
        group = require("nvim-acp.ui.contrast").dim(group:sub(4))
      end
      local opts = { end_col = to, hl_group = group, strict = false, priority = words[group] }
      if solid[group] then
        words_of(buf, ns, line, from, to, opts)
      else
        vim.api.nvim_buf_set_extmark(buf, ns, line, from, opts)
        if group == "AcpMention" then
          require("nvim-acp.ui.names").set(buf, line, from, to)
        end
      end
    end
  end
end

return M
