--- Shows the file and line that the agent reads or changes, in a window beside the user's.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.follow")

local function show(s, place)
  local path = place.path:sub(1, 1) == "/" and place.path or vim.fs.joinpath(s.cwd, place.path)
  local quiet = (s.where or "") ~= "" -- nothing that it has written for a plugin or a server runs out of its sandbox
  local buf, line = require("nvim-acp.files.beside").show(path, place.line, false, quiet)
  if not buf then
    return false
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  if line > 0 then
    api.nvim_buf_set_extmark(buf, ns, line - 1, 0, { line_hl_group = "AcpFollow" })
  end
  return true
end

--- Shows the location of a session's agent, if it is followed and has moved.
---@param s acp.Session
function M.update(s)
  local place = s.place
  if not s.following or not place or vim.deep_equal(place, s.followed) then
    return
  end
  local ok, shown = pcall(show, s, place)
  if ok and shown then
    s.followed = place
  end
end

--- Follows a session's agent, or stops following it.
---@param s acp.Session
---@return boolean following
function M.toggle(s)
  s.following, s.followed = not s.following, nil
  if s.following then
    M.update(s)
  else
    for _, buf in ipairs(api.nvim_list_bufs()) do
      api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
    require("nvim-acp.files.beside").forget()
  end
  local key = require("nvim-acp.ui.keys").to("AcpFollow")
  local what = s.following and "following %s; " .. key .. " stops" or "no longer following %s"
  local shorter = s.following and "following; " .. key .. " stops" or "no longer following"
  require("nvim-acp.ui.message").info(what:format(s.agent_title), { shorter })
  return s.following
end

return M
