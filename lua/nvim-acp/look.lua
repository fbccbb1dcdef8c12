--- Highlight groups, all linked to standard ones, and icons with an ASCII twin.
local M = {}

local groups = {
  AcpUser = "Title", -- the bar beside the user's words
  AcpMention = "Identifier",
  AcpThought = "Comment",
  AcpCall = "Normal", -- title of a running tool call
  AcpDone = "Comment", -- what is finished
  AcpRunning = "DiagnosticInfo",
  AcpPending = "DiagnosticWarn",
  AcpFailed = "DiagnosticError",
  AcpOutput = "Comment",
  AcpNotice = "DiagnosticInfo",
  AcpWarning = "DiagnosticWarn",
  AcpError = "DiagnosticError",
  AcpAdd = "DiffAdd",
  AcpDelete = "DiffDelete",
  AcpAddText = "DiffText", -- the words of an added line that are new
  AcpDeleteText = "DiffText",
  AcpLineNr = "LineNr",
  AcpHeading = "Title",
  AcpBold = "Bold",
  AcpItalic = "Italic",
  AcpStrike = "@markup.strikethrough",
  AcpCode = "String",
  AcpFence = "Comment",
  AcpCodeBlock = "String", -- code that still grows, or of no known language
  AcpLink = "Underlined",
  AcpList = "Special",
  AcpQuote = "Comment",
  AcpPlanDone = "DiagnosticOk",
  AcpPlanNow = "DiagnosticInfo",
  AcpPlanPending = "Comment",
  AcpKey = "Special",
  AcpKeyInert = "Comment",
  AcpDoubt = "DiagnosticUnderlineWarn",
  AcpBorder = "DiagnosticWarn",
  AcpWinbar = "WinBar",
  AcpWinbarDim = "Comment",
  AcpUnread = "DiagnosticInfo",
  AcpFollow = "CursorLine", -- where the agent is
  AcpLogSend = "Identifier", -- heads of messages in the log
  AcpLogStderr = "DiagnosticWarn",
  AcpLogText = "Comment",
}

function M.define()
  vim.api.nvim_set_hl(0, "Bold", { bold = true, default = true })
  vim.api.nvim_set_hl(0, "Italic", { italic = true, default = true })
  for name, link in pairs(groups) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

local sets = {
  unicode = {
    bar = "▌",
    open = "⌄",
    closed = "›",
    ask = "?",
    done = "✓",
    failed = "✗",
    now = "●",
    pending = "○",
    cut = "…",
    below = "↓",
    minus = "−",
    spinner = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" },
    full = "█",
    empty = "░",
  },
  ascii = {
    bar = "|",
    open = "v",
    closed = ">",
    ask = "?",
    done = "+",
    failed = "x",
    now = "*",
    pending = "-",
    cut = "~",
    below = "v",
    minus = "-",
    spinner = { "-", "\\", "|", "/" },
    full = "#",
    empty = ".",
  },
}
sets.nerd = vim.tbl_extend(
  "force",
  sets.unicode,
  { open = "\u{f107}", closed = "\u{f105}", done = "\u{f00c}", failed = "\u{f00d}" }
)

--- The border of floats: as 'winborder' says where there is one, in characters that go with the icons.
---@return string|string[]
function M.border()
  if require("nvim-acp.config").options.icons == "ascii" then
    return { "+", "-", "+", "|", "+", "-", "+", "|" }
  end
  local own = vim.fn.exists("+winborder") == 1 and vim.o.winborder or "" -- 0.11
  return vim.list_contains({ "single", "double", "rounded", "bold" }, own) and own or "rounded"
end

---@return table<string, any>
function M.icons()
  return sets[require("nvim-acp.config").options.icons]
end

return M
