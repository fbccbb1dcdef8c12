--- Prompts that come back for a session which is closed by now.
local M = {}

local api = vim.api

-- Puts prompts into a buffer of their own, that the user sees in :ls, and returns its name.
local function in_buffer(session, prompts)
  local name = "acp://unsent/" .. session
  local buf = vim.fn.bufnr(name)
  local texts = vim.tbl_map(function(p)
    return p.text
  end, prompts)
  if buf < 0 then
    buf = api.nvim_create_buf(true, true)
    api.nvim_buf_set_name(buf, name)
    require("nvim-acp.ui.reedit").keep(buf)
    require("nvim-acp.ui.keys").map(buf)
  end
  local fresh = api.nvim_buf_line_count(buf) == 1 and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
  local lines = vim.split(table.concat(texts, "\n\n"), "\n")
  api.nvim_buf_set_lines(buf, fresh and 0 or -1, -1, false, lines)
  return name
end

--- Keeps prompts: in the drafts of their folder, where the next session of it finds them; what cannot be stored there
--- in a buffer. Says where.
---@param session string local id
---@param prompts acp.Unsent[]
---@param home { cwd: string, name: string }
function M.keep(session, prompts, home)
  local draft, stored, left = require("nvim-acp.prompt.draft"), 0, {}
  local keeps = require("nvim-acp.config").options.record.enabled
  for i = #prompts, 1, -1 do -- each comes above the others
    local added = false
    if keeps then
      added = draft.add({ id = session, cwd = home.cwd }, prompts[i])
    end
    if added then
      stored = stored + 1
    elseif added == false then
      table.insert(left, 1, prompts[i])
    end
  end
  local say = require("nvim-acp.ui.message").warn
  local first = require("nvim-acp.ui.text").line(prompts[1].text, 30)
  if stored > 0 then
    local cwd = vim.fn.fnamemodify(home.cwd, ":~")
    local text = ('unsent prompt "%s" of %s: the next chat in %s has it'):format(first, home.name, cwd)
    say(text, { "unsent prompt: the next chat has it", "the next chat has a prompt" })
  end
  if #left > 0 then
    local name = in_buffer(session, left)
    local text = ('unsent prompt "%s" of %s: it is in the buffer %s'):format(first, home.name, name)
    say(text, { "unsent prompt: buffer " .. name, name })
  end
end

return M
