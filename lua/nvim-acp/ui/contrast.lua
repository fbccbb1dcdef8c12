--- Colours that keep text readable: backgrounds of code and changed lines, and states, made from those of the scheme.
local M = {}

local api = vim.api

local least = 4.5 -- contrast of plain text on a background; with less the background is left out
local faded = 3.5 -- contrast of a colour of code that is gone, if it cannot have that of text
local legible = 3 -- contrast of a colour that a scheme has chosen for text; with less it is changed
local mild, strong = 0.18, 0.38 -- how much of the colour of added and removed text lines and words have

-- Returns the red, green and blue of a colour.
local function parts(colour)
  return { math.floor(colour / 65536) % 256, math.floor(colour / 256) % 256, colour % 256 }
end

-- Returns the relative luminance of a colour, from 0 to 1.
local function luminance(colour)
  local sum = 0
  for i, part in ipairs(parts(colour)) do
    part = part / 255
    part = part <= 0.04 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4
    sum = sum + part * ({ 0.2126, 0.7152, 0.0722 })[i]
  end
  return sum
end

--- Returns the contrast of two colours, from 1 to 21.
---@param a integer
---@param b integer
---@return number
function M.ratio(a, b)
  local x, y = luminance(a), luminance(b)
  return (math.max(x, y) + 0.05) / (math.min(x, y) + 0.05)
end

-- Returns a colour between two.
local function mix(a, b, share)
  local x, y, sum = parts(a), parts(b), 0
  for i = 1, 3 do
    sum = sum * 256 + math.floor(x[i] + (y[i] - x[i]) * share + 0.5)
  end
  return sum
end

-- The colours of code that the host names (host/highlight/code.go), and those of what is beside it.
local code_groups = {
  "@attribute",
  "@character",
  "@comment",
  "@constant",
  "@constant.builtin",
  "@diff.minus",
  "@diff.plus",
  "@function",
  "@function.builtin",
  "@keyword",
  "@label",
  "@markup.heading",
  "@module",
  "@number",
  "@property",
  "@string",
  "@string.escape",
  "@string.regexp",
  "@string.special",
  "@tag",
  "@type",
  "@type.builtin",
  "@variable.builtin",
  "Comment",
  "Identifier",
  "String",
}

-- Returns a colour of a terminal with 256 of them; the first 16 are its user's own and not known.
local function of_terminal(index)
  if not index or index < 16 then
    return nil
  elseif index >= 232 then
    return (8 + 10 * (index - 232)) * 0x010101
  end
  local function part(place)
    local step = math.floor((index - 16) / place) % 6
    return step == 0 and 0 or 55 + 40 * step
  end
  return (part(36) * 256 + part(6)) * 256 + part(1)
end

-- Links are followed here: Neovim would follow 'winhighlight' of the current window too.
local function colours(name)
  local hl = api.nvim_get_hl(0, { name = name })
  for _ = 1, 20 do
    if not hl.link then
      break
    end
    hl = api.nvim_get_hl(0, { name = hl.link })
  end
  if hl.reverse then
    hl.fg, hl.bg = hl.bg, hl.fg
  end
  if hl.cterm and hl.cterm.reverse then
    hl.ctermfg, hl.ctermbg = hl.ctermbg, hl.ctermfg
  end
  return hl
end

-- Reports whether plain text is readable on a background that differs from the window's.
local function fits(bg, normal)
  return bg ~= nil and bg ~= normal.bg and M.ratio(bg, normal.fg) >= least
end

-- Returns the colours of a group, or of what a capture of tree-sitter falls back to: "@string.regexp.lua", then
-- "@string.regexp", then "@string".
local function tone(name)
  while name do
    local hl = colours(name)
    if hl.fg or hl.ctermfg then
      return hl
    end
    name = name:match("^(@.*)%.[^.]*$")
  end
  return {}
end

-- Returns the colours of code, each once, as far as they are known: on screens with all colours, in terminals, and on
-- screens in lines of a diff.
local function code_tones()
  local tones, of_terminals, changed = {}, {}, {}
  for _, name in ipairs(code_groups) do
    local hl = tone(name)
    tones[hl.fg or false], of_terminals[of_terminal(hl.ctermfg) or false] = true, true
    changed[not name:find("^@diff") and hl.fg or false] = true
  end
  tones[false], of_terminals[false], changed[false] = nil, nil, nil
  return vim.tbl_keys(tones), vim.tbl_keys(of_terminals), vim.tbl_keys(changed)
