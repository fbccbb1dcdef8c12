-- The keys that README.md suggests, in `make demo`.
local keys = {
  a = "toggle",
  s = "send-operator",
  e = "edit-operator",
  k = "ask-operator",
  p = "permit",
  u = "undo",
  o = "sessions",
}
for key, name in pairs(keys) do
  local modes = name:find("operator") and { "n", "x" } or "n"
  vim.keymap.set(modes, "<Leader>" .. key, ("<Plug>(acp-%s)"):format(name))
end
vim.keymap.set("n", "<Leader>m", "<Cmd>AcpModel<CR>")
