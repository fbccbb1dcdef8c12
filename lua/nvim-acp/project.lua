--- What a project's own files configure: nothing, until the user has read what they would do and trusts them. The trust
--- is in the content: a file that has changed is asked about again.
local M = {}

local uv = vim.uv

local names = { ".nvim-acp.json", ".mcp.json" }
local most = 256 * 1024 -- bytes of a file

---@class acp.ProjectFile
---@field name string
---@field path string
---@field hash string
---@field trusted boolean
---@field data table? nil if it is not JSON
---@field problem string?

-- The text of a regular file; anything else is not waited for.
local function read(path)
  local flags = uv.constants.O_RDONLY + (uv.constants.O_NONBLOCK or 0)
  local fd = uv.fs_open(path, flags, 0)
  if not fd then
    return nil
  end
  local stat = uv.fs_fstat(fd)
  local text
  if stat and stat.type == "file" and stat.size <= most then
    text = uv.fs_read(fd, most, 0)
  end
  uv.fs_close(fd)
  return text
end

local function store()
  return vim.fn.stdpath("state") .. "/nvim-acp/trust.json"
end

-- Hashes by path.
local function trusted()
  local ok, list = pcall(vim.json.decode, read(store()) or "{}")
  return ok and type(list) == "table" and list or {}
end

local function keep(list)
  local path = store()
  vim.fn.mkdir(vim.fs.dirname(path), "p", "0700")
  local temp = path .. "." .. uv.os_getpid()
  local fd = uv.fs_open(temp, "w", 384) -- 0600
  if not fd then
    return false
  end
  uv.fs_write(fd, vim.json.encode(list))
  uv.fs_close(fd)
  return (uv.fs_rename(temp, path)) == true
end

--- The files of a folder that configure something.
---@param cwd string
---@return acp.ProjectFile[]
function M.files(cwd)
  local list, trust = {}, nil
  for _, name in ipairs(names) do
    local path = (uv.fs_realpath(cwd) or cwd) .. "/" .. name
    local text = read(path)
    if text then
      trust = trust or trusted()
      local file = { name = name, path = path, hash = vim.fn.sha256(text) }
      file.trusted = trust[path] == file.hash
      local ok, data = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
      if ok and type(data) == "table" then
        file.data = data
      else
        file.problem = "it is not JSON"
      end
      table.insert(list, file)
    end
  end
  return list
end

-- The servers that a file names, marked as the project's.
local function servers_of(file)
  local found = file.data.mcpServers or file.data.mcp_servers
  local out = {}
  for name, given in pairs(type(found) == "table" and found or {}) do
    if type(name) == "string" and type(given) == "table" then
      out[name] = vim.tbl_extend("force", given, { project = true })
    end
  end
  return out
end

local function word(file, key)
  local value = file.name == ".nvim-acp.json" and file.data[key]
  return type(value) == "string" and value ~= "" and value or nil
end

---@type table<string, boolean> what the user was told of, by path and content
local told = {}

local function tell(file)
  if not told[file.path .. file.hash] then
    told[file.path .. file.hash] = true
    local why = file.problem or "it is not used until you trust it, see :AcpTrust"
    require("nvim-acp.message").info(("%s of this project: %s"):format(file.name, why))
  end
end

-- The files of a folder that are trusted. Of others the user is told once.
local function usable(cwd)
  return vim.tbl_filter(function(file)
    if file.problem or not file.trusted then
      tell(file)
      return false
    end
    return true
  end, M.files(cwd))
end

--- What a session in a folder adds to how its agent is configured. What the user configures wins among servers.
---@param spec table
---@param cwd string
---@return table spec
function M.apply(spec, cwd)
  local files = usable(cwd)
  if #files == 0 then
    return spec
  end
  spec = vim.deepcopy(spec)
  local own = spec.mcp_servers
  local found = {}
  for _, file in ipairs(files) do
    spec.mode, spec.model = word(file, "mode") or spec.mode, word(file, "model") or spec.model
    found = vim.tbl_extend("keep", found, servers_of(file))
  end
  spec.mcp_servers = require("nvim-acp.servers").merge(found, own)
  return spec
end

