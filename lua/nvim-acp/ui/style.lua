--- Highlight groups, linked to standard ones or to groups made of them (ui/contrast.lua), and icons with an ASCII twin.
local M = {}

local groups = {
  AcpUser = "Title", -- the bar beside the user's words
  AcpUserLine = "NvimAcpUser", -- the background of these
  AcpMention = "Identifier",
  AcpThought = "Comment",
  AcpCall = "Normal", -- title of a running tool call
  AcpDone = "Comment", -- what is finished
  AcpKindRead = "Identifier", -- icons of calls, by what they do
  AcpKindEdit = "Special",
  AcpKindRun = "Function",
  AcpKindFetch = "Identifier",
  AcpKindThink = "Comment",
  AcpKindTask = "Title",
  AcpKindOther = "Comment",
  AcpRunning = "NvimAcpInfo",
  AcpPending = "NvimAcpWarn",
  AcpFailed = "NvimAcpError",
  AcpOutput = "Comment",
  AcpNotice = "NvimAcpInfo",
  AcpWarning = "NvimAcpWarn",
  AcpError = "NvimAcpError",
  AcpAdd = "NvimAcpAdd",
  AcpDelete = "NvimAcpDelete",
  AcpAddText = "NvimAcpAddText", -- the new words of an added line
  AcpDeleteText = "NvimAcpDeleteText",
  AcpLineNr = "LineNr",
  AcpSignAdd = "Added", -- the + and - before lines of a diff
  AcpSignDelete = "Removed",
  AcpHeading1 = "NvimAcpHeading1",
  AcpHeading = "Title", -- of the second level
  AcpHeading3 = "Bold", -- of the third and deeper ones
  AcpBold = "Bold",
  AcpItalic = "Italic",
  AcpStrike = "@markup.strikethrough",
  AcpCode = "NvimAcpTint", -- within a line
  AcpFence = "Comment",
  AcpCodeBlock = "String", -- incomplete code
  AcpCodeSurface = "NvimAcpSurface", -- the background of a block of code
  AcpCodeLanguage = "Comment", -- the language of a block of code, at its right
  AcpRule = "NonText", -- lines of tables, between sections
  AcpLink = "Underlined",
  AcpList = "Special",
  AcpQuote = "Comment",
  AcpQuoteBar = "AcpRule", -- the bar before quoted lines
  AcpPlanDone = "NvimAcpOk",
  AcpPlanNow = "NvimAcpInfo",
  AcpPlanPending = "Comment",
  AcpKey = "Special",
  AcpKeyInert = "Comment",
  AcpDoubt = "DiagnosticUnderlineWarn",
  AcpBorder = "NvimAcpWarn", -- of a permission
  AcpTitle = "NvimAcpWarn",
  AcpFloatBorder = "Comment", -- of other floats
  AcpFloatTitle = "Title",
  AcpFloatFooter = "Comment",
  AcpWinbar = "WinBar",
  AcpWinbarDim = "Comment",
  AcpUnread = "NvimAcpInfo",
  AcpReviewAdd = "AcpAdd", -- lines that an agent has added, not reviewed
  AcpReviewAddText = "AcpAddText", -- their changed words
  AcpReviewDelete = "AcpDelete", -- lines that it has removed
  AcpReviewDeleteText = "AcpDeleteText",
  AcpReviewAdded = "Added", -- signs
  AcpReviewChanged = "Changed",
  AcpReviewRemoved = "Removed",
  AcpPlace = "CursorLine", -- lines that an agent was asked to change
  AcpConflictMark = "Comment",
  AcpConflictYours = "AcpUserLine",
  AcpConflictAgent = "AcpAdd",
  AcpNote = "NvimAcpInfo", -- notes for the agent
  AcpAnnotation = "NvimAcpHint", -- texts of agents at lines
  AcpFollow = "CursorLine", -- the agent's location
  AcpFlash = "Visual", -- lines that an agent has just changed
  AcpLogSend = "Identifier", -- heads of messages in the log
  AcpLogStderr = "NvimAcpWarn",
  AcpLogText = "Comment",
}

local few ---@type boolean? no screen shows more colours than a terminal has; nil: it is not known

local function define_all()
  require("nvim-acp.ui.contrast").define()
  vim.api.nvim_set_hl(0, "Bold", { bold = true, default = true })
  vim.api.nvim_set_hl(0, "Italic", { italic = true, default = true })
  for name, link in pairs(groups) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  require("nvim-acp.ui.contrast").dim_again()
  local normal = vim.api.nvim_get_hl(0, { name = "Normal" })
  vim.api.nvim_set_hl(0, "NvimAcpDefined", { fg = normal.fg, bg = normal.bg, bold = true })
end

-- Reports whether the groups were cleared since, as by |:highlight-clear|, or Normal is another. No event tells, except
-- that a command was typed.
local function stale()
  local known, normal = vim.api.nvim_get_hl(0, { name = "NvimAcpDefined" }), vim.api.nvim_get_hl(0, { name = "Normal" })
  return not known.bold or known.fg ~= normal.fg or known.bg ~= normal.bg
end

local watching = false

