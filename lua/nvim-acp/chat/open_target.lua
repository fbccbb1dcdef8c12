--- Things under the cursor in a transcript: a path with its line, a URL, a block of code.
local M = {}

---@type table<string, boolean> hosts that the user has consented to, with how they are reached
local allowed = {}

local function open_page(url)
  local text, page = require("nvim-acp.ui.text"), require("nvim-acp.rpc").ask("page_now", { address = url })
  if not page then
    local shown = text.line(url, 60)
    local why = shown .. " is not a web address that can be opened"
    return require("nvim-acp.ui.message").warn(why, { "not a web address" })
  end
  local site = page.url:match("^%w+://") .. page.host
  if allowed[site] then
    return vim.ui.open(page.url)
  end
  local notes = #page.notes > 0 and (" (look twice: %s)"):format(table.concat(page.notes, "; ")) or ""
  local choices = { ("Open%s %s"):format(notes, page.address), "Not now" }
  local prompt = ("Open a page of %s?"):format(text.tail(page.host, math.max(vim.o.columns - 27, 10)))
  require("nvim-acp.ui.choose").from(choices, { prompt = prompt, kind = "acp-confirm", wrap = true }, function(_, i)
    if i == 1 then
      allowed[site] = true
      vim.ui.open(page.url)
    end
  end)
end

-- Asks the host what is behind the row under the cursor: "link", "code" or "markdown".
local function source(s, what)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local id, _, row = require("nvim-acp.chat.blocks").at(s, cursor[1])
  local args = { session = s.id, block = id, row = row, col = cursor[2], what = what }
  local text = id and require("nvim-acp.rpc").ask("source_now", args) or ""
  return text ~= "" and text or nil
end

--- Opens the file or URL under the cursor, also where a link does not show it.
---@param s acp.Session
---@return boolean opened
function M.open(s)
  local text, col = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2] + 1
  local link = source(s, "link")
  local named = require("nvim-acp.files.named")
  for _, target in ipairs(vim.list_extend(link and { link } or {}, named.targets(text, col))) do
    if target:match("^https?://[^/?#]+") then
      open_page(target)
      return true
    end
    local path, line = named.file(target, s.cwd)
    if path then
      require("nvim-acp.files.buffer").go(path, line)
      return true
    end
  end
  if link then
    local why = "only links to files and web pages are opened: " .. require("nvim-acp.ui.text").line(link, 200)
    require("nvim-acp.ui.message").warn(why, { "no file or web page" })
  end
  return link ~= nil
end

--- Opens the web address under the cursor, in any buffer of ours. Neovim's own `gx` opens whatever an agent names.
function M.browse()
  local s = require("nvim-acp.state").sessions[vim.b.acp_session or ""]
  local chat = s and vim.bo.filetype == "acp-chat" and vim.api.nvim_get_mode().mode == "n"
  local link = chat and source(s, "link")
  for _, target in ipairs(vim.list_extend(link and { link } or {}, require("nvim-acp.files.named").names())) do
    if target:match("^https?://[^/?#]+") then
      return open_page(target)
    end
  end
  require("nvim-acp.ui.message").info("no web address under the cursor", {})
end

-- Returns the lines of a code block around a row, from 1, without its fences and indent.
local function fenced(lines, row)
  local first, fence, indent
  for i, line in ipairs(lines) do
    local lead, run = line:match("^([> ]*)([`~]+)")
    if run and #run >= 3 and not first then
      first, fence, indent = i, run, #lead
    elseif run and first and run:sub(1, #fence) == fence and line:match("^[> ]*[`~]+%s*$") then
      if row <= i then
        break
      end
      first = nil
    elseif i >= row and not first then
      return nil
    end
  end
  if not first then
    return nil
  end
  local code = {}
  for i = first + 1, #lines do
    if lines[i]:match("^[> ]*([`~]+)%s*$") and lines[i]:match("^[> ]*([`~]+)"):sub(1, #fence) == fence then
      break
    end
    table.insert(code, lines[i]:sub(math.min(indent, #lines[i]:match("^[> ]*")) + 1))
  end
  return code
end

local function yank(lines)
  vim.fn.setreg(vim.v.register, lines, "l")
  require("nvim-acp.ui.message").info(#lines == 1 and "1 line copied" or #lines .. " lines copied")
end

--- Copies the code block or the call's output under the cursor to the given register and the clipboard.
---@param s acp.Session
function M.copy(s)
  local view, here = require("nvim-acp.chat.blocks"), vim.api.nvim_win_get_cursor(0)[1]
  local _, block, row = view.at(s, here)
  if not block then
    return
  end
  local lines = vim.api.nvim_buf_get_lines(0, here - 1 - row, here - 1 - row + block.count, false)
  local part = view.part(block, row)
  local code
  if part then
    code = view.part_lines(block, part, lines)
  else
    local rendered = source(s, "code")
    code = rendered and vim.split(rendered, "\n") or fenced(lines, row + 1)
  end
  if not code or #code == 0 then
    return require("nvim-acp.ui.message").info("there is no code under the cursor")
  end
  yank(code)
end

--- Copies the Markdown of the block under the cursor, as the agent has written it.
---@param s acp.Session
function M.copy_source(s)
  local text = source(s, "markdown")
  if not text then
    return require("nvim-acp.ui.message").info("there is no text under the cursor")
  end
  yank(vim.split((text:gsub("\n+$", "")), "\n"))
end

return M
