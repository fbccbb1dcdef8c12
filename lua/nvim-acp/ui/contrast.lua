--- Colours that keep text readable: backgrounds of code and changed lines, and states, made from those of the scheme.
local M = {}

local api = vim.api

local least = 4.5 -- contrast of plain text on a background; with less the background is left out
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
  return hl
end

-- Reports whether plain text is readable on a background that differs from the window's.
local function fits(bg, normal)
  return bg ~= nil and bg ~= normal.bg and M.ratio(bg, normal.fg) >= least
end

-- Returns the colours of the first group whose background fits, nil if none does.
local function first(names, normal)
  for _, name in ipairs(names) do
    local hl = colours(name)
    if fits(hl.bg, normal) then
      return hl
    end
  end
end

-- Returns the background of changed lines: a little of the colour of added or removed text.
local function changed(normal, names, share)
  for _, name in ipairs(names) do
    local colour = colours(name)
    local tone = colour.fg or colour.bg
    if tone and tone ~= normal.fg and tone ~= normal.bg then
      local bg = mix(normal.bg, tone, share)
      return fits(bg, normal) and bg or nil
    end
  end
end

-- Returns the colours of code within a line: those of strings on the background of code, where they are readable there.
local function tint(code, words)
  local readable = words.fg and M.ratio(words.fg, code.bg) >= least
  return { fg = readable and words.fg or nil, bg = code.bg, ctermfg = words.ctermfg, ctermbg = code.ctermbg }
end

-- Returns the colour of a group, or of what a capture of tree-sitter falls back to: "@string.regexp.lua", then
-- "@string.regexp", then "@string".
local function tone(name)
  while name do
    local fg = colours(name).fg
    if fg then
      return fg
    end
    name = name:match("^(@.*)%.[^.]*$")
  end
end

---@type table<string, string> by group, one with its colour dimmed
local dimmed = {}

-- Defines the group for the code of removed lines: a colour between that of the group and that of the lines, as long as
-- it is readable.
local function define_dimmed(name)
  local fg, bg = tone(name), colours("AcpDelete").bg or colours("Normal").bg
  if not (fg and bg) then
    return api.nvim_set_hl(0, dimmed[name], {})
  end
  for _, share in ipairs({ 0.4, 0.3, 0.2, 0.1, 0 }) do
    local dim = mix(fg, bg, share)
    if share == 0 or M.ratio(dim, bg) >= least then
      return api.nvim_set_hl(0, dimmed[name], { fg = dim })
    end
  end
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

  local code = first({ "NormalFloat", "ColorColumn", "CursorLine" }, normal)
  local user = first({ "CursorLine", "ColorColumn", "NormalFloat" }, normal)
  set(0, "NvimAcpSurface", code and { bg = code.bg, ctermbg = code.ctermbg } or {})
  set(0, "NvimAcpUser", user and { bg = user.bg, ctermbg = user.ctermbg } or {})
  set(0, "NvimAcpTint", code and tint(code, colours("String")) or { link = "String" })
  for kind, from in pairs({ Add = { "Added", "DiffAdd" }, Delete = { "Removed", "DiffDelete" } }) do
    local line, words = changed(normal, from, mild), changed(normal, from, strong)
    local cterm = colours(from[1]) -- with few colours a background would make code unreadable: the text has it
    set(0, "NvimAcp" .. kind, line and { bg = line, ctermfg = cterm.ctermfg } or { link = from[1] })
    local text = { fg = kind == "Delete" and normal.fg or nil, bg = words, ctermfg = cterm.ctermfg, bold = true }
    text.cterm = { bold = true, underline = true }
    set(0, ("NvimAcp%sText"):format(kind), words and text or { bold = true })
  end
end

return M
