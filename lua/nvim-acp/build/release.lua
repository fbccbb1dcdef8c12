--- The release that a checkout of the plugin belongs to. Only the commit of a tag has the file SHA256SUMS: what is
--- downloaded is compared with it before anything else is done with it.
local M = {}

local machines = { x86_64 = "amd64", amd64 = "amd64", aarch64 = "arm64", arm64 = "arm64" }

---@class acp.Release
---@field version string
---@field archive string its name
---@field sum string SHA-256, in hexadecimal digits

---@return string such as linux-amd64
function M.platform()
  local uname = vim.uv.os_uname()
  return uname.sysname:lower() .. "-" .. (machines[uname.machine] or uname.machine)
end

--- Returns the release of a checkout for this machine.
---@param root string
---@return acp.Release?
---@return string? problem why there is none
function M.of(root)
  local text = require("nvim-acp.ui.disk").read(root .. "/SHA256SUMS")
  if not text then
    return nil, "this checkout of the plugin is not a release's"
  end

  local platform = M.platform()
  for sum, archive, version in text:gmatch("(%x+)  (nvim%-acp%-(v[%w.-]+)%-%l+%-%w+%.tar%.gz)\n") do
    if #sum == 64 and archive == ("nvim-acp-%s-%s.tar.gz"):format(version, platform) then
      return { version = version, archive = archive, sum = sum:lower() }
    end
  end
  return nil, "the release has no program for " .. platform
end

-- Returns the command that downloads a URL.
local function download(url, path)
  if vim.fn.executable("curl") == 1 then
    return { "curl", "-fsSL", "--connect-timeout", "15", "--max-time", "600", "-o", path, url }
  elseif vim.fn.executable("wget") == 1 then
    return { "wget", "-q", "-T", "15", "-O", path, url }
  end
end

-- Returns the command that prints the sum of a file.
local function summing(path)
  for _, cmd in ipairs({ { "sha256sum" }, { "shasum", "-a", "256" }, { "openssl", "dgst", "-sha256", "-r" } }) do
    if vim.fn.executable(cmd[1]) == 1 then
      return vim.list_extend(cmd, { path })
    end
  end
end

-- Returns where releases are downloaded from: g:nvim_acp_releases, for a mirror, else the project's page.
local function source(release)
  local base = vim.g.nvim_acp_releases or "https://github.com/nvim-acp/nvim-acp/releases/download"
  return ("%s/%s/%s"):format(base, release.version, release.archive)
end

--- Downloads a release, checks its sum and unpacks it.
---@param release acp.Release
---@param folder string an empty one
---@param run fun(cmd: string[], opts: table?): vim.SystemCompleted
---@return string? program its path
---@return string? problem
function M.fetch(release, folder, run)
  local path, url = folder .. "/" .. release.archive, source(release)
  local get, sum = download(url, path), summing(path)
  if not get or not sum then
    return nil, "a download needs curl or wget, and sha256sum, shasum or openssl"
  end
  local out = run(get)
  if out.code ~= 0 then
    local said = vim.trim(out.stderr)
    return nil, ("%s: %s"):format(url, said ~= "" and said or "the download fails")
  end

  local got = run(sum).stdout:match("^\\?(%x+)") or ""
  if got:lower() ~= release.sum then
    return nil, url .. " does not match its checksum in SHA256SUMS, and is not used"
  end
  out = run({ "tar", "-xzf", path, "-C", folder, "nvim-acp" })
  if out.code ~= 0 then
    return nil, "tar: " .. vim.trim(out.stderr)
  end
  return folder .. "/nvim-acp"
end

return M
