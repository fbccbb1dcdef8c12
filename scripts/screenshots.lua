-- The scenes of scripts/screenshots, played in a Neovim in a real terminal: $SCENE is photographed while the file
-- $OUT/recording is there, and Neovim ends.
vim.o.showmode, vim.o.ruler, vim.o.number = false, false, true
vim.o.laststatus = 2

local acp = require("nvim-acp")

local function fail(why)
  vim.fn.writefile({ why }, vim.env.OUT .. "/error")
  vim.cmd("cquit!")
end

local scene = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/scene.lua")(fail)
local till, rest = scene.till, scene.rest

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

local scenes = {}

local recording = vim.env.OUT .. "/recording"

-- The agent edits the file that the user types in.
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

-- The user reviews a turn hunk by hunk, then undoes all of it. The command line shows the keys.
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
      end)
      if not ok then
        fail(tostring(err))
      end
      vim.api.nvim_input("<C-\\><C-n>:qall!<CR>") -- typed, since then nothing is asked about a running turn
    end)()
  end,
})
