-- The scene of `make demo` without a terminal: a file with an unsaved change, a prompt, a permission that is answered,
-- the end of the turn. Prints each step, the transcript and the file; exits with 1 if anything went wrong.
local limit = 60000
local started = vim.uv.hrtime()
local acp = require("nvim-acp")

local function say(format, ...)
  io.stdout:write(format:format(...), "\n")
  io.stdout:flush()
end

local function fail(format, ...)
  say("FAILED: " .. format, ...)
  vim.cmd.cquit()
end

-- Waits for something until the limit of the whole scene.
local function wait(what, condition)
  local left = limit - (vim.uv.hrtime() - started) / 1e6
  if not vim.wait(math.max(0, left), condition, 10) then
    fail("%s did not come within %d seconds", what, limit / 1000)
  end
end

local function show(title, lines)
  say("\n--- %s ---", title)
  for _, line in ipairs(lines) do
    say("%s", line)
  end
end

local problem, stop_reason
local function on(event, callback)
  vim.api.nvim_create_autocmd("User", {
    pattern = event,
    callback = function(args)
      callback(args.data)
    end,
  })
end
on("AcpError", function(data)
  problem = data.message
end)
on("AcpTurnEnd", function(data)
  stop_reason = data.stop_reason
end)
on("AcpPermission", function(data)
  say("The agent asks: %s. Answered: allow once.", data.title)
  vim.schedule(function()
    if not acp.permit("allow_once", { id = data.id }) then
      problem = "the permission could not be answered"
    end
  end)
end)

local typed = "// Typed by the user and not saved."
vim.cmd.edit("cart.go")
local buffer = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(buffer, 3, 3, false, { typed })
say("Opened cart.go and typed a line without saving it.")

local session = acp.chat({ agent = "demo", focus = false })
if not session then
  fail("no chat was opened")
end
say("Opened a chat with the demo agent.")
local prompt = "Please fix the file that I have open."
acp.prompt(prompt, { session = session, context = { { file = vim.fn.expand("cart.go") } } })
say("Sent: %s", prompt)
wait("the end of the turn", function()
  return stop_reason ~= nil or problem ~= nil
end)
if problem then
  fail("%s", problem)
end
say("The turn ended: %s.", stop_reason)
wait("the idle state", function()
  return acp.status({ session = session }).state == "idle"
end)

local status = acp.status({ session = session })
show("transcript", vim.api.nvim_buf_get_lines(status.bufnr, 0, -1, false))
local disk = vim.fn.readfile("cart.go")
show("cart.go on disk", disk)

local function has(lines, text)
  return vim.iter(lines):any(function(line)
    return line:find(text, 1, true) ~= nil
  end)
end
local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
if stop_reason ~= "end_turn" then
  fail("the turn ended with %s", stop_reason)
elseif not has(disk, "i < len(items);") or has(disk, "recieve") then
  fail("the file on disk was not corrected")
elseif not has(lines, "i < len(items);") or not has(lines, typed) then
  fail("the buffer lacks the correction or the typed line")
elseif vim.v.errmsg ~= "" then
  fail("%s", vim.v.errmsg)
end
say("\nEverything went as it should.")
vim.cmd("qall!")
