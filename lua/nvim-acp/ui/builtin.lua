--- Reports whether a function is Neovim's own, which from 0.12 on has no source.
---@param fn any
---@return boolean
return function(fn)
  local source = type(fn) == "function" and debug.getinfo(fn, "S").source or ""
  return vim.startswith(source, "@vim/") or source:match("^=?%?$") ~= nil
end
