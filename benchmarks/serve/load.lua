-- Send bodies in turn: wrk -s load.lua URL -- PATH FILE [PAUSE]
-- FILE has one body a line. PAUSE: milliseconds between a response and the next request.
local requests, at = {}, 0

function setup(thread)
  thread:set("unused", 0)
end

function init(args)
  local headers = { ["Content-Type"] = "application/json" }
  for line in io.lines(args[2]) do
    requests[#requests + 1] = wrk.format("POST", args[1], headers, line)
  end
  if args[3] then
    local pause = tonumber(args[3])
    delay = function() return pause end
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, requests)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("\nRESULT %d %d %d %d %d\n", summary.requests, summary.duration, failed,
    latency:percentile(50), latency:percentile(99)))
end
