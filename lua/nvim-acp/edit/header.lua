--- Draws the line above a place, with the state and the keys, and the background of its lines.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace("nvim-acp.edits")
local place = require("nvim-acp.edit.place")
local viewport = require("nvim-acp.edit.viewport")

-- Below that of the review, whose lines are the agent's already.
local priority = 80

local function clock(since)
  local seconds = math.floor((vim.uv.now() - since) / 1000)
  return ("%d:%02d"):format(seconds / 60, seconds % 60)
end

local states = { starting = "starting", cancelling = "stopping" }

-- What a place waits for, and what the user does about it.
local waits = { waiting = { "waits for you: ", "AcpPermit" }, login = { "login needed: ", "AcpLogin" } }

-- Returns the spinner of a place. Once lines come it turns with the seconds: Neovim draws the whole window each time.
local function spinner(p)
  local icons = require("nvim-acp.ui.style").icons().spinner
  if #p.marks == 0 then
    return require("nvim-acp.ui.spinner").icon()
  end
  return icons[math.floor((vim.uv.now() - p.since) / 1000) % #icons + 1]
end

-- Returns the state of a place as chunks of virtual text.
local function state(p)
  local icons, f = require("nvim-acp.ui.style").icons(), p.frame
  local title = require("nvim-acp.ui.text").line(p.s.agent_title, 30)
  if p.phase == "working" then
    local asks = waits[p.s.state]
    local icon = asks and icons.ask or spinner(p)
    local word = asks and asks[1] .. require("nvim-acp.ui.keys").to(asks[2]) or states[p.s.state]
    return {
      { icon .. " ", asks and "AcpPending" or "AcpRunning" },
      { title, "AcpRunning" },
      { ("  %s%s"):format(word and word .. "  " or "", clock(p.since)), "AcpDone" },
    }
  elseif p.phase == "ready" then
    local counts = {
      { icons.edit .. " ", "AcpKindEdit" },
      { "+" .. f.added, "AcpReviewAdded" },
      { (" %s%d"):format(icons.minus, f.removed), "AcpReviewRemoved" },
    }
    if f.conflicts > 0 then
      table.insert(counts, { ("  %d conflict%s"):format(f.conflicts, f.conflicts > 1 and "s" or ""), "AcpWarning" })
    end
    if f.cut then
      table.insert(counts, { "  the answer is cut off", "AcpWarning" })
    end
    return counts
  end
  local words = p.kind == "ask" and "" or "  " .. (f.words:match("[^\n]*") or "")
  return { { icons.think .. " ", "AcpNotice" }, { title, "AcpNotice" }, { words, "AcpDone" } }
end

-- Returns the keys of a place with what they do, the most important ones first.
local function hints(p)
  local list = {}
  for _, key in ipairs(require("nvim-acp.edit.keys").of(p)) do
    if key.word then
      table.insert(list, { key.lhs, key.word })
    end
  end
  return list
end

-- Returns the cells for text of the narrowest window of a buffer.
local function room(buf)
  local least
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    least = math.min(least or math.huge, info.width - info.textoff)
  end
  return least or vim.o.columns
end

-- Truncates the last chunk so that all fit.
local function fit(chunks, width)
  local over = require("nvim-acp.ui.text").cells(chunks) - width
  while over > 0 do
    local last = chunks[#chunks]
    local cells = api.nvim_strwidth(last[1])
    if cells > over then
      last[1] = require("nvim-acp.ui.text").line(last[1], cells - over)
      return
    end
    table.remove(chunks)
    over = over - cells
  end
end

-- Drops keys with their descriptions, the last first, until the rest fits: a key alone says nothing.
local function fit_keys(list, width)
  local function cells()
    local n = 0
    for _, key in ipairs(list) do
      n = n + 3 + api.nvim_strwidth(key[1] .. key[2])
    end
    return n
  end
  while #list > 0 and cells() > width do
    table.remove(list)
  end
  return list, cells()
end

local function head_of(p)
  local width, here = room(p.buf), require("nvim-acp.edit.keys").active() == p
  local chunks = state(p)
  local own = math.min(require("nvim-acp.ui.text").cells(chunks), math.max(16, width - 40))
  local list, used = fit_keys(hints(p), width - own)
  fit(chunks, math.max(width - used, 10))
  for _, key in ipairs(list) do
    table.insert(chunks, { "  " .. key[1], here and "AcpKey" or "AcpKeyInert" })
    table.insert(chunks, { " " .. key[2], "AcpKeyInert" })
  end
  return chunks
end

-- Reports whether an extmark begins at a row and, if given, ends at another.
local function stands(p, id, row, last)
  local at = id and api.nvim_buf_get_extmark_by_id(p.buf, ns, id, { details = true }) or {}
  return at[1] == row and at[2] == 0 and (not last or at[3].end_row == last and at[3].end_col == 0)
end

--- Draws the line above a place and its background, unless they are there as they are to be: Neovim would draw anew all
--- lines that the background has.
---@param p acp.Place
function M.draw(p)
  if p.aside or not api.nvim_buf_is_loaded(p.buf) then
    return
  end
  require("nvim-acp.edit.folds").follow()
  local first, last = place.rows(p)
  local row = math.min(first, api.nvim_buf_line_count(p.buf) - 1)
  last = math.max(last, first)
  if not stands(p, p.tint, row, last) then
    p.tint = api.nvim_buf_set_extmark(p.buf, ns, row, 0, {
      id = p.tint,
      end_row = last,
      hl_group = "AcpPlace",
      hl_eol = true,
      priority = priority,
      strict = false,
    })
  end
  local back = p.head_held ~= nil
  viewport.drop(p.buf, p.head_held)
  p.head_held = nil
  if not viewport.of(p.buf)(row) then
    if p.head and not stands(p, p.head, row) then -- other lines have it
      api.nvim_buf_del_extmark(p.buf, ns, p.head)
      p.head = nil
    end
    p.head_held = viewport.hold(p.buf, row, function()
      M.draw(p)
    end)
    return
  end

  local fresh, chunks = not p.head, head_of(p)
  if not stands(p, p.head, row) or not vim.deep_equal(p.chunks, chunks) then
    p.chunks = chunks
    p.head = api.nvim_buf_set_extmark(p.buf, ns, row, 0, {
      id = p.head,
      virt_lines = require("nvim-acp.ui.virtual").lines({ chunks }),
      virt_lines_above = true,
      right_gravity = false,
      priority = priority,
    })
    require("nvim-acp.ui.above").watch(p.buf, row)
  end
  if back then
    p.fills = nil -- no window has shown it meanwhile
  end
  if fresh or back then
    viewport.reveal(p.buf) -- all that is above the first line is there
    require("nvim-acp.edit.reveal").show(p, row, 1 + (p.above or 0))
  end
end

--- Removes the line and the background.
---@param p acp.Place
function M.clear(p)
  viewport.drop(p.buf, p.head_held)
  for _, id in ipairs({ p.head or 0, p.tint or 0 }) do
    api.nvim_buf_del_extmark(p.buf, ns, id)
  end
  p.head, p.head_held, p.tint = nil, nil, nil
  require("nvim-acp.ui.above").settle(p.buf)
end

-- Draws the spinners of the places that await an answer, and reports whether there is one.
local function spin()
  local working = false
  for _, p in pairs(place.all) do
    if p.phase == "working" then
      working = true
      if #vim.fn.win_findbuf(p.buf) > 0 then
        require("nvim-acp.ui.try").call(M.draw, p)
      end
    end
  end
  return working
end

--- Animates the spinner while an answer is pending.
function M.spin()
  require("nvim-acp.ui.spinner").show(spin)
end

return M
