--- The one door to vim.ui.select and vim.ui.input: each text is one line without what hides or reorders, and there are
--- not more than Neovim can show at once.
local M = {}

local most = 2000 -- items
local widest = 500 -- cells of one

local function line(text)
  return require("nvim-acp.ui.text").line(tostring(text), widest)
end

--- Lets the user choose an item.
---@param items any[]
---@param opts { prompt: string, kind: string, format_item: (fun(item: any): string)? }
---@param done fun(item: any, index: integer?)
function M.from(items, opts, done)
  local format = opts.format_item or tostring
  local prompt = line(opts.prompt)
  if #items > most then
    prompt = ("%s (the first %d of %d)"):format(prompt, most, #items)
    items = vim.list_slice(items, 1, most)
  end
  local shown = vim.tbl_extend("force", opts, {
    prompt = prompt,
    format_item = function(item)
      return line(format(item))
    end,
  })
  vim.ui.select(items, shown, done)
end

--- Asks for a line of text. Neovim types the default one, so no byte of it may be a key.
---@param opts { prompt: string, default: string? }
---@param done fun(text: string?)
function M.ask(opts, done)
  local shown = vim.tbl_extend("force", opts, { prompt = line(opts.prompt) })
  if opts.default then
    shown.default = line(vim.iconv(opts.default, "utf-8", "utf-8"))
  end
  vim.ui.input(shown, done)
end

return M
