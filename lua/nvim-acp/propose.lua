--- An agent's text for a file, in a buffer where the user changes it before allowing it. `:w` allows what stands there.
local M = {}

local api = vim.api

---@param p { session: string, id: string, version: integer, option: string, path: string, name: string, text: string }
function M.open(p)
  local s = require("nvim-acp.state").find(p.session)
  if not s then
    return
  end
  require("nvim-acp.float").close()
  vim.cmd("tabnew")
  local buf = api.nvim_get_current_buf()
  local final = p.text:sub(-1) == "\n"
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(final and p.text:sub(1, -2) or p.text, "\n"))
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].swapfile = false
  pcall(api.nvim_buf_set_name, buf, ("acp://%s/proposal/%s"):format(p.session, p.name))
  vim.bo[buf].filetype = vim.filetype.match({ filename = p.path, buf = buf }) or ""
  vim.bo[buf].modified = false
  vim.wo.winbar = "%#AcpKey# :w allows this text, :q goes back to the question%<"
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n") .. (final and "\n" or "")
      vim.bo[buf].modified = false
      require("nvim-acp.permit").allow_edited(s, p, text)
      vim.schedule(function()
        pcall(api.nvim_buf_delete, buf, { force = true })
      end)
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      require("nvim-acp.permit").update(s)
    end),
  })
end

return M
