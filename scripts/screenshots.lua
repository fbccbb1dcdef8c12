-- The scenes of scripts/screenshots, played in a Neovim in a real terminal: $SCENE is set up, photographed as
-- $SCREENSHOT, and Neovim ends.
vim.o.background = vim.env.BACKGROUND
vim.o.showmode, vim.o.ruler, vim.o.number = false, false, true
vim.o.laststatus = 2

local acp = require("nvim-acp")

local function fail(why)
  vim.fn.writefile({ why }, vim.fs.dirname(vim.env.SCREENSHOT) .. "/error")
  vim.cmd("cquit!")
end

local scene = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/scene.lua")(fail)
local till, rest = scene.till, scene.rest

local function keys(text)
  vim.api.nvim_input(text)
  rest(150)
end

local function is(state)
  till(state, function()
    local st = acp.status()
    return st and st.state == state
  end)
end

local function chat()
  acp.chat({ agent = "demo" })
  is("idle")
  rest(200)
end

-- Answers what is asked as soon as it is.
local function allow()
  is("waiting")
  rest(100)
  acp.permit("allow_once")
end

local scenes = {}

function scenes.permission()
  chat()
  acp.prompt("Please fix what is wrong in @cart.go")
  is("waiting")
  keys("<C-g>")
  rest(600)
end

function scenes.chat()
  chat()
  acp.prompt("/show")
  till("the text", function()
    local lines = vim.api.nvim_buf_get_lines(acp.status().bufnr, 0, -1, false)
    return table.concat(lines, "\n"):find("a link", 1, true) ~= nil
  end)
  vim.api.nvim_input("iThen look at @cart.go:12-18<Esc>")
end

function scenes.terminal()
  chat()
  acp.prompt("/run go test ./...; printf 'Fix it? '; read a")
  allow()
  till("the question", function()
    local lines = vim.api.nvim_buf_get_lines(acp.status().bufnr, 0, -1, false)
    return table.concat(lines, "\n"):find("\n +Fix it") ~= nil
  end)
  require("nvim-acp.terminal").open(acp.terminals()[1].id)
  rest(300)
  keys("i")
end

function scenes.light()
  chat()
  acp.prompt("Please fix what is wrong in @cart.go")
  allow()
  is("idle")
  keys("iNow add a test to @cart_test.go:3-9 for an empty cart")
  keys("<Esc>")
end

local recording = vim.fs.dirname(vim.env.SCREENSHOT) .. "/recording"

-- This scene moves: the agent edits the file that the user types in.
function scenes.merge()
  acp.setup({ rules = { { kind = "edit", action = "allow" } } })
  chat()
  local code = vim.fn.bufwinid("cart.go")
  vim.api.nvim_set_current_win(code)
  vim.api.nvim_win_set_cursor(code, { 8, 0 })
  vim.cmd("echo | redraw!")
  rest(300)
  vim.fn.writefile({}, recording)
  rest(700)
  acp.prompt("Please fix what is wrong in @cart.go")
  vim.api.nvim_input("o")
  for key in ("Note  string // what the customer wants to be told"):gmatch(".") do
    vim.api.nvim_input(key)
    rest(key == " " and 130 or 85)
  end
  vim.api.nvim_input("<CR>Taxed bool")
  is("idle")
  rest(600)
  vim.fn.delete(recording)
end

-- This scene moves too: the user reviews a turn hunk by hunk, then undoes all of it. The command line shows the keys.
function scenes.review()
  acp.setup({ rules = { { kind = "edit", action = "allow" } } })
  vim.keymap.set("n", "<Leader>u", "<Plug>(acp-undo)")
  chat()
  local code = vim.fn.bufwinid("cart.go")
  acp.prompt("Please fix what is wrong in @cart.go")
  is("idle")
  vim.api.nvim_set_current_win(code)
  vim.api.nvim_win_set_cursor(code, { 1, 0 })
  vim.cmd("echo | redraw!")
  rest(300)
  vim.fn.writefile({}, recording)
  rest(900)
  for _, step in ipairs({
    { "]h", "to the next change" },
    { "dp", "keep it" },
    { "]h", "to the next change" },
    { "do", "revert it" },
    { "<Leader>u", "undo the turn" },
    { "<CR>", "take it back" },
  }) do
    vim.api.nvim_echo({ { " " .. step[1] .. " ", "Visual" }, { "  " .. step[2] } }, false, {})
    rest(700)
    vim.api.nvim_input((step[1]:gsub("<Leader>", "\\")))
    rest(900)
  end
  rest(600)
  vim.fn.delete(recording)
end

vim.api.nvim_create_autocmd("VimEnter", {
  once = true,
  callback = function()
    coroutine.wrap(function()
      local ok, err = pcall(function()
        rest(300)
        scenes[vim.env.SCENE]()
        vim.cmd("echo | redraw!")
        rest(400)
        vim.system({ "import", "-window", "root", vim.env.SCREENSHOT }):wait()
      end)
      if not ok then
        fail(tostring(err))
      end
      vim.api.nvim_input("<C-\\><C-n>:qall!<CR>") -- typed, since then nothing is asked about a running turn
    end)()
  end,
})
