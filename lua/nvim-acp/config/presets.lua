--- The files of presets and kinds in 'runtimepath', which are run to have their data.
local M = {}

local roots = {} ---@type string[] folders of sessions, without links
local data = {} ---@type table<string, { [1]: boolean, [2]: any }> what files gave, by path

--- Runs nothing in a folder from now on: it is a session's, and its agent can write there. What files gave before is
--- still used.
---@param dir string
function M.avoid(dir)
  local real = vim.uv.fs_realpath(dir) or dir
  if not vim.tbl_contains(roots, real) then
    table.insert(roots, real)
  end
end

-- Reports whether a file is in a session's folder, or leads there.
local function avoided(file)
  local real = vim.uv.fs_realpath(file) or file
  for _, root in ipairs(roots) do
    for _, path in ipairs({ file, real }) do
      if vim.startswith(path, root == "/" and root or root .. "/") then
        return true
      end
    end
  end
  return false
end

--- Returns the files of a folder in lua/nvim-acp of any plugin, the first of a name first.
---@param folder string
---@return { file: string, name: string, ok: boolean, data: any }[]
function M.files(folder)
  local list = {}
  for _, file in ipairs(vim.api.nvim_get_runtime_file("lua/nvim-acp/" .. folder .. "/*.lua", true)) do
    if not avoided(file) then
      data[file] = { pcall(dofile, file) }
    end
    local got = data[file]
    if got then
      local name = vim.fn.fnamemodify(file, ":t:r")
      table.insert(list, { file = file, name = name, ok = got[1], data = vim.deepcopy(got[2]) })
    end
  end
  return list
end

return M
