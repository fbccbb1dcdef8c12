--- Lines and other context for a chat: sent with a text, or added to the prompt that is being written.
local M = {}

-- Returns the lines of a range of the current buffer.
local function lines(args)
  local file = vim.api.nvim_buf_get_name(0)
  if file ~= "" and vim.bo.buftype == "" then
    return { file = file, range = { args.line1, args.line2 } }
  end
  local text = vim.api.nvim_buf_get_lines(0, args.line1 - 1, args.line2, false)
  return { text = table.concat(text, "\n") .. "\n", name = "selection" }
end

-- Opens a chat and adds context to its prompt.
local function put(context)
  local s = require("nvim-acp.state").current()
  -- before the chat opens: context belongs to the current window
  local list = require("nvim-acp.prompt.collect").all(s or { id = "", cwd = vim.fn.getcwd() }, context)
  if #list == 0 then
    return
  end
  require("nvim-acp.sessions.start").current(function(to)
    require("nvim-acp.chat").open(to, true)
    require("nvim-acp.prompt").put(to, list)
  end)
end

-- Sends a text with lines, and shows the chat without going there, where that covers no file.
local function ask(text, context)
  require("nvim-acp.sessions.start").current(function(s)
    local chat, layout = require("nvim-acp.chat"), require("nvim-acp.files.window").layout()
    require("nvim-acp.prompt").send(s, text, { context })
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
---@param asked fun(text: string) called with what the user has typed
function M.send_lines(first, last, text, asked)
  local context = lines({ line1 = first, line2 = last })
  if text then
    return ask(text, context)
  end
  local name = require("nvim-acp.edit.request").name(vim.api.nvim_get_current_buf(), first - 1, last)
  require("nvim-acp.ui.input").ask("Send with " .. name, nil, function(typed)
    if vim.trim(typed) ~= "" then
      asked(typed)
      ask(typed, context)
    end
  end, { line = last })
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
    put({ file = vim.fn.fnamemodify(what, ":p") })
  end
end

return M
