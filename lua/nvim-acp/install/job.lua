--- Runs `nvim-acp install`: a request goes in, lines of JSON come out. The process ends with its input, so it does not
--- outlive Neovim.
local M = {}

---@class acp.InstallJob
---@field stop fun()

--- Starts a request. The callbacks run on Neovim's loop.
---@param request table
---@param done fun(answer: table?, problem: string?)
---@param progress fun(text: string)?
---@return acp.InstallJob?
function M.start(request, done, progress)
  local program = require("nvim-acp.config.program").path()
  if not program then
    done(nil, "the program nvim-acp is not built: run :AcpBuild")
    return nil
  end
  request.root = require("nvim-acp.config.registry").root()
  request.registry = require("nvim-acp.config.registry").path()

  local rest, answer, problem = "", nil, nil
  local function take(line)
    local ok, said = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
    if not ok or type(said) ~= "table" then
      return
    elseif said.done then
      answer = said
    elseif said.error then
      problem = said.error
    elseif said.progress and progress then
      vim.schedule(function()
        progress(said.progress)
      end)
    end
  end
  local ok, job = pcall(vim.system, { program, "install" }, {
    stdin = true,
    stdout = function(_, data)
      local lines = vim.split(rest .. (data or ""), "\n")
      rest = table.remove(lines)
      vim.tbl_map(take, lines)
    end,
  }, function(out)
    vim.schedule(function()
      local said = vim.split(vim.trim(out.stderr or ""), "\n")[1]
      done(answer, problem or not answer and ("the installation ended with status %d %s"):format(out.code, said) or nil)
    end)
  end)
  if not ok then
    done(nil, tostring(job))
    return nil
  end
  job:write(vim.json.encode(request) .. "\n")
  return {
    stop = function()
      job:write(nil)
    end,
  }
end

return M
