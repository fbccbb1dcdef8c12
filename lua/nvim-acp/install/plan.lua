--- The plan shown before an installation: the exact commands, the source, and what the registry says of the agent.
local M = {}

M.indent = 9 -- cells of the words at the left

-- Returns a word of a command, a path from the home folder on. A relative path would be made one of this folder.
local function short(word)
  return word:sub(1, 1) == "/" and vim.fn.fnamemodify(word, ":~") or word
end

-- Returns a command as a user would type it.
local function typed(words)
  return table.concat(
    vim.tbl_map(function(word)
      return word:find("[^%w@%%+=:,./_~-]") and vim.fn.shellescape(word) or word
    end, words),
    " "
  )
end

-- Returns the command that will start the agent.
local function starts(plan)
  local args = plan.args or {}
  if plan.how ~= "npm" then
    return typed({ plan.program, unpack(args) })
  end
  return "the package's program" .. (#args > 0 and ", with " .. typed(args) or "")
end

-- Returns the rows of a plan: a label and its text.
local function rows(plan)
  local list = {}
  local function row(word, text)
    table.insert(list, { word, text })
  end
  if plan.how == "npm" then
    for _, command in ipairs(plan.run) do
      row("runs", typed(vim.tbl_map(short, command)))
    end
    row("from", ("npm: %s, and what it depends on, with the npm configuration that you have"):format(plan.source))
    row("checksum", "npm checks that of each package against its registry")
    local scripts = #plan.run > 1 and "of this package are run, which needs them, and of no other"
    row("scripts", scripts or "of packages are not run")
  elseif plan.how == "archive" then
    row("download", plan.source)
    if plan.sha256 ~= "" then
      row("checksum", "SHA-256 " .. plan.sha256 .. ", compared before anything is unpacked or run")
    else
      row("checksum", "none is known: whatever that server sends is run")
    end
  else
    row("runs", "nothing now: uvx downloads " .. plan.source .. " from PyPI when the agent first starts")
    row("checksum", "uv checks that of each package against PyPI")
  end
  row("into", short(plan.folder))
  row("starts", starts(plan))
  for name, value in vim.spairs(plan.env or {}) do
    row("sets", name .. "=" .. value)
  end
  return list
end

--- Returns a plan as lines.
---@param plan table
---@param changes string[]? from what is installed
---@return string[]
function M.lines(plan, changes)
  local lines = {}
  for _, row in ipairs(rows(plan)) do
    table.insert(lines, ("%-8s %s"):format(row[1], row[2]))
  end
  if changes and #changes > 0 then
    table.insert(lines, "")
    for _, change in ipairs(changes) do
      table.insert(lines, "changes  " .. change)
    end
  end
  return vim.tbl_map(require("nvim-acp.ui.text").visible, lines)
end

--- Returns the reason why an earlier attempt failed, as lines.
---@param problem string
---@return string[]
function M.failed(problem)
  local lines = {}
  for i, line in ipairs(vim.split(problem, "\n")) do
    table.insert(lines, ("%-8s %s"):format(i == 1 and "failed" or "", line))
  end
  return vim.tbl_map(require("nvim-acp.ui.text").visible, lines)
end

--- Returns why a plan cannot be carried out here.
---@param plan table
---@return string?
function M.problem(plan)
  if plan.needs ~= "" and vim.fn.executable(plan.needs) == 0 then
    local how = plan.needs == "npm" and "install Node.js, which it comes with" or "install uv, which it comes with"
    return ("%s is not on $PATH: %s, then :AcpInstall again"):format(plan.needs, how)
  end
end

return M
