--- Takes away all that the plugin has put into the editor, so that a plugin manager can load it anew.
local M = {}

local api = vim.api

local prefix = "^nvim%-acp"

local function close_sessions()
  local state = require("nvim-acp.state")
  for _, s in ipairs(vim.tbl_values(state.sessions)) do
    local prompt = require("nvim-acp.state.buffers").prompt(s)
    if prompt then
      require("nvim-acp.prompt.draft").save(s, prompt, "")
    end
    require("nvim-acp.permission").forget(s)
    require("nvim-acp.chat").hide(s)
    require("nvim-acp.state.buffers").delete(s)
    state.forget(s)
  end
end

-- Removes marks and autocommands.
local function clear()
  for name, ns in pairs(api.nvim_get_namespaces()) do
    if type(name) == "string" and name:find(prefix) then -- where there are none, Neovim 0.10 has a key of another type
      for _, buf in ipairs(api.nvim_list_bufs()) do
        api.nvim_buf_clear_namespace(buf, ns, 0, -1)
      end
    end
  end
  local groups = {}
  for _, cmd in ipairs(api.nvim_get_autocmds({})) do
    if (cmd.group_name or ""):find(prefix) then
      groups[cmd.group] = true
    end
  end
  for group in pairs(groups) do
    api.nvim_del_augroup_by_id(group)
  end
end

local function remove_modules()
  require("nvim-acp.bytecode").disable()
  for name in pairs(package.loaded) do
    if name:find(prefix) then
      package.loaded[name] = nil
    end
  end
end

-- Removes modules once more, since what waited for its turn may have required one, unless the plugin is loaded again.
local function remove_late()
  if not vim.g["loaded_nvim-acp"] then
    remove_modules()
  end
end

--- Ends the host, and removes sessions, windows, marks, autocommands, commands and modules.
function M.run()
  if package.loaded["nvim-acp.state"] then
    for _, group in ipairs({ "nvim-acp.notes", "nvim-acp.unheard" }) do -- there may be none
      pcall(api.nvim_exec_autocmds, "VimLeavePre", { group = group })
    end
    require("nvim-acp.files.watch").release()
    require("nvim-acp.edit").lost()
    require("nvim-acp.review").lost() -- its keys are in the buffers of files
    close_sessions()
    require("nvim-acp.rpc").stop()
  end
  clear()
  for name in pairs(vim.g.nvim_acp_commands or {}) do
    pcall(api.nvim_del_user_command, name)
  end
  vim.g.nvim_acp_commands, vim.g.nvim_acp_clashes, vim.g["loaded_nvim-acp"] = nil, nil, nil
  remove_modules()
  vim.schedule(remove_late)
  vim.defer_fn(remove_late, 1000)
end

return M
