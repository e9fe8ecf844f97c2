-- For wrk: sends calls in turn and judges each answer as an agent would.
--
-- Arguments: a file of calls or "-", what every answer shall be ("ok" or "error"), and a mark. A
-- line of the file is the tool's name for the Mcp-Name header, a tab, and the body. "@@" in a body
-- becomes the mark and a number, so a text that no other request has, and the caller a new one.
-- Without a file the page is fetched.

local threads = {}

function setup(thread)
   table.insert(threads, thread)
end

function init(args)
   calls, sent, wrong = {}, 0, 0
   shall_fail, mark = args[2] == "error", args[3]
   if args[1] == "-" then
      calls[1] = { text = wrk.format("GET") }
      return
   end
   for line in io.lines(args[1]) do
      local name, body = line:match("^([^\t]+)\t(.+)$")
      local call = { name = name, body = body }
      if not body:find("@@", 1, true) then call.text = posted(name, body, mark) end
      calls[#calls + 1] = call
   end
end

function posted(name, body, caller)
   local headers = { ["Mcp-Name"] = name, Authorization = "Bearer " .. caller }
   for key, value in pairs(wrk.headers) do headers[key] = value end
   return wrk.format("POST", nil, headers, body)
end

function request()
   sent = sent + 1
   local call = calls[(sent - 1) % #calls + 1]
   if call.text then return call.text end
   local unique = mark .. "x" .. sent
   return posted(call.name, (call.body:gsub("@@", unique)), unique)
end

function response(status, _, body)
   local failed = status ~= 200 or body:find('"isError":true', 1, true) ~= nil
   if failed ~= shall_fail then wrong = wrong + 1 end
end

function done(summary, latency, _)
   local wrong = 0
   for _, thread in ipairs(threads) do wrong = wrong + thread:get("wrong") end
   local errors = summary.errors
   io.write(string.format(
      '\n{"answers": %d, "seconds": %.6f, "median_ms": %.3f, "p99_ms": %.3f, "wrong": %d, "lost": %d}\n',
      summary.requests, summary.duration / 1e6,
      latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
      wrong, errors.connect + errors.read + errors.write + errors.timeout))
end
