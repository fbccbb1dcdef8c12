-- Shows commands in the permission float, scrolls, and presses the key that allows: it does so if and only if the last
-- cell of the command was on the screen.
local M = {}

local float, request = require("nvim-acp.permission.float"), require("nvim-acp.permission.request")
float.acts = function()
  return true
end

local words = { "x", "some words ", "ä", "漢", "a/b/c ", "\t", "مرحبا لا" }

local function command()
  local lines = {}
  for i = 1, 1 + math.random(0, 3) * math.random(0, 12) do
    local most = math.random() < 0.3 and 600 or 60
    lines[i] = "  " .. words[math.random(#words)]:rep(math.random(0, most))
  end
  lines[#lines] = lines[#lines] .. "Ω"
  return lines
end

-- Reports whether the mark is in a cell of the float. Neovim raises the event when it waits for a key, which it does
-- not do here.
local function drawn()
  vim.cmd.redraw()
  vim.api.nvim_exec_autocmds("CursorMoved", { group = "nvim-acp.permit" })
  local pos, height = vim.api.nvim_win_get_position(float.win), vim.api.nvim_win_get_height(float.win)
  for row = pos[1] + 2, pos[1] + 1 + height do
    for col = pos[2] + 2, pos[2] + 1 + vim.api.nvim_win_get_width(float.win) do
      if vim.fn.screenstring(row, col) == "Ω" then
        return true
      end
    end
  end
  return false
end

local function press(key)
  vim.api.nvim_feedkeys(vim.keycode(key), "xt", false)
end

local keys = { "j", "gj", "k", "<C-e>", "<C-y>", "<C-d>", "<C-f>", "gg", "$", "0", "G", "H", "L", "5j", "zt", "zb" }

function M.play(round, seed)
  math.randomseed(seed)
  vim.o.columns, vim.o.lines = math.random(30, 120), math.random(12, 40)
  vim.cmd.redraw()
  local allowed = false
  require("nvim-acp.state").notify = function(_, verb)
    allowed = allowed or verb == "permit"
  end
  local lines = command()
  local p = {
    id = "p" .. round,
    version = 1,
    title = "s · run a command",
    label = "",
    lines = lines,
    marks = {},
    whole = true,
    must = #lines,
    options = { { id = "y", name = "Yes", kind = "allow_once" }, { id = "n", name = "No", kind = "reject_once" } },
    why = math.random(2) == 1 and "no rule is for this" or "",
    files = 0,
    suggest = {},
    request = {},
  }
  local s = require("nvim-acp.state").current()
  s.permissions = { p }
  request.show(s, p, true, require("nvim-acp.permission"))
  local seen = drawn()
  for _ = 1, math.random(0, 6) do
    press(keys[math.random(#keys)])
    seen = drawn() or seen
  end
  press("a")
  float.close()
  if allowed ~= seen then
    return ("%d×%d, %d lines, the last of %d bytes: its end was drawn: %s, it was allowed: %s"):format(
      vim.o.columns,
      vim.o.lines,
      #lines,
      #lines[#lines],
      seen,
      allowed
    )
  end
  return ""
end

return M
