--- The configuration: the defaults, which are also its documentation and type, and the current options.
local M = {}

---@class acp.Config
M.defaults = {
  agent = nil, ---@type string? agent to start; nil: the one installed, else asked once, else the demo agent
  agents = {}, ---@type table<string, acp.AgentConfig> merged over the presets of lua/nvim-acp/agents/
  permission = nil, ---@type (fun(request: acp.Request): string?)? option id, or nil to ask; must not block
  rules = {}, ---@type acp.Rule[] { kind, tool, path, command, agent, cwd; action = "allow" | "ask" | "deny" }
  fs = {
    outside = { read = "allow", write = "ask" }, -- "allow" | "ask" | "deny", for paths outside the session's roots
    -- reads and writes of these ask
    secret = { "**/.env*", "**/*.pem", "**/*.key", "**/id_*", "**/.netrc", "**/.ssh/**", "**/.aws/credentials" },
    format_on_write = false, -- run BufWritePre (formatters) when an agent's edit is saved
    max_read = 64 * 2 ^ 20, -- bytes; a larger file is served by line and limit only
    -- "tell" | "save" | "ask" | false: unsaved text, when a prompt goes to an agent that reads the disk
    unsaved = "tell", ---@type "tell"|"save"|"ask"|false
    flash = 300, -- milliseconds that lines which an agent has changed are highlighted in visible windows; 0: not
    checkpoints = true, -- of the session's folders, at the beginning and end of each turn, for :AcpUndo
    -- "offer" | "send" | false: new errors of language servers after a turn, in files that it has changed
    diagnostics = { after_turn = "offer" }, ---@type { after_turn: "offer"|"send"|false }
  },
  terminal = {
    open = "manual", -- "manual" | "split" | "float": when a command starts
    tail = 10, -- last lines shown under its tool call
    size = { 120, 40 }, -- columns and rows before a window shows it
    env = {}, ---@type table<string, string>
    osc52 = false, -- let commands set the clipboard
  },
  chat = {
    layout = "right", -- "right" | "left" | "bottom" | "float" | "tab" | "current"
    width = nil, ---@type integer? columns; nil: 45 % of the screen, at most 100
    height = nil, ---@type integer? lines of a bottom or float layout; nil: 40 % or 80 %
    -- true | false | "last": begin in Insert mode when the prompt is opened; "last": as you left it
    insert = "last", ---@type boolean|"last"
    prompt_max = 10, -- the prompt's maximum height in lines
    complete = true, -- open a menu for / and @ by itself where no completion plugin does
    fold_thoughts = true,
    fold_calls = true, -- fold finished tool calls
    follow = true, -- keep the end in view while the cursor is on the last line
  },
  review = {
    mode = "mark", -- "mark" changes of agents until they are reviewed | "ask" for that before the next turn | "off"
    keys = { -- in a buffer while it has changes to review, unless you have a mapping there; false switches one off
      next = "]h",
      prev = "[h",
      keep = "dp",
      revert = "do",
      keep_file = "dP",
      list = "gL",
    },
  },
  notify = {
    permission = true,
    turn_end = true,
    review = true, -- say after a turn what there is to review
    terminal = false,
    bell = false,
    command = {}, ---@type string[] run with a text as its last argument, when something waits while detached
  },
  icons = "unicode", -- "ascii" | "unicode" | "nerd"
  keys = { -- false switches one off
    send_normal = "<CR>",
    send_insert = "<C-s>",
    stop = "<C-c>",
    focus_permission = "<C-g>",
    queue = "gQ",
    reopen = "gB",
    attach = "gA",
    send_errors = "gS",
    install = "gG",
    history_prev = "<Up>",
    history_next = "<Down>",
    history_search = "<C-x><C-r>",
    cycle_mode = "<S-Tab>",
    write = "i",
    edit_prompt = "cc",
    open = "<CR>",
    toggle = "<Tab>",
    stop_subagent = "x",
    copy = "yc",
    copy_source = "gy",
    next_prompt = "]]",
    prev_prompt = "[[",
    next_session = "]s",
    prev_session = "[s",
    next_call = "]t",
    prev_call = "[t",
    close = "q",
    help = "g?", -- in all windows of the plugin: the keys there and what they do
    edit_take = "<CR>", -- these while the cursor is at lines that an agent was asked to change
    edit_drop = "<BS>",
    edit_change = "gC",
    edit_again = "gA",
    edit_next = "]v",
    edit_prev = "[v",
  },
  edit = { context = false }, -- an edit knows what was said in the current chat, where the agent can fork sessions
  -- name = { command, args, env } or { url, type = "http" | "sse", headers }
  mcp_servers = {}, ---@type table<string, acp.MCPServer>
  skills = {
    folders = { ".agents/skills" }, -- below the session's folder, and below home
    enabled = nil, ---@type boolean? nil: for agents that read none themselves
    budget = 16 * 1024, -- the most bytes that are sent
  },
  tools = { enabled = true }, -- the editor's tools for agents, as an MCP server
  start = { warm = false, idle_minutes = nil },
  session = {
    -- "busy" | "always" | false: whether sessions go on when Neovim ends: while a turn runs, or in any case
    detach = false, ---@type "busy"|"always"|false
    idle_minutes = 24 * 60, -- after which detached sessions end in which nothing happens; 0: never
  },
  record = { enabled = true, max_mb = 200 },
  usage = { budget = 0 }, -- dollars a day; 0: none
  log = { level = "warn", messages = 2000 }, -- of the log file; in memory for :AcpLog
}

---@class acp.AgentConfig
---@field command string the program
---@field args string[]
---@field env table<string, string>
---@field cwd string? folder the process runs in; nil: the session's
---@field title string? display name
---@field registry string? its id in the registry of agents
---@field installed acp.Installed? by :AcpInstall, and used
---@field settings acp.Setting[]|table<string, any>? declared, or values by name
---@field values table<string, any>? the configuration's values, where `settings` declares

---@type acp.Config
M.options = nil
---@type string[] problems of the options given to setup
M.problems = {}

--- Takes the options of the user. Keys that are unknown or of the wrong type are left out.
---@param opts acp.Config?
function M.take(opts)
  local options, problems = vim.deepcopy(M.defaults), {}
  if opts ~= nil and type(opts) ~= "table" then
    table.insert(problems, "setup: the options must be a table, not " .. type(opts))
  elseif opts then
    vim.list_extend(problems, require("nvim-acp.config.schema").options(opts, options))
  end
  if #options.rules > 0 then
    local rules, wrong = require("nvim-acp.config.rules").checked(options.rules)
    options.rules = rules
    vim.list_extend(problems, wrong)
  end
  M.options, M.problems = options, problems

  require("nvim-acp.ui.style").set = options.icons
  require("nvim-acp.ui.keys").key = options.keys.help or nil
  require("nvim-acp.ui.logfile").level = options.log.level
end

M.take(require("nvim-acp.config.given").options)

return M
