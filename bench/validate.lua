-- The load of `npm run bench` for wrk: validates the keys of a file in turns, and prints what came of it as one line of JSON.
-- Arguments: the file with one key a line, and the credential.

local threads = 0
local requests = {}
local at = 0

function setup(thread)
  -- Threads begin at different keys, so that they do not walk hand in hand.
  thread:set("offset", threads * 7919)
  threads = threads + 1
end

function init(args)
  local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. args[2] }
  for key in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", wrk.path, headers, '{"key":"' .. key .. '"}')
  end
  at = offset % #requests
end

function request()
  at = at + 1
  if at > #requests then at = 1 end
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local answered = summary.requests - errors.status
  local form = '\n{"answered":%d,"failed":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f}\n'
  local p50, p99 = latency:percentile(50) / 1000, latency:percentile(99) / 1000
  io.write(string.format(form, answered, failed, summary.duration / 1000000, p50, p99))
end
