--- The one door to 'winbar' and 'statusline', which Neovim evaluates: `%{…}` in them runs code. Texts go in as parts
--- and come out escaped; only what is written here is a format.
local M = {}

--- Parts that are not text: what follows is at the right; the line is cut here.
M.right, M.cut = {}, {}

local most = 1000 -- cells of a part

-- Returns a text that Neovim shows as it is.
local function escape(text)
  return (require("nvim-acp.ui.text").line(text, most):gsub("%%", "%%%%"))
end

---@alias acp.BarPart string|{ [1]: string, [2]: string }|{} a text, or a highlight group and a text

--- Returns the format that shows parts.
---@param parts acp.BarPart[]
---@return string
function M.format(parts)
  local out = {}
  for _, part in ipairs(parts) do
    if part == M.right then
      table.insert(out, "%=")
    elseif part == M.cut then
      table.insert(out, "%<")
    elseif type(part) == "table" then
      table.insert(out, ("%%#%s#%s"):format(part[1]:gsub("[^%w_]", ""), escape(part[2])))
    else
      table.insert(out, escape(part))
    end
  end
  return table.concat(out)
end

--- Sets the line of a window, unless it has it.
---@param win integer
---@param option "winbar"|"statusline"
---@param parts acp.BarPart[] none: the global value
function M.set(win, option, parts)
  local value = M.format(parts)
  if vim.wo[win][option] ~= value then
    require("nvim-acp.ui.ex").quietly(function() -- a bar needs room
      vim.api.nvim_set_option_value(option, value, { scope = "local", win = win })
    end)
  end
end

return M
