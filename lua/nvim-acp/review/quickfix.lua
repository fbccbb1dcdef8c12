--- The changes of agents in a quickfix list.
local M = {}

--- Puts all changes into a new quickfix list, and opens it.
function M.open()
  local items, words = {}, require("nvim-acp.ui.text")
  for _, e in ipairs(require("nvim-acp.review").list) do
    local buf = require("nvim-acp.files.load").add(e.path)
    for i, row in ipairs(e.rows) do
      table.insert(items, { bufnr = buf, lnum = row + 1, text = words.visible(words.signed(e.heads[i])) })
    end
    if #e.rows == 0 then
      table.insert(items, { bufnr = buf, lnum = 1, text = e.kind })
    end
  end
  if #items == 0 then
    return require("nvim-acp.ui.message").info("there is nothing to review")
  end
  require("nvim-acp.ui.quickfix").set(" ", { title = "Changes of agents", items = items })
  require("nvim-acp.ui.quickfix").open()
end

return M
