--- :checkhealth nvim-acp, in the order in which a user would look.
local M = {}

local function check_program()
  vim.health.start("nvim-acp: program")
  local rpc = require("nvim-acp.rpc")
  local bin = rpc.bin()
  if not bin then
    return vim.health.error(
      "the program nvim-acp is not built",
      { "run :AcpBuild (needs Go)", "or put nvim-acp on your PATH" }
    )
  end
  local out = vim.system({ bin, "version" }, { text = true }):wait(5000)
  vim.health.ok(vim.trim(out.stdout or "") .. ": " .. bin)
  local theirs = tonumber((out.stdout or ""):match("interface (%d+)"))
  if theirs ~= rpc.interface then
    vim.health.error(
      ("program and plugin do not match (interface %s and %d)"):format(theirs, rpc.interface),
      { "run :AcpBuild" }
    )
  end
end

local function check_neovim()
  vim.health.start("nvim-acp: Neovim")
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim 0.10 or newer is needed, this is " .. tostring(vim.version()))
  end
end

local function check_agents()
  vim.health.start("nvim-acp: agents")
  local start = require("nvim-acp.start")
  local agents = start.agents()
  local names = vim.tbl_keys(agents)
  table.sort(names)
  for _, name in ipairs(names) do
    local agent = agents[name]
    if not agent.command then
      vim.health.ok(name .. ": built in")
    elseif vim.fn.executable(agent.command) == 1 then
      local login = agent.login and ("; to log in, " .. agent.login) or ""
      vim.health.ok(("%s: %s%s"):format(name, vim.fn.exepath(agent.command), login))
    else
      vim.health.info(("%s: %s not found; to install: %s"):format(name, agent.command, agent.install or "unknown"))
    end
  end
  local default = require("nvim-acp.config").options.agent
  if default and not agents[default] then
    vim.health.error(("the default agent %q has no preset and is not configured"):format(default))
  end
end

local function check_config()
  vim.health.start("nvim-acp: configuration")
  local problems = require("nvim-acp.config").problems
  for _, problem in ipairs(problems) do
    vim.health.warn(problem)
  end
  if #problems == 0 then
    vim.health.ok("no unknown or ill-typed option")
  end
end

local function check_clashes()
  vim.health.start("nvim-acp: clashes")
  local clashes = vim.g.nvim_acp_clashes or {}
  for _, name in ipairs(clashes) do
    vim.health.warn((":%s was already defined by another plugin, and is left to it"):format(name))
  end
  if #vim.api.nvim_get_runtime_file("lua/acp/init.lua", true) > 0 then
    vim.health.info('another plugin provides require("acp"); this one is require("nvim-acp")')
  end
  if #clashes == 0 then
    vim.health.ok("every command is ours")
  end
end

function M.check()
  check_program()
  check_neovim()
  check_agents()
  check_config()
  check_clashes()
end

return M
