-- What the scenes of scripts/screenshots wait with. Each is a coroutine of its own; fail ends Neovim with a reason.
return function(fail)
  local started = vim.uv.now()
  local M = {}

  --- Goes on in the scene when a condition holds.
  function M.till(what, condition)
    local scene = coroutine.running()
    local function look()
      local ok, yes = pcall(condition)
      if ok and yes then
        coroutine.resume(scene)
      elseif vim.uv.now() - started > 40000 then
        fail(what .. " did not come")
      else
        vim.defer_fn(look, 20)
      end
    end
    vim.defer_fn(look, 20)
    coroutine.yield()
  end

  function M.rest(milliseconds)
    local to = vim.uv.now() + milliseconds
    M.till("time", function()
      return vim.uv.now() >= to
    end)
  end

  return M
end
