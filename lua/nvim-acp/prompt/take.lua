--- Keys in Neovim's completion menu of a prompt: <C-y>, and <Tab> after / and @, take an entry. Nothing is selected
--- when the menu opens, so that <Space> and <CR> never write what was not chosen: these keys take the first entry then,
--- and <CR> breaks the line, where Neovim would only close the menu.
local M = {}

local api = vim.api
local desc = "nvim-acp: completion menu"

-- What keys type where nothing is selected, and where an entry is.
local types = {
  ["<C-y>"] = { "<C-n><C-y>", "<C-y>" },
  ["<Tab>"] = { "<C-n><C-y>", "<C-y>" },
  ["<CR>"] = { "<C-e><CR>", "<CR>" },
}

-- Returns what a key types: itself where no menu is open.
local function typed(key)
  if vim.fn.pumvisible() == 0 then
    return key
  end
  return types[key][vim.fn.complete_info({ "selected" }).selected < 0 and 1 or 2]
end

-- Returns what a key is mapped to, {} if to nothing but Neovim's own default.
local function mapping(key)
  local found = vim.fn.maparg(key, "i", false, true)
  return vim.startswith(found.desc or "", "vim.snippet") and {} or found
end

--- Maps the keys in the current buffer, a prompt in which a menu is open, except those that have a mapping.
---@param buf integer
function M.map(buf)
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local keys = { "<C-y>", "<CR>" }
  if require("nvim-acp.prompt.source").at(api.nvim_get_current_line(), row - 1, col) then
    table.insert(keys, "<Tab>")
  end
  for _, key in ipairs(keys) do
    if not mapping(key).lhs then
      vim.keymap.set("i", key, function()
        return typed(key)
      end, { buffer = buf, expr = true, desc = desc })
    end
  end
end

local function unmap(buf)
  for _, m in ipairs(api.nvim_buf_get_keymap(buf, "i")) do
    if m.desc == desc then
      vim.keymap.del("i", m.lhs, { buffer = buf })
    end
  end
end

--- Maps the keys of a prompt while a menu of Neovim's is open in it; menus of plugins have keys of their own.
---@param buf integer
function M.attach(buf)
  local function on(event, fn)
    api.nvim_create_autocmd(event, {
      buffer = buf,
      callback = function()
        fn(buf)
      end,
    })
  end
  on("CompleteChanged", M.map)
  on("CompleteDone", unmap)
end

return M
