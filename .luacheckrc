-- What luacheck may assume: LuaJIT inside Neovim.
std = "luajit"
globals = { "vim" }
max_line_length = 120
unused_args = false
exclude_files = { "scripts/sample" }
