--- Earlier prompts of a project, on disk: a file for each folder, a line for each prompt.
local M = {}

local api = vim.api

-- The most prompts of a folder, and bytes of one.
local most, longest = 300, 32 * 1024

---@type table<string, { list: string[], at: integer, draft: string[] }> the user's position in them, by session
local walks = {}

local warned = false

local function path(s)
  local folder = vim.fn.stdpath("state") .. "/nvim-acp/history"
  local file = ("%s/%s.jsonl"):format(folder, require("nvim-acp.ui.disk").name(s.cwd))
  if vim.uv.fs_stat(folder) and not vim.uv.fs_stat(file) then -- it had another name before
    vim.uv.fs_rename(("%s/%s.jsonl"):format(folder, vim.fn.sha256(s.cwd):sub(1, 16)), file)
  end
  return file
end

local function append(file, text)
  require("nvim-acp.ui.disk").folder(vim.fs.dirname(file), "700")
  if not require("nvim-acp.ui.disk").append(file, text) and not warned then
    warned = true
    require("nvim-acp.ui.message").warn("the prompt is not kept among earlier ones: " .. file)
  end
end

local function encode(text)
  return vim.json.encode({ text = text }) .. "\n"
end

local function read(file)
  local text = require("nvim-acp.ui.disk").read(file) or ""
  local all = {}
  for line in text:gmatch("[^\n]+") do
    local ok, entry = pcall(vim.json.decode, line)
    if ok and type(entry) == "table" and type(entry.text) == "string" then
      table.insert(all, entry.text)
    end
  end
  return all, #text
end

--- Returns earlier prompts, the newest first, each once.
---@param s acp.Session
---@return string[]
function M.list(s)
  local file = path(s)
  local all, size = read(file)
  local list, seen = {}, {}
  for i = #all, 1, -1 do
    if not seen[all[i]] and #list < most then
      seen[all[i]] = true
      table.insert(list, all[i])
    end
  end
  if #all > 2 * most or size > 2 * 2 ^ 20 then
    local kept, bytes = {}, 0
    for _, text in ipairs(list) do
      bytes = bytes + #text
      if bytes < 2 ^ 20 then
        table.insert(kept, 1, encode(text))
      end
    end
    require("nvim-acp.config.atomic").write(file, table.concat(kept))
  end
  return list
end

---@param s acp.Session
---@param text string
function M.add(s, text)
  walks[s.id] = nil
  local kept = require("nvim-acp.config").options.record.enabled
  if kept and vim.trim(text) ~= "" and #text <= longest then
    append(path(s), encode(text))
  end
end

local function put(buf, lines, line)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  line = line == "first" and 1 or #lines
  api.nvim_win_set_cursor(0, { line, #lines[line] })
end

--- Goes to an older (1) or newer (-1) prompt in the current prompt buffer.
---@param by integer
function M.step(by)
  local buf = api.nvim_get_current_buf()
  local s = require("nvim-acp.state").sessions[vim.b[buf].acp_session]
  if not s then
    return
  end
  local w = walks[s.id] or { list = M.list(s), at = 0 }
  if w.at == 0 then
    w.draft = api.nvim_buf_get_lines(buf, 0, -1, false)
    w.at = w.list[1] == table.concat(w.draft, "\n") and 1 or 0 -- the same text is not the earlier one
  end
  local to = w.at + by
  if to < 0 or to > #w.list then
    return
  end
  w.at = to
  walks[s.id] = w
  put(buf, to == 0 and w.draft or vim.split(w.list[to], "\n"), by > 0 and "first" or "last")
end

-- Reports whether an arrow goes to another prompt: on the first or last line.
local function leaves(by)
  local edge = by > 0 and 1 or api.nvim_buf_line_count(0)
  return vim.fn.pumvisible() == 0 and vim.v.count == 0 and vim.fn.line(".") == edge
end

--- Maps an arrow of a prompt's buffer.
---@param buf integer
---@param key string
---@param by integer
function M.map(buf, key, by)
  local desc = ("nvim-acp: %s prompt"):format(by > 0 and "earlier" or "later")
  vim.keymap.set("i", key, function()
    return leaves(by) and ("<Cmd>lua require('nvim-acp.prompt.history').step(%d)<CR>"):format(by) or key
  end, { buffer = buf, expr = true, desc = desc })
  vim.keymap.set("n", key, function()
    if leaves(by) then
      return M.step(by)
    end
    require("nvim-acp.ui.ex").typed((vim.v.count > 0 and vim.v.count or "") .. vim.keycode(key))
  end, { buffer = buf, desc = desc })
end

--- Searches the earlier prompts; the chosen one replaces the draft.
---@param s acp.Session
---@param buf integer
function M.search(s, buf)
  local list = M.list(s)
  if #list == 0 then
    return require("nvim-acp.ui.message").info("no earlier prompts in " .. s.cwd)
  end
  local line = require("nvim-acp.ui.text").line
  local began, typing = api.nvim_get_current_win(), api.nvim_get_mode().mode:sub(1, 1) == "i"

  -- Goes back to where the search began, when the picker is gone.
  local back
  function back()
    if not api.nvim_win_is_valid(began) or api.nvim_win_get_buf(began) ~= buf then
      return
    end
    api.nvim_set_current_win(began)
    if api.nvim_get_mode().mode == "t" then -- of the picker's terminal, which Neovim leaves a little later
      api.nvim_create_autocmd("ModeChanged", {
        pattern = "t:*",
        once = true,
        callback = function()
          if api.nvim_get_current_win() == began then
            vim.schedule(back)
          end
        end,
      })
    elseif typing then
      vim.cmd.startinsert({ bang = true })
    else
      vim.cmd.stopinsert()
    end
  end

  require("nvim-acp.ui.choose").from(list, {
    prompt = "Earlier prompts",
    kind = "acp-history",
    format_item = function(text)
      return line((text:gsub("%s+", " ")), math.max(vim.o.columns - 12, 20))
    end,
  }, function(text)
    if text and api.nvim_buf_is_valid(buf) then
      api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(text, "\n"))
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        local last = api.nvim_buf_line_count(buf)
        pcall(api.nvim_win_set_cursor, win, { last, #api.nvim_buf_get_lines(buf, last - 1, last, false)[1] })
      end
    end
    vim.schedule(back)
  end)
end

---@param s acp.Session
function M.forget(s)
  walks[s.id] = nil
end

return M
