-- A request of bench/peers that makes a post. Each has a body and a key of its own.
local body = os.getenv("BODY")
local made = 0
local thread = 0

function setup(t)
  thread = thread + 1
  t:set("id", thread)
end

function request()
  made = made + 1
  local n = string.format("%d-%d-%d", os.time(), id, made)
  local headers = { ["Content-Type"] = "application/json", ["Idempotency-Key"] = n }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  return wrk.format("POST", nil, headers, (body:gsub("@", n)))
end