--- The agent that a folder's trusted file names.
---@param cwd string
---@return string?
function M.agent(cwd)
  for _, file in ipairs(usable(cwd)) do
    local name = word(file, "agent")
    if name and require("nvim-acp.start").agents()[name] then
      return name
    end
  end
end

-- Bytes of characters that are not seen, or that change the direction.
local hiding = { "\226\128[\139-\143\168-\174]", "\226\129[\160-\175]", "\239\187\191", "\194\173", "\216\156" }

-- Text of a project on one line, with nothing in it that is not seen.
local function clean(text)
  local line = tostring(text):gsub("%c", function(c)
    return "^" .. string.char((c:byte() + 64) % 128)
  end)
  for _, pattern in ipairs(hiding) do
    line = line:gsub(pattern, function(c)
      return ("<%04X>"):format(vim.fn.char2nr(c))
    end)
  end
  return line
end

-- What a file would do, for the user to read.
local function report(file)
  local lines = { ("%s  %s"):format(file.path, file.trusted and "(trusted)" or "(not trusted)") }
  if file.problem then
    return vim.list_extend(lines, { "  " .. file.problem, "" })
  end
  for _, key in ipairs({ "agent", "mode", "model" }) do
    if word(file, key) then
      table.insert(lines, ("  %s: %s"):format(key, word(file, key)))
    end
  end
  local merged = require("nvim-acp.servers").merge(servers_of(file))
  local order = vim.tbl_keys(merged)
  table.sort(order)
  for _, name in ipairs(order) do
    local server = merged[name]
    local args = vim.tbl_map(vim.fn.shellescape, server.args)
    local what = server.command ~= "" and "runs " .. table.concat({ server.command, unpack(args) }, " ")
      or "talks to " .. server.url
    table.insert(lines, ("  MCP server %s %s"):format(name, what))
    for _, kind in ipairs({ "env", "headers" }) do
      for key, value in vim.spairs(server[kind]) do
        table.insert(lines, ("    %s %s: %s"):format(kind == "env" and "variable" or "header", key, value))
      end
    end
    local used = {}
    for variable in vim.inspect(server):gmatch("%${([%w_]+)") do
      used[variable] = true
    end
    if next(used) then
      table.insert(lines, "    reads of your environment: " .. table.concat(vim.fn.sort(vim.tbl_keys(used)), ", "))
    end
  end
  return vim.list_extend(vim.tbl_map(clean, lines), { "" })
end

local function trust(files, on)
  local list = trusted()
  for _, file in ipairs(files) do
    list[file.path] = on and not file.problem and file.hash or nil
  end
  local message = require("nvim-acp.message")
  if not keep(vim.tbl_isempty(list) and vim.empty_dict() or list) then
    message.error("the trust cannot be written to " .. store())
  elseif on then
    message.info("trusted: the next session here uses it")
  else
    message.info("not trusted any more: the next session here does not use it")
  end
end

--- Shows what the files of a folder would do, to be trusted or not.
---@param cwd string
function M.review(cwd)
  local files = M.files(cwd)
  if #files == 0 then
    return require("nvim-acp.message").info(("there is no %s in %s"):format(table.concat(names, " or "), cwd))
  end
  local lines = {}
  for _, file in ipairs(files) do
    vim.list_extend(lines, report(file))
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable, vim.bo[buf].bufhidden = false, "wipe"
  local width = math.max(math.floor(vim.o.columns * 0.8), 20)
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(math.ceil(vim.fn.strdisplaywidth(line) / width), 1)
  end
  local height = math.max(math.min(rows, math.floor(vim.o.lines * 0.8)), 3)
  local win = vim.api.nvim_open_win(buf, true, {
    relative = "editor",
    width = width,
    height = height,
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = require("nvim-acp.look").border(),
    title = " What this project configures ",
    footer = " t trust   x do not trust   q later ",
  })
  vim.wo[win].wrap, vim.wo[win].linebreak = true, false
  local function key(lhs, fn)
    vim.keymap.set("n", lhs, function()
      vim.api.nvim_win_close(win, true)
      fn()
    end, { buffer = buf, nowait = true })
  end
  key("t", function()
    trust(files, true)
  end)
  key("x", function()
    trust(files, false)
  end)
  key("q", function() end)
  key("<Esc>", function() end)
end

return M
