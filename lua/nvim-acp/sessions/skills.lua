--- Skills: listed, made always active or not, shown as they are sent to agents. The host finds them.
local M = {}

---@class acp.Skills
---@field cwd string
---@field agent string its title
---@field off ""|"disabled"|"agent"
---@field summary string
---@field text string the message for the agent
---@field left string[] left out for the size
---@field folders acp.SkillFolder[]

---@class acp.SkillFolder
---@field path string
---@field project boolean
---@field trusted boolean
---@field hash string
---@field problem string
---@field skills acp.Skill[]

---@class acp.Skill
---@field name string
---@field description string
---@field path string
---@field active boolean
---@field hidden boolean another one of that name is used
---@field problem string
---@field size integer bytes

local message = require("nvim-acp.ui.message")

--- Returns the folders for skills of a project and of the user.
---@param cwd string
---@return { path: string, project: boolean }[]
function M.folders(cwd)
  local project, own = {}, {}
  for _, folder in ipairs(require("nvim-acp.config").options.skills.folders) do
    local relative = not folder:match("^/") and not folder:match("^~/")
    if relative and cwd ~= vim.env.HOME then
      table.insert(project, { path = cwd .. "/" .. folder, project = true })
    end
    local path = relative and "~/" .. folder or folder
    table.insert(own, { path = (path:gsub("^~", vim.env.HOME or "~")), project = false })
  end
  return vim.list_extend(project, own)
end

--- Reports whether a project has folders for skills.
---@param cwd string
---@return boolean
function M.in_project(cwd)
  if require("nvim-acp.config").options.skills.enabled == false then
    return false
  end
  return vim.iter(M.folders(cwd)):any(function(folder)
    return folder.project and vim.fn.isdirectory(folder.path) == 1
  end)
end

--- Asks the host for the skills of a folder. Its answer goes to found() below, or for "trust" to trust.lua.
---@param why "list"|"show"|"trust"
---@param cwd string? that of the current session
function M.ask(why, cwd)
  local s = require("nvim-acp.state").current()
  local agents = require("nvim-acp.config.agents")
  local name = s and s.agent or agents.default() or "demo"
  cwd = cwd or (s and s.cwd) or vim.fn.getcwd()
  require("nvim-acp.rpc").notify("skills", { why = why, cwd = cwd, agent = agents.spec(name) })
end

-- Returns why nothing is sent, if nothing is.
local function off(found)
  if found.off == "disabled" then
    return "skills.enabled is false, so no agent gets them"
  elseif found.off == "agent" then
    return found.agent .. " reads skills itself, so it gets no list; skills.enabled = true sends one"
  end
end

local function show(found)
  local lines = { off(found) or found.agent .. " gets " .. found.summary }
  for _, left in ipairs(found.left) do
    table.insert(lines, "left out for the size (skills.budget): " .. left)
  end
  table.insert(lines, "")
  if found.text ~= "" then
    vim.list_extend(lines, vim.split(found.text, "\n", { plain = true }))
  end
  require("nvim-acp.ui.reader").show("skills", lines, "markdown")
end

local function note(folder, skill)
  if skill.problem ~= "" then
    return skill.problem
  elseif not folder.trusted then
    return "not trusted, see :AcpTrust"
  elseif skill.hidden then
    return "another one of that name is used"
  end
  return folder.project and "project" or "yours"
end

-- Returns the choices: the skills, an aligned line each, and the whole message.
local function items(found)
  local column = require("nvim-acp.ui.text").column
  local icons, list = require("nvim-acp.ui.style").icons(), {}
  local name, about, last = 0, 0, 0
  for _, folder in ipairs(found.folders) do
    for _, skill in ipairs(folder.skills) do
      local item = { skill = skill, folder = folder, note = note(folder, skill) }
      name = math.min(math.max(name, vim.api.nvim_strwidth(skill.name)), 30)
      about = math.max(about, vim.api.nvim_strwidth(skill.description))
      last = math.max(last, vim.api.nvim_strwidth(item.note))
      table.insert(list, item)
    end
  end
  about = math.max(math.min(about, vim.o.columns - 20 - name - last), 10)
  for _, item in ipairs(list) do
    item.usable = item.note == "project" or item.note == "yours"
    local mark = item.usable and (item.skill.active and icons.now or icons.pending) or " "
    local text = ("%s %s  %s"):format(mark, column(item.skill.name, name), column(item.skill.description, about))
    item.text = ("%s  (%s)"):format(text, item.note)
  end
  table.insert(list, { text = "  show what " .. found.agent .. " gets" })
  return list
end

local function choose(found, item)
  if not item.skill then
    return show(found)
  elseif not item.folder.trusted then
    return M.ask("trust", found.cwd)
  elseif not item.usable then
    return message.warn(("%s: %s"):format(item.skill.name, item.note))
  end
  local skill = item.skill
  local args = { cwd = found.cwd, name = skill.name, path = skill.path, on = not skill.active }
  require("nvim-acp.rpc").notify("skill", args)
end

local function pick(found)
  local list = items(found)
  if #list == 1 then
    local folders = table.concat(require("nvim-acp.config").options.skills.folders, ", ")
    local shorter = not off(found) and { "no skills in " .. folders, "no skills here" } or nil
    return message.info(off(found) or ("no skills in %s, of the project or of yours"):format(folders), shorter)
  end
  require("nvim-acp.ui.choose").from(list, {
    prompt = off(found) or ("Skills (%s always active)"):format(require("nvim-acp.ui.style").icons().now),
    kind = "acp-skill",
    format_item = function(item)
      return item.text
    end,
  }, function(item)
    if item then
      choose(found, item)
    end
  end)
end

--- Shows the skills that the host has found.
---@param why "list"|"show"
---@param found acp.Skills
function M.found(why, found)
  if why == "show" then
    show(found)
  else
    pick(found)
  end
end

return M