end

-- Reports whether text and the colours of code are readable on a background: about as well as on the window's, if that
-- is not well.
local function readable(bg, normal, tones)
  return fits(bg, normal)
    and vim.iter(tones):all(function(fg)
      local ratio = M.ratio(fg, bg)
      return ratio >= legible or ratio >= 0.85 * M.ratio(fg, normal.bg)
    end)
end

-- Returns the colour of a terminal that is nearest to another one.
local function nearest(colour)
  local wanted, best, least_distance = parts(colour), nil, math.huge
  for index = 16, 255 do
    local distance = 0
    for i, part in ipairs(parts(of_terminal(index))) do
      distance = distance + (part - wanted[i]) ^ 2
    end
    if distance < least_distance then
      best, least_distance = index, distance
    end
  end
  return best
end

local shares = { 1, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1 } -- of a background's difference from the window's

-- Returns a background for code, that of the first of some groups that has one. It comes nearer to the window's until
-- code is readable on it; if it never is, there is none. So it is for a terminal, as far as its colours are known.
local function surface(names, normal, tones, terminal_tones)
  local terminal = { fg = of_terminal(normal.ctermfg), bg = of_terminal(normal.ctermbg) }
  local found = {}
  for _, name in ipairs(names) do
    local hl = colours(name)
    local terminal_bg = terminal.fg and terminal.bg and of_terminal(hl.ctermbg)
    for _, share in ipairs(shares) do
      local bg = hl.bg and mix(normal.bg, hl.bg, share)
      if not found.bg and readable(bg, normal, tones) then
        found.bg = bg
      end
      local index = terminal_bg and not found.ctermbg and nearest(mix(terminal.bg, terminal_bg, share))
      if index and readable(of_terminal(index), terminal, terminal_tones) then
        found.ctermbg = index
      end
    end
  end
  return found
end

-- Returns the background of changed lines: a little of the colour of added or removed text, and less until code is
-- readable on it; nil if it never is.
local function changed(normal, names, most, tones)
  for _, name in ipairs(names) do
    local colour = colours(name)
    local hue = colour.fg or colour.bg
    if hue and hue ~= normal.fg and hue ~= normal.bg then
      return vim
        .iter(shares)
        :map(function(share)
          local bg = mix(normal.bg, hue, most * share)
          return readable(bg, normal, tones) and bg or nil
        end)
        :next()
    end
  end
end

-- Returns a colour of text in a terminal, nearer to that of other text where it is not legible, as far as both are
-- known.
local function terminal_text(index, normal)
  local fg, other, bg = of_terminal(index), of_terminal(normal.ctermfg), of_terminal(normal.ctermbg)
  local share = 0
  while fg and other and bg and share < 1 and M.ratio(of_terminal(index), bg) < legible do
    share = share + 0.1
    index = nearest(mix(fg, other, share))
  end
  return index
end

-- Returns the colours of code within a line: those of strings on the background of code, where they are readable there.
local function tint(code, words)
  local fg, bg = of_terminal(words.ctermfg), of_terminal(code.ctermbg)
  return {
    fg = words.fg and M.ratio(words.fg, code.bg) >= least and words.fg or nil,
    bg = code.bg,
    ctermfg = (not bg or fg and M.ratio(fg, bg) >= least) and words.ctermfg or nil,
    ctermbg = code.ctermbg,
  }
end

-- Returns a colour between two, as near to the second one as it can be read on that.
local function between(fg, bg, ...)
  for _, contrast in ipairs({ ... }) do
    for _, share in ipairs({ 0.4, 0.3, 0.2, 0.1 }) do
      local dim = mix(fg, bg, share)
      if M.ratio(dim, bg) >= contrast then
        return dim
      end
    end
  end
  return fg
end

---@type table<string, string> by group, one with its colour dimmed
local dimmed = {}

-- Defines the group for the code of removed lines.
local function define_dimmed(name)
  local fg, bg = tone(name).fg, colours("AcpDelete").bg or colours("Normal").bg
  api.nvim_set_hl(0, dimmed[name], fg and bg and { fg = between(fg, bg, least, faded) } or {})
