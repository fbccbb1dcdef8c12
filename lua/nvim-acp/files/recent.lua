--- The listed buffers, in the order in which they were used.
local M = {}

local api = vim.api

local most = 300 -- buffers: for thousands Neovim needs tens of milliseconds to say when each was used

---@class acp.Recent
---@field bufnr integer
---@field name string
---@field changed integer
---@field loaded integer

-- Returns some hundreds of the listed buffers: those in windows, the alternate one, and the newest.
local function some(all)
  local list, seen = {}, {}
  local function take(buf)
    if not seen[buf] and api.nvim_buf_is_valid(buf) and vim.bo[buf].buflisted then
      local loaded = api.nvim_buf_is_loaded(buf) and 1 or 0
      local changed = vim.bo[buf].modified and 1 or 0
      table.insert(list, { bufnr = buf, name = api.nvim_buf_get_name(buf), changed = changed, loaded = loaded })
    end
    seen[buf] = true
  end
  take(api.nvim_get_current_buf())
  for _, win in ipairs(api.nvim_list_wins()) do
    take(api.nvim_win_get_buf(win))
  end
  take(vim.fn.bufnr("#"))
  for i = #all, #all - most, -1 do
    take(all[i])
  end
  return list
end

--- Returns the listed buffers, those that were used last first. Of thousands it returns some hundreds, those in windows
--- before the newest.
---@return acp.Recent[]
function M.list()
  local all = api.nvim_list_bufs()
  if #all > most then
    return some(all)
  end
  local list = vim.fn.getbufinfo({ buflisted = 1 })
  table.sort(list, function(a, b)
    if a.lastused ~= b.lastused then
      return a.lastused > b.lastused
    end
    return a.bufnr < b.bufnr
  end)
  return list
end

return M
