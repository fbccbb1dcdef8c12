-- A scene of scripts/screenshots look, played by a scripted agent in a Neovim in a real terminal, and photographed in
-- each of $COLOURS: $OUT/$SCENE-COLUMNS-SCHEME-BACKGROUND.png, and its text once.
vim.o.showmode, vim.o.ruler, vim.o.swapfile = false, false, false

local acp = require("nvim-acp")
local name = vim.env.OUT .. "/" .. vim.env.SCENE .. "-" .. vim.o.columns

local function fail(why)
  io.stderr:write(why .. "\n")
  vim.fn.writefile({ why }, name .. ".error")
  vim.cmd("cquit!")
end

local scene = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/../scene.lua")(fail)
local till, rest = scene.till, scene.rest

local function is(state)
  till(state, function()
    return acp.status().state == state
  end)
end

-- Waits until the transcript has a text, and what is rendered is rendered.
local function has(text)
  till(text, function()
    local lines = vim.api.nvim_buf_get_lines(acp.status().bufnr, 0, -1, false)
    return table.concat(lines, "\n"):find(text, 1, true) ~= nil
  end)
  rest(400)
end

local script = vim.env.SCENE -- what the agent says

local function setup(opts)
  acp.setup(vim.tbl_deep_extend("force", {
    agent = "claude",
    agents = {
      claude = {
        command = vim.env.PROGRAM,
        args = { "agent", "--script", vim.env.SCRIPTS .. "/" .. script .. ".txt" },
      },
    },
  }, opts or {}))
end

local function chat(opts)
  setup(opts)
  acp.chat()
  is("idle")
end

local function asked(prompt)
  chat()
  acp.prompt(prompt)
  is("waiting")
  require("nvim-acp.permission").focus()
  rest(500)
end

local scenes = {}

function scenes.answer()
  chat()
  acp.prompt("Why does the parser drop the last line of @parser.go?")
  has("emit(line)")
end

-- A chat in a float.
function scenes.float()
  script = "answer"
  chat({ chat = { layout = "float" } })
  acp.prompt("Why does the parser drop the last line of @parser.go?")
  has("emit(line)")
end

function scenes.queue()
  script = "calls"
  chat()
  acp.prompt("Fix it, and add a test.")
  has("compiling parser")
  acp.prompt("Then run the linter, and say what it finds in words that anybody understands.")
  acp.prompt("And commit it.")
  rest(300)
  vim.cmd("AcpQueue")
  rest(500)
end

function scenes.wrapped()
  chat()
  acp.prompt("Show me.")
  has("indented := true")
end

-- The agent ends in the middle of a turn.
function scenes.crashed()
  chat()
  acp.prompt("Fix it, and run the tests.")
  is("disconnected")
  rest(800)
end

-- The agent's service refuses to answer.
function scenes.limit()
  chat()
  acp.prompt("Fix it.")
  has("limit")
end

-- The agent wants to know who the user is.
function scenes.login()
  setup()
  acp.chat()
  rest(1500)
end

function scenes.form()
  chat()
  acp.prompt("Fix it.")
  is("waiting")
  require("nvim-acp.permission").focus()
  rest(500)
end

-- In the middle of an answer.
function scenes.stream()
  chat()
  acp.prompt("Why?")
  has("parser_te")
end

function scenes.spaces()
  chat()
  acp.prompt("Fix it.")
  has("b.go")
end

function scenes.calls()
  chat()
  acp.prompt("Fix it, and add a test.")
  has("compiling parser")
end

function scenes.permission()
  asked("Make a release.")
end

function scenes.edit()
  asked("Fix the loop.")
end

function scenes.plan()
  asked("How would you fix it?")
end

function scenes.ask()
  setup()
  vim.api.nvim_win_set_cursor(0, { 13, 0 })
  vim.cmd("13,16AcpAsk why does it end early?")
  till("the answer", function()
    return vim.iter(vim.api.nvim_list_wins()):any(function(win)
      return vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "acp-answer"
    end)
  end)
  rest(600)
end

function scenes.empty()
  chat()
  rest(300)
end

-- The program is not there.
function scenes.unbuilt()
  require("nvim-acp.config.program").path = function() end
  setup()
  acp.chat()
  rest(500)
end

-- The agent is not there.
function scenes.missing()
  setup({ agents = { claude = { command = "claude-agent-acp", args = {} } } })
  acp.chat()
  rest(1500)
end

-- What the agent has changed is marked in the buffer, and the user has changed a line that it changes then.
function scenes.code()
  chat({ rules = { { kind = "edit", action = "allow" } }, fs = { flash = 20000 } })
  acp.prompt("Fix the loop.")
  local buf = vim.fn.bufnr("parser.go")
  till("the loop", function()
    return vim.fn.search("range lines", "nw", 0, 0) > 0
      or table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):find("range lines")
  end)
  vim.api.nvim_buf_set_lines(buf, 7, 8, false, { '\treturn strings.SplitAfter(text, "\\n") // with their ends' })
  vim.fn.writefile({}, "conflict")
  is("idle")
  rest(800)
