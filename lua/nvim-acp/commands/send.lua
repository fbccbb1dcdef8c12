--- Lines and other context for a chat: sent with a text, or added to the prompt that is being written.
local M = {}

-- Returns the lines of a range of the current buffer as a context.
local function lines(args)
  local file = vim.api.nvim_buf_get_name(0)
  if file ~= "" and vim.bo.buftype == "" then
    return { file = file, range = { args.line1, args.line2 } }
  end
  local text = vim.api.nvim_buf_get_lines(0, args.line1 - 1, args.line2, false)
  return { text = table.concat(text, "\n") .. "\n", name = "selection" }
end

-- Calls back with the current session, or a new one, and with a context as it was in the current window: a chat may be
-- opened, and the user asked for an agent.
local function collected(context, done)
  local collect = require("nvim-acp.prompt.collect")
  local list = collect.added(require("nvim-acp.state").current() or collect.nobody(), context)
  if #list == 0 then
    return
  end
  local take, drop = collect.follow(list)
  require("nvim-acp.sessions.start").current(function(s)
    take()
    done(s, list)
  end, drop)
end

-- Opens a chat and adds context to its prompt.
local function put(context)
  collected(context, function(s, list)
    require("nvim-acp.chat").open(s, true)
    require("nvim-acp.prompt").put(s, list)
  end)
end

-- Sends a text with lines, and shows the chat without going there, where that covers no file.
local function ask(text, context)
  collected(context, function(s, list)
    local chat, layout = require("nvim-acp.chat"), require("nvim-acp.files.window").layout()
    require("nvim-acp.prompt").send(s, text, list)
    if chat.visible(s) then
      return
    elseif layout == "tab" or layout == "current" then
      local key = require("nvim-acp.ui.keys").to("AcpChat")
      require("nvim-acp.ui.message").info(("sent; %s shows the answer"):format(key))
    else
      chat.open(s, false)
    end
  end)
end

--- Adds lines of the current buffer to the prompt that is being written.
---@param first integer 1-based
---@param last integer
function M.put_lines(first, last)
  put(lines({ line1 = first, line2 = last }))
end

--- Sends lines of the current buffer with a text, for which the user is asked if there is none.
---@param first integer 1-based
---@param last integer
---@param text string?
---@param asked fun(text: string, range: integer[]) called with what the user has typed, and the lines then
function M.send_lines(first, last, text, asked)
  local context = lines({ line1 = first, line2 = last })
  if text then
    return ask(text, context)
  end
  local followed = require("nvim-acp.files.lines")
  local at = followed.follow(vim.api.nvim_get_current_buf(), first, last)
  followed.ask(at, "Send with %s", function(typed)
    local range, problem = followed.take(at)
    if vim.trim(typed) == "" then
      return
    elseif context.file and range then
      context.range = range
    elseif context.file then
      local name = followed.name(at.buf, at.first, at.last)
      context = { text = table.concat(at.text, "\n") .. "\n", name = name }
      require("nvim-acp.ui.message").warn(("%s is sent as it was: %s"):format(name, problem), { problem })
    end
    asked(typed, range or { at.first, at.last })
    ask(typed, context)
  end, { below = true })
end

--- Runs :AcpSend.
---@param args table of a command
function M.send(args)
  if args.range == 0 and args.args ~= "" then
    require("nvim-acp").prompt(args.args)
  elseif args.range == 0 then
    require("nvim-acp.ui.message").info("nothing to send: :AcpSend text, or with a range")
  elseif args.args ~= "" then
    ask(args.args, lines(args))
  else
    put(lines(args))
  end
end

--- Runs :AcpAdd.
---@param args table of a command
function M.add(args)
  local what = args.args
  if what == "" and args.range == 0 then
    what = "buffer"
  end
  if what == "" then
    put(lines(args))
  elseif what == "function" or require("nvim-acp.prompt.context").names[what] then
    put({ kind = what, range = args.range > 0 and { args.line1, args.line2 } or nil })
  else
    local path = require("nvim-acp.commands.file").path(what)
    if path then
      put({ file = path })
    end
  end
end

return M
