--- Starts sessions: chooses the agent and the folder, and tells the host.
local M = {}

local state = require("nvim-acp.state")

--- Calls back with the agent to use: named, configured, the only one installed, remembered, that of the last session in
--- the folder, chosen, or the demo agent.
---@param name string?
---@param cwd string?
---@param done fun(name: string)
---@param otherwise fun() if none is chosen
local function choose(name, cwd, done, otherwise)
  name = name or require("nvim-acp.config").options.agent
  if name then
    return done(name)
  end
  local agents = require("nvim-acp.config.agents")
  local names = agents.installed()
  if #names == 0 then
    require("nvim-acp.ui.message").info("the demo agent answers; :AcpInstall installs others")
    return done("demo")
  elseif #names == 1 then
    require("nvim-acp.ui.message").info("using " .. names[1] .. ", the only agent installed")
    return done(names[1])
  end
  local last = agents.remembered()
  if vim.tbl_contains(names, last) then
    return done(last --[[@as string]])
  end
  local before = require("nvim-acp.sessions.records").last_agent(cwd or vim.fn.getcwd())
  if vim.tbl_contains(names, before) then
    require("nvim-acp.ui.message").info(("using %s (:AcpAgent), as the last session here"):format(before))
    return done(before)
  end
  local prompt = "Agent (remembered; :AcpAgent changes it)"
  require("nvim-acp.ui.choose").from(names, { prompt = prompt, kind = "acp-agent" }, function(choice)
    if choice then
      agents.remember(choice)
      done(choice)
    else
      otherwise()
    end
  end)
end

local function folder(cwd, done, otherwise)
  cwd = vim.fn.fnamemodify(cwd or vim.fn.getcwd(), ":p")
  cwd = cwd ~= "/" and cwd:gsub("/$", "") or cwd
  if vim.fn.isdirectory(cwd) == 0 then
    local what = cwd == "" and "the current folder" or cwd
    require("nvim-acp.ui.message").error(what .. " does not exist (any more): :cd to another folder")
    return otherwise()
  end
  if cwd ~= "/" and cwd ~= vim.env.HOME then
    return done(cwd)
  end
  require("nvim-acp.ui.choose").from(
    { "Yes, work in " .. cwd, "No" },
    { prompt = cwd .. " is a large folder to give to an agent.", kind = "acp-confirm" },
    function(_, i)
      if i == 1 then
        done(cwd)
      else
        otherwise()
      end
    end
  )
end

--- Starts the default agent before there is a session, if no question is needed.
function M.warm()
  local name = require("nvim-acp.config.agents").default()
  local spec = name and require("nvim-acp.config.agents").spec(name)
  local there = spec and spec.elsewhere and not spec.elsewhere.sandbox
  local able = spec and spec.command and (there or vim.fn.executable(spec.command) == 1)
  if able and require("nvim-acp.config.program").path() then
    require("nvim-acp.rpc").notify("warm", { agent = spec, cwd = vim.fn.getcwd() })
  end
end

--- Creates a session and starts its agent.
---@param opts { agent: string?, cwd: string?, additional_directories: string[]?, place: table?, fork: string?, wanted:
--- (fun(): boolean)? } `place`: it is for lines of a buffer, and no chat; `fork`: the agent's id of a session whose
--- context it has, if possible; `wanted`: asked when agent and folder are chosen
---@param done fun(s: acp.Session)? called with the session
---@param otherwise fun()? called if there is none after all
---@return string? session local id, nil while the user is asked
function M.session(opts, done, otherwise)
  local id
  otherwise = otherwise or function() end
  local named = opts.agent or require("nvim-acp.config.project").agent(opts.cwd or vim.fn.getcwd())
  choose(named, opts.cwd, function(name)
    folder(opts.cwd, function(cwd)
      if opts.wanted and not opts.wanted() then
        return otherwise()
      end
      require("nvim-acp.rpc").ensure() -- the program starts meanwhile
      local spec, problem = require("nvim-acp.config.agents").spec(name)
      if not spec then
        require("nvim-acp.ui.message").error(problem --[[@as string]])
        return otherwise()
      end
      local s = state.create(name, cwd)
      s.agent_title = spec.title
      s.dirs = vim.tbl_map(function(dir)
        return vim.fs.normalize(vim.fn.fnamemodify(dir, ":p"))
      end, opts.additional_directories or {})
      id = s.id
      s.placed = opts.place
      if not s.placed then
        state.use(s)
      end
      state.open(s, spec, { fork = opts.fork })
      if done then
        done(s)
      end
    end, otherwise)
  end, otherwise)
  return id
end

--- Calls a function with the current session, or with a new one where there is none.
---@param done fun(s: acp.Session)
---@param otherwise fun()? called if there is none after all
function M.current(done, otherwise)
  local s = state.current()
  if s then
    done(s)
  else
    M.session({}, done, otherwise)
  end
end

return M