--- Defines the highlight groups, unless they are defined: Neovim draws the whole screen anew after that.
function M.define()
  if not stale() then
    return
  end
  define_all()
  if not watching then
    watching = true
    local group = vim.api.nvim_create_augroup("nvim-acp.style", {})
    vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = define_all })
    vim.api.nvim_create_autocmd("OptionSet", { group = group, pattern = "background", callback = define_all })
    local function screen()
      few = nil
    end
    vim.api.nvim_create_autocmd("OptionSet", { group = group, pattern = "termguicolors", callback = screen })
    vim.api.nvim_create_autocmd({ "UIEnter", "UILeave" }, { group = group, callback = screen })
    vim.api.nvim_create_autocmd("CmdlineLeave", {
      group = group,
      pattern = ":",
      callback = function()
        vim.schedule(M.define)
      end,
    })
  end
end

---@type "ascii"|"unicode"|"nerd" the set of icons, chosen by the configuration
M.set = "unicode"

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
    read = "≡",
    search = "◎",
    edit = "✎",
    delete = "⊘",
    move = "→",
    run = "$",
    fetch = "⇣",
    think = "✻",
    task = "◆",
    mode = "⇄",
    other = "◇",
    bullet = "•",
    dot = "·",
    quote = "│",
    rule = "─",
    spinner = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" },
    full = "█",
    empty = "░",
    added = "▎",
    removed = "▁",
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
    read = "=",
    search = "/",
    edit = "~",
    delete = "x",
    move = ">",
    run = "$",
    fetch = "@",
    think = "%",
    task = "#",
    mode = "&",
    other = "o",
    bullet = "*",
    dot = "-",
    quote = "|",
    rule = "-",
    spinner = { "-", "\\", "|", "/" },
    full = "#",
    empty = ".",
    added = "+",
    removed = "_",
  },
}
sets.nerd = vim.tbl_extend(
  "force",
  sets.unicode,
  { open = "\u{f107}", closed = "\u{f105}", done = "\u{f00c}", failed = "\u{f00d}" }
)

local plain = {} ---@type table<string, boolean> by colour scheme

--- Reports whether code on added lines has their colour: since the scheme's comments would be unreadable on it, it is
--- reversed, or the terminal has few colours.
---@return boolean
function M.plain_diff()
  if few == nil then
    local uis = vim.api.nvim_list_uis()
    few = #uis > 0 and not vim.iter(uis):any(function(ui)
      return ui.rgb
    end)
  end
  if few then
    return true
  end
  local key = ("%s %s"):format(vim.g.colors_name, vim.o.background)
  if plain[key] == nil then
    local add = vim.api.nvim_get_hl(0, { name = "AcpAdd", link = false })
    local comment = vim.api.nvim_get_hl(0, { name = "Comment", link = false })
    local hard = false
    if add.bg and comment.fg then
      hard = require("nvim-acp.ui.contrast").ratio(add.bg, comment.fg) < 2
    end
    plain[key] = add.reverse == true or hard
  end
  return plain[key]
end

--- Returns the priority of the colour of a whole line: below the highlights of words, and above the colours of code
--- where that would be unreadable.
---@param group string
---@return integer
function M.priority(group)
  local changed = group == "AcpAdd" or group == "AcpDelete"
  return changed and M.plain_diff() and 4100 or 4000
end

local whole = { end_col = 0, hl_eol = true, strict = false } -- one table for all marks, as there are many

--- Colours a line, or what is behind a byte of it, to the window's edge. line_hl_group would cover the highlights of
--- words.
---@param buf integer
---@param ns integer
---@param line integer from 0
---@param group string
---@param from integer? the byte of the line that it begins at
---@param priority integer? as priority() has it
function M.whole_line(buf, ns, line, group, from, priority)
  whole.end_row, whole.hl_group, whole.priority = line + 1, group, priority or M.priority(group)
  vim.api.nvim_buf_set_extmark(buf, ns, line, from or 0, whole)
end

-- Returns the set of icons. With 'ambiwidth' "double" most take two cells, for which there is no room.
local function set()
  return vim.api.nvim_strwidth(sets.unicode.rule) == 1 and M.set or "ascii"
end

--- Returns the border of floats: 'winborder' where it is set, in characters that match the icons.
---@return string|string[]
function M.border()
  if set() == "ascii" then
    return { "+", "-", "+", "|", "+", "-", "+", "|" }
  end
  local own = vim.fn.exists("+winborder") == 1 and vim.o.winborder or "" -- 0.11
  return vim.list_contains({ "single", "double", "rounded", "bold" }, own) and own or "rounded"
end

-- The corners, sides and tees of a border that is split by a line.
local splits = {
  ascii = { "+", "-", "+", "|", "+", "-", "+", "|", "+", "+" },
  single = { "┌", "─", "┐", "│", "┘", "─", "└", "│", "├", "┤" },
  rounded = { "╭", "─", "╮", "│", "╯", "─", "╰", "│", "├", "┤" },
  double = { "╔", "═", "╗", "║", "╝", "═", "╚", "║", "╠", "╣" },
  bold = { "┏", "━", "┓", "┃", "┛", "━", "┗", "┃", "┣", "┫" },
}

--- Returns the borders of a float that consists of two windows, one above the other, and the character of its lines.
---@return string[] upper, string[] lower, string line
function M.split_border()
  local border = M.border()
  local b = splits[type(border) == "string" and border or "ascii"]
  local upper = { b[1], b[2], b[3], b[4], "", "", "", b[8] }
  local lower = { b[9], b[2], b[10], b[4], b[5], b[6], b[7], b[8] }
  return upper, lower, b[2]
end

---@return table<string, any>
function M.icons()
  return sets[set()]
end

return M
