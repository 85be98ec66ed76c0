-- The load of `npm run bench:analytics` for wrk: sends one event a call, and prints what came of it as one line of JSON.
-- Arguments: a file with an event a line, as JSON, whose request id ends with ID and a run's own name, and the credential.

local ID = "00000000"
local before = {}
local after = {}
local sent = 0

function init(args)
  local headers = { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. args[3] }
  for event in io.lines(args[1]) do
    local request = wrk.format("POST", wrk.path, headers, '{"events":[' .. event:gsub("RUN_NAME", args[2]) .. ']}')
    local first, last = request:find(ID, 1, true)
    before[#before + 1] = request:sub(1, first - 1)
    after[#after + 1] = request:sub(last + 1)
  end
end

function request()
  sent = sent + 1
  local at = sent % #before + 1
  return before[at] .. string.format("%08d", sent) .. after[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local answered = summary.requests - errors.status
  local form = '\n{"answered":%d,"failed":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f}\n'
  local p50, p99 = latency:percentile(50) / 1000, latency:percentile(99) / 1000
  io.write(string.format(form, answered, failed, summary.duration / 1000000, p50, p99))
end
