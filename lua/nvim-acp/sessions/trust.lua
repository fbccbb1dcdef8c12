--- :AcpTrust: a float with the effects of a project's files, in which the user trusts them or not.
local M = {}

-- Adds the variables that a server gets from the environment, and those it is refused.
local function environment(server)
  local given, refused = {}, {}
  for variable in vim.inspect(server):gmatch("%${([%w_]+)") do
    (vim.tbl_contains(require("nvim-acp.config.trust").variables, variable) and given or refused)[variable] = true
  end
  local lines = {}
  local function say(what, set)
    if next(set) then
      table.insert(lines, ("    %s: %s"):format(what, table.concat(vim.fn.sort(vim.tbl_keys(set)), ", ")))
    end
  end
  say("reads of your environment", given)
  say("is not given", refused)
  return lines
end

local function server_lines(name, server)
  local args = vim.tbl_map(vim.fn.shellescape, server.args)
  local what = "has neither a command nor a url"
  if server.command ~= "" then
    what = "runs " .. table.concat({ server.command, unpack(args) }, " ")
  elseif server.url ~= "" then
    what = "talks to " .. server.url
  end
  local lines = { ("  MCP server %s %s"):format(name, what) }
  for _, kind in ipairs({ "env", "headers" }) do
    for key, value in vim.spairs(server[kind]) do
      table.insert(lines, ("    %s %s: %s"):format(kind == "env" and "variable" or "header", key, value))
    end
  end
  return vim.list_extend(lines, environment(server))
end

-- Returns the effects of a file, for the user to read.
local function file_lines(file)
  local lines = {}
  for _, key in ipairs({ "agent", "mode", "model" }) do
    if file[key] then
      table.insert(lines, ("  %s: %s"):format(key, file[key]))
    end
  end
  for _, rule in ipairs(file.rules) do
    table.insert(lines, "  rule " .. require("nvim-acp.config.rules").text(rule))
  end
  for _, problem in ipairs(file.wrong) do
    table.insert(lines, "  not used: " .. problem)
  end
  for name, server in vim.spairs(require("nvim-acp.config.servers").merge(file.servers)) do
    vim.list_extend(lines, server_lines(name, server))
  end
  return lines
end

-- Returns the skills that agents would get.
local function skill_lines(folder)
  local lines = { "  agents get these skills, and read and run what belongs to them as they see fit:" }
  for _, skill in ipairs(folder.skills) do
    local what = skill.problem ~= "" and "not used: " .. skill.problem or skill.description
    table.insert(lines, ("  skill %s (%s): %s"):format(skill.name, vim.fs.basename(skill.path), what))
  end
  return lines
end

local function report(list)
  local lines = {}
  for _, entry in ipairs(list) do
    local found = { ("%s  %s"):format(entry.path, entry.trusted and "(trusted)" or "(not trusted)") }
    if (entry.problem or "") ~= "" then
      table.insert(found, "  " .. entry.problem)
    end
    if entry.skills then
      vim.list_extend(found, skill_lines(entry))
    elseif entry.data then
      vim.list_extend(found, file_lines(entry))
    end
    vim.list_extend(lines, vim.tbl_map(require("nvim-acp.ui.text").visible, found))
    table.insert(lines, "")
  end
  return lines
end

local function set(list, on)
  local hashes = require("nvim-acp.config.trust").hashes()
  for _, entry in ipairs(list) do
    hashes[entry.path] = on and entry.hash ~= "" and (entry.skills or entry.data) and entry.hash or nil
  end
  local message = require("nvim-acp.ui.message")
  local store = require("nvim-acp.config.store")
  if not store.write("trust", hashes) then
    message.error("trust cannot be saved in " .. store.path("trust"))
  elseif on and list[#list].skills then
    message.info("trusted: from the next session here on, skills from the next prompt on")
  elseif on then
    message.info("trusted: the next session here uses it")
  else
    message.info("no longer trusted: the next session here does not use it")
  end
end

local most = 256 * 1024 -- bytes of a file that is shown
local most_files = 200

-- Adds the lines of a file that is not trusted, with what they hide made visible.
local function add_file(lines, path)
  local visible = require("nvim-acp.ui.text").visible
  local text = require("nvim-acp.ui.disk").read(path, most)
  vim.list_extend(lines, { ("=== %s ==="):format(visible(path)), "" })
  if not text then
    table.insert(lines, ("it cannot be read: no regular file, or larger than %d KiB"):format(most / 1024))
  end
  for line in ((text or ""):gsub("\n$", "") .. "\n"):gmatch("(.-)\r?\n") do
    table.insert(lines, (line:gsub("[^\t]+", visible)))
  end
  table.insert(lines, "")
end

-- Shows the text of all files in question, in a tab of its own. They are not opened: nothing in them, and no name of
-- one, is looked at by anything but the user.
local function read(list)
  local lines, count = {}, 0
  for _, entry in ipairs(list) do
    for _, file in ipairs(entry.skills or { entry }) do
      count = count + 1
      if count <= most_files then
        add_file(lines, file.path)
      end
    end
  end
  if count > most_files then
    table.insert(lines, require("nvim-acp.ui.text").count(count - most_files, "more file") .. " not shown")
  end
  local buf = require("nvim-acp.ui.foreign").buffer("trust", nil, lines, "nofile")
  require("nvim-acp.ui.window").tab(buf)
  vim.bo[buf].bufhidden = "wipe"
end

-- Shows the effects of files and folders of skills, to trust them or not.
local function show(list, cwd)
  if #list == 0 then
    local what = "there is nothing to trust in %s: no .nvim-acp.json, .mcp.json or skills"
    return require("nvim-acp.ui.message").info(what:format(vim.fn.fnamemodify(cwd, ":~")))
  end
  local function decide(on)
    return function()
      set(list, on)
    end
  end
  require("nvim-acp.ui.center").ask(report(list), "What this project configures", {
    { "t", "trust", decide(true), whole = true },
    { "x", "do not trust", decide(false) },
    {
      "o",
      "open the files",
      function()
        read(list)
      end,
    },
    { "q", "later" },
  })
end

--- Shows the effects of the files of a folder, to trust them or not.
---@param cwd string
function M.review(cwd)
  local skills = require("nvim-acp.sessions.skills")
  if skills.in_project(cwd) then
    return skills.ask("trust", cwd)
  end
  show(require("nvim-acp.config.project").files(cwd), cwd)
end

--- Continues once the host has found the skills.
---@param found acp.Skills
function M.found(found)
  local list = require("nvim-acp.config.project").files(found.cwd)
  for _, folder in ipairs(found.folders) do
    if folder.project and (#folder.skills > 0 or folder.problem ~= "") then
      table.insert(list, folder)
    end
  end
  show(list, found.cwd)
end

return M
