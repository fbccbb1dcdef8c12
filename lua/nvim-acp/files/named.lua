--- Files that a text names, in buffers of ours. Neovim's own keys for that take any name, also `term://command`, which
--- runs a program, and those of other plugins: in text of an agent, or of a project, only regular files are opened.
local M = {}

local api = vim.api

-- Forms of a line in a target: `path:3`, `path:3:1`, `path#L3`, `path(3)`.
local function line_of(target)
  local forms = { "^(.-):(%d+):%d+$", "^(.-):(%d+)%-%d+$", "^(.-):(%d+)$", "^(.-)#L(%d+).*$", "^(.-)%((%d+)[,%d ]*%)$" }
  for _, form in ipairs(forms) do
    local path, line = target:match(form)
    if path then
      return path, tonumber(line)
    end
  end
  return target
end

--- Returns the regular file that a target names, relative to a folder or absolute, and its line.
---@param target string
---@param cwd string
---@return string? path, integer? line 1-based
function M.file(target, cwd)
  if target:match("^file://") then
    target = vim.uri_decode(target:gsub("^file://[^/]*", ""))
  end
  local named, line = line_of(target)
  for _, try in ipairs({ { target }, { named, line }, { named:match("^[ab]/(.+)$"), line } }) do -- git writes a/ and b/
    local path = try[1] and try[1] ~= "" and vim.fs.normalize(try[1], { expand_env = false })
    if path then
      path = path:sub(1, 1) == "/" and path or vim.fs.joinpath(cwd, path)
      local stat = vim.uv.fs_stat(path)
      if stat and stat.type == "file" then
        return path, try[2]
      end
    end
  end
end

--- Returns the parts of a line around a column that may be a target: a mention, a link's URL, a quoted text, a word.
---@param text string
---@param col integer 1-based
---@return string[]
function M.targets(text, col)
  local forms = { "()%[[^%]]*%]%(([^)]*)%)()", "()`([^`]+)`()", '()"([^"]+)"()', "()<([^>]+)>()" }
  table.insert(forms, "()([^%s`\"'<>%[%]]+)()")
  local found = {}
  for _, mention in ipairs(require("nvim-acp.files.mention").scan(text)) do -- first: of a quoted name it has the line
    if mention.from < col and col <= mention.to then
      table.insert(found, mention.name)
    end
  end
  for _, form in ipairs(forms) do
    for from, target, to in text:gmatch(form) do
      if from <= col and col < to then
        local rest = text:sub(to):match("^[\"'`]?,? line (%d+)")
        table.insert(found, rest and (target .. ":" .. rest) or target)
        local bare = target:gsub("^[(]+", ""):gsub("[.,;:!?)]+$", "")
        table.insert(found, rest and (bare .. ":" .. rest) or bare)
      end
    end
  end
  return found
end

--- Returns what may be named: the selected text, else what is under the cursor.
---@return string[]
function M.names()
  local mode = api.nvim_get_mode().mode
  if not mode:match("^[vV\22]") then
    return M.targets(api.nvim_get_current_line(), api.nvim_win_get_cursor(0)[2] + 1)
  end
  local text = table.concat(vim.fn.getregion(vim.fn.getpos("v"), vim.fn.getpos("."), { type = mode }), "")
  return { vim.trim(text) }
end

-- Opens the named file, if there is one.
local function go()
  local s = require("nvim-acp.state").sessions[vim.b.acp_session or ""]
  for _, name in ipairs(M.names()) do
    local path, line = M.file(name, s and s.cwd or vim.fn.getcwd())
    if path then
      return require("nvim-acp.files.buffer").go(path, line)
    end
  end
  require("nvim-acp.ui.message").info("no file name under the cursor", {})
end

local keys = { "gf", "gF", "<C-w>f", "<C-w><C-f>", "<C-w>F", "<C-w>gf", "<C-w>gF", "[f", "]f" }

--- Has the keys that open the file under the cursor open regular files only, in a buffer of ours. No tag leads from it:
--- a project's file of tags names files, too.
---@param buf integer
---@param browse fun() opens the web address under the cursor, for `gx`
function M.guard(buf, browse)
  vim.bo[buf].tags = "/dev/null"
  for _, mode in ipairs({ "n", "x" }) do
    local mapped = {}
    for _, map in ipairs(api.nvim_buf_get_keymap(buf, mode)) do
      mapped[map.lhs] = true
    end
    for _, key in ipairs(keys) do
      if not mapped[key] then -- else the window has another use for it
        vim.keymap.set(mode, key, go, { buffer = buf, nowait = true }) -- as Neovim has them: `g?` lists none
      end
    end
    if not mapped.gx then
      vim.keymap.set(mode, "gx", browse, { buffer = buf, nowait = true })
    end
  end
end

return M
