--- Whether what a buffer has is its text: some plugins write labels into the lines, wait for a key, and take them out
--- again.
local M = {}

local api = vim.api

---@type table<integer, true> buffers that have changed since Neovim last waited for the user
local changed = {}
---@type table<integer, true> those of files that windows have shown, whose changes are heard
local heard = {}

local function note(_, buf)
  if not next(changed) then -- not at each SafeState, of which there is one for each event
    api.nvim_create_autocmd("SafeState", {
      callback = function()
        if require("nvim-acp.files.mode").interrupts() then
          return false
        end
        changed = {}
        return true
      end,
    })
  end
  changed[buf] = true
end

local function hear(buf)
  local kind = vim.bo[buf].buftype
  if not heard[buf] and (kind == "" or kind == "acwrite") then
    heard[buf] = api.nvim_buf_attach(buf, false, {
      on_lines = note,
      on_reload = note,
      on_detach = function()
        heard[buf], changed[buf] = nil, nil
      end,
    }) or nil
  end
end

--- Returns why what a buffer has may not be its text: Lua or Vim script that waits in the middle of something has
--- changed it.
---@param buf integer
---@return string? reason
function M.unsettled(buf)
  return changed[buf] and require("nvim-acp.files.mode").scripted() and "a mapping" or nil
end

--- Follows changes of the buffers that windows show.
function M.follow()
  for _, win in ipairs(api.nvim_list_wins()) do
    hear(api.nvim_win_get_buf(win))
  end
  api.nvim_create_autocmd("BufWinEnter", {
    group = api.nvim_create_augroup("nvim-acp.settled", { clear = true }),
    callback = function(args)
      hear(args.buf)
    end,
  })
end

return M