end

--- Returns a group for code that is gone, dimmer than another group.
---@param name string
---@return string
function M.dim(name)
  if not dimmed[name] then
    if #name > 150 or name:find("[^%w@._-]") then -- no name of a group
      return "AcpReviewDelete"
    end
    dimmed[name] = "NvimAcpDim" .. name
    define_dimmed(name)
  end
  return dimmed[name]
end

--- Defines the groups of dim() anew, once those of the plugin are linked.
function M.dim_again()
  for name in pairs(dimmed) do
    define_dimmed(name)
  end
end

-- Defines the groups for states, those of diagnostics: NvimAcpInfo and others. Where a scheme has none, Neovim's
-- own are made for dark backgrounds: one that can hardly be read gets nearer to the colour of text.
local function define_states(normal)
  for _, name in ipairs({ "Error", "Warn", "Info", "Hint", "Ok" }) do
    local from = "Diagnostic" .. name
    local hl = colours(from)
    if not (hl.fg and normal.fg and normal.bg) or M.ratio(hl.fg, normal.bg) >= legible then
      api.nvim_set_hl(0, "NvimAcp" .. name, { link = from })
    else
      local share, fg = 0, hl.fg
      while share < 1 and M.ratio(fg, normal.bg) < least do
        share = share + 0.1
        fg = mix(hl.fg, normal.fg, math.min(share, 1))
      end
      api.nvim_set_hl(0, "NvimAcp" .. name, { fg = fg, ctermfg = hl.ctermfg, bold = hl.bold })
    end
  end
end

--- Defines the groups that those of the plugin are linked to. Called for each scheme and background.
function M.define()
  local set = api.nvim_set_hl
  local normal = colours("Normal")
  local dark = vim.o.background == "dark"
  if not (normal.fg and normal.bg) and vim.g.colors_name == nil then
    normal = { fg = dark and 0xe0e2ea or 0x14161b, bg = dark and 0x14161b or 0xe0e2ea }
  end
  define_states(normal)
  local title = colours("Title")
  set(0, "NvimAcpHeading1", {
    fg = title.fg,
    ctermfg = title.ctermfg,
    bold = true,
    underline = true,
    cterm = { bold = true, underline = true },
  })
  if not (normal.fg and normal.bg) then -- the terminal's own, which are not known
    for group, link in pairs({
      NvimAcpTint = "String",
      NvimAcpAdd = "DiffAdd",
      NvimAcpDelete = "DiffDelete",
      NvimAcpAddText = "DiffText",
      NvimAcpDeleteText = "DiffText",
    }) do
      set(0, group, { link = link })
    end
    set(0, "NvimAcpSurface", {})
    return set(0, "NvimAcpUser", {})
  end

  local tones, terminal_tones, changed_tones = code_tones()
  local code = surface({ "NormalFloat", "ColorColumn", "CursorLine" }, normal, tones, terminal_tones)
  set(0, "NvimAcpSurface", code)
  set(0, "NvimAcpUser", surface({ "CursorLine", "ColorColumn", "NormalFloat" }, normal, tones, terminal_tones))
  set(0, "NvimAcpTint", code.bg and tint(code, colours("String")) or { link = "String" })
  for kind, from in pairs({ Add = { "Added", "DiffAdd" }, Delete = { "Removed", "DiffDelete" } }) do
    local line, words = changed(normal, from, mild, changed_tones), changed(normal, from, strong, {})
    -- With few colours a background would make code unreadable: the text has it.
    local ctermfg = terminal_text(colours(from[1]).ctermfg, normal)
    local fg = kind == "Delete" and line and between(normal.fg, line, least) or nil -- dimmer than what came for it
    set(0, "NvimAcp" .. kind, line and { fg = fg, bg = line, ctermfg = ctermfg } or { link = from[1] })
    local plain = kind == "Delete" or words and not readable(words, normal, changed_tones)
    local text = { fg = plain and normal.fg or nil, bg = words, ctermfg = ctermfg, bold = true }
    text.cterm = { bold = true, underline = true }
    set(0, ("NvimAcp%sText"):format(kind), words and text or { bold = true })
  end
end

return M
