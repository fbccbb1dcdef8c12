--- The one door to menus, vim.ui.select and vim.ui.input: each text is one line without what hides or reorders, and
--- there are not more than Neovim can show at once.
local M = {}

local most = 2000 -- items
local widest = 500 -- cells of one
local whole = 2000 -- the same, of one that is shown whole

local function line(text)
  return require("nvim-acp.ui.text").line(tostring(text), widest)
end

-- Reports whether a function, or a table that is called, is Neovim's own, and a float of ours can take its place.
local function own(fn)
  local is = type(fn) == "function" and debug.getinfo(fn, "S").source:find("vim/ui%.lua$") ~= nil
  return is and vim.fn.getcmdwintype() == ""
end

--- Reports whether lists are menus of ours: vim.ui.select is Neovim's own, which holds the main loop.
---@return boolean
function M.ours()
  return own(vim.ui.select)
end

---@class acp.Choice
---@field prompt string
---@field kind string
---@field format_item (fun(item: any): string)?
---@field usual acp.MenuKey? what <CR> does in a menu of ours; nil: done(item)
---@field keys acp.MenuKey[]? what other keys do there
---@field wrap boolean? an item is shown whole, in as many rows as it takes
---@field at integer? the item at which the cursor begins there

-- Returns as many items as a menu has, and what stands above them.
local function within(items, prompt)
  prompt = line(prompt)
  if #items <= most then
    return items, prompt
  end
  return vim.list_slice(items, 1, most), ("%s (the first %d of %d)"):format(prompt, most, #items)
end

--- Lets the user choose an item: in a menu of ours, or with their own vim.ui.select. What it returns gives our menu
--- other items and another prompt, and reports whether it is open: find says where one of those before is.
---@param items any[]
---@param opts acp.Choice
---@param done fun(item: any, index: integer?)
---@return (fun(items: any[], prompt: string, find: fun(item: any): integer?): boolean)?
function M.from(items, opts, done)
  local format = opts.format_item or tostring
  local prompt
  items, prompt = within(items, opts.prompt)
  local function text(item)
    return require("nvim-acp.ui.text").line(tostring(format(item)), opts.wrap and whole or widest)
  end
  if not M.ours() then
    vim.ui.select(items, { prompt = prompt, kind = opts.kind, format_item = text }, done)
    return nil
  end
  local function rows()
    local list = {}
    for i in ipairs(items) do
      list[i] = i
    end
    return list
  end
  local function key(of)
    return vim.tbl_extend("force", of, {
      run = function(i)
        of.run(items[i], i)
      end,
      on = of.on and function(i)
        return of.on(items[i])
      end,
    })
  end
  local usual = opts.usual or { "<CR>", "choose", "choose this", run = done }
  local replace = require("nvim-acp.ui.menu").open(rows(), {
    title = prompt,
    lines = vim.tbl_map(text, items),
    keys = vim.tbl_map(key, vim.list_extend({ usual }, opts.keys or {})),
    at = opts.at,
    wrap = opts.wrap,
    cancel = function()
      done(nil)
    end,
  })
  return function(new, above, find)
    local old = items
    items, prompt = within(new, above)
    return replace(rows(), vim.tbl_map(text, items), prompt, function(i)
      return find(old[i])
    end)
  end
end

--- Asks for a line of text: in a float of ours, or with the user's own vim.ui.input. Neovim's own is for what is
--- completed; it types the default text, so no byte of that may be a key.
---@param opts { prompt: string, default: string?, completion: string? }
---@param done fun(text: string?)
function M.ask(opts, done)
  if not opts.completion and own(vim.ui.input) then
    return require("nvim-acp.ui.input").ask(line(opts.prompt), opts.default and line(opts.default), done)
  end
  local shown = vim.tbl_extend("force", opts, { prompt = line(opts.prompt) .. ": " })
  if opts.default then
    local there = vim.iconv(opts.default, "utf-8", "utf-16le") -- what is no UTF-8 is lost on the way
    shown.default = vim.iconv(there, "utf-16le", "utf-8") == opts.default and line(opts.default) or ""
  end
  vim.ui.input(shown, done)
end

return M