end

function scenes.log()
  chat()
  acp.prompt("Go on.")
  is("idle")
  vim.cmd("AcpLog")
  rest(800)
end

function scenes.health()
  chat()
  vim.cmd("checkhealth nvim-acp")
  rest(1500)
end

-- The rows of the list, as a picker has them.
function scenes.sessions()
  chat()
  acp.prompt("Why does the parser drop the last line?")
  is("idle")
  vim.ui.select = function(items, opts)
    local rows = vim.tbl_map(opts.format_item or tostring, items)
    vim.cmd("botright 10new")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.list_extend({ opts.prompt or "" }, rows))
    vim.bo.modified = false
  end
  vim.cmd("AcpSessions")
  rest(800)
end

-- The review of a turn that has changed two files, where the user is in the code.
local function reviewed()
  script = "review"
  chat({ rules = { { kind = "edit", action = "allow" } } })
  acp.prompt("Fix the loop.")
  is("idle")
  vim.cmd.stopinsert()
  till("changes", function()
    return require("nvim-acp.review").count() > 0
  end)
  vim.api.nvim_set_current_win(vim.fn.bufwinid("parser.go"))
  rest(500)
end

function scenes.review()
  reviewed()
  vim.cmd("AcpHunk next")
  rest(500)
end

function scenes.list()
  reviewed()
  vim.cmd("AcpReview")
  rest(800)
end

function scenes.diff()
  reviewed()
  vim.cmd("AcpReview")
  rest(500)
  vim.api.nvim_input("d")
  rest(800)
end

function scenes.undo()
  reviewed()
  vim.cmd("AcpUndo")
  rest(800)
end

-- The text that :AcpUndo would take back, beside its float.
function scenes.undone()
  reviewed()
  vim.cmd("AcpUndo")
  rest(500)
  vim.api.nvim_input("d")
  rest(800)
end

function scenes.turns()
  reviewed()
  acp.prompt("And a test.")
  is("idle")
  vim.cmd("AcpRewind")
  rest(800)
end

function scenes.tabs()
  reviewed()
  vim.cmd("tabnew doc/notes.md")
  vim.cmd("AcpChat")
  rest(500)
  vim.cmd("tab AcpReview")
  rest(800)
end

function scenes.list_of_sessions()
  reviewed()
  vim.cmd("AcpSessions")
  rest(800)
end

function scenes.keys()
  reviewed()
  acp.chat()
  rest(300)
  vim.cmd.stopinsert()
  rest(100)
  vim.api.nvim_input("g?")
  rest(500)
end

function scenes.notes()
  setup()
  vim.cmd("8AcpNote why is the suffix cut? it is not documented anywhere, and a text of blank lines loses them")
  vim.cmd("13,16AcpNote range over the lines")
  rest(300)
  vim.cmd("20AcpNote")
  rest(600)
end

-- Notes as they are in the chat once they were sent.
function scenes.sent()
  script = "sessions"
  chat()
  vim.api.nvim_set_current_win(vim.fn.bufwinid("parser.go"))
  vim.cmd("8AcpNote why is the suffix cut? it is not documented anywhere")
  vim.cmd("13,16AcpNote range over the lines")
  vim.cmd("AcpNotes send Please look at these:")
  has("All of it is fine")
end

-- An answer of :AcpEdit waits at its lines.
function scenes.proposal()
  setup()
  vim.api.nvim_win_set_cursor(0, { 13, 0 })
  vim.cmd("13,16AcpEdit range over the lines")
  till("the answer", function()
    return vim.fn.maparg("<BS>", "n") ~= ""
  end)
  rest(600)
end

-- Writes what the screen shows.
local function text()
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    rows[row] = table.concat(cells):gsub("%s+$", "")
  end
  vim.fn.writefile(rows, name .. ".txt")
end

vim.api.nvim_create_autocmd("VimEnter", {
  once = true,
  callback = function()
    coroutine.wrap(function()
      local ok, err = pcall(function()
        rest(200)
        scenes[vim.env.SCENE]()
        vim.cmd("echo | redraw!")
        text()
        vim.o.termguicolors = vim.env.FEW == nil -- $FEW: as in a terminal of 256 colours
        for _, colours in ipairs(vim.split(vim.env.COLOURS, " ")) do
          local scheme, background = colours:match("(.+)-(.+)")
          vim.o.background = background
          vim.cmd.colorscheme(scheme)
          vim.o.background = background
          vim.cmd("redraw!")
          rest(400)
          vim.system({ "import", "-window", vim.env.WINDOWID, name .. "-" .. colours .. ".png" }):wait()
        end
      end)
      if not ok then
        fail(tostring(err))
      end
      vim.api.nvim_input("<C-\\><C-n>:qall!<CR>") -- typed, since then nothing is asked about the running turn
    end)()
  end,
})
