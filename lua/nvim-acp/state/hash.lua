--- SHA-256 of short texts, as names of files. vim.fn.sha256() tests itself when it is first called, for 5 to 24 ms:
--- much of what it takes to open a chat.
local M = {}

local bit = require("bit")
local band, bnot, bxor, ror, rshift, tobit = bit.band, bit.bnot, bit.bxor, bit.ror, bit.rshift, bit.tobit

-- Returns the first 32 bits behind the point of a root.
local function fraction(root)
  return tobit(math.floor((root - math.floor(root)) * 2 ^ 32))
end

-- The constants of the standard, FIPS 180-4: made of the first 64 primes.
local function constants()
  local primes, cubes, squares, n = {}, {}, {}, 2
  while #primes < 64 do
    local prime = true
    for _, p in ipairs(primes) do
      prime = prime and n % p ~= 0
    end
    if prime then
      table.insert(primes, n)
      table.insert(cubes, fraction(n ^ (1 / 3)))
      table.insert(squares, fraction(n ^ 0.5))
    end
    n = n + 1
  end
  return cubes, squares
end

-- Adds a block of 64 bytes to the state.
local function add(state, block, k)
  local w = {}
  for i = 1, 16 do
    local a, b, c, d = block:byte(4 * i - 3, 4 * i)
    w[i] = tobit(((a * 256 + b) * 256 + c) * 256 + d)
  end
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    local s0 = bxor(ror(x, 7), ror(x, 18), rshift(x, 3))
    local s1 = bxor(ror(y, 17), ror(y, 19), rshift(y, 10))
    w[i] = tobit(w[i - 16] + s0 + w[i - 7] + s1)
  end

  local a, b, c, d, e, f, g, h = unpack(state)
  for i = 1, 64 do
    local s1 = bxor(ror(e, 6), ror(e, 11), ror(e, 25))
    local t1 = tobit(h + s1 + bxor(band(e, f), band(bnot(e), g)) + k[i] + w[i])
    local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
    local t2 = tobit(s0 + bxor(band(a, b), band(a, c), band(b, c)))
    a, b, c, d, e, f, g, h = tobit(t1 + t2), a, b, c, tobit(d + t1), e, f, g
  end
  for i, v in ipairs({ a, b, c, d, e, f, g, h }) do
    state[i] = tobit(state[i] + v)
  end
end

local function sum(text)
  local k, roots = constants()
  local state = { unpack(roots, 1, 8) }
  local size = #text * 8
  local high, low = math.floor(size / 2 ^ 32), tobit(size)
  local tail = "\128" .. ("\0"):rep((55 - #text) % 64)
  for _, n in ipairs({ high, low }) do
    for shift = 24, 0, -8 do
      tail = tail .. string.char(band(rshift(n, shift), 255))
    end
  end
  local whole = text .. tail
  for i = 1, #whole, 64 do
    add(state, whole:sub(i, i + 63), k)
  end
  return bit.tohex(state[1]) .. bit.tohex(state[2])
end

---@type table<string, string> the names of folders
local known = {}

---@param text string
---@return string name the first 16 hexadecimal digits of the sum
function M.name(text)
  known[text] = known[text] or sum(text)
  return known[text]
end

return M
