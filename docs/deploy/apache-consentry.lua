-- Asks Consentry whether a request to Apache may pass; see apache.md. Debian package: lua-socket
local consentry = "http://127.0.0.1:3000"
-- What the paths of the application require besides a session. Apache has resolved `..`, doubled slashes and escapes.
local open = { "/public/", "/.consentry/" }
-- In lower case. Compared with the path in any case, because the application may not distinguish them. Of the entries with
-- which a path begins, only the longest applies.
local demands = {
    ["/admin"] = "roles=admin",
    ["/members"] = "policies=termsOfService,privacy",
}

local http = require("socket.http")
local ltn12 = require("ltn12")

local about_the_caller = { "X-User-Id", "X-User-Email", "X-User-Role", "X-Session-Id" }
local of_the_answer = { "Cache-Control", "Location", "Retry-After", "WWW-Authenticate" }
-- What the check depends on. The body, and headers about it, stay with the request.
local of_the_request = {
    "Accept", "Accept-Language", "Authorization", "Cookie", "Host", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site",
    "User-Agent", "X-Correlation-Id", "X-Custom-Lang", "X-Request-Id",
}

local function starts_with(text, start) return text:sub(1, #start) == start end

-- The query of the check, or nil if everybody may come.
local function demand_of(path)
    for _, start in ipairs(open) do
        if starts_with(path, start) then return nil end
    end
    local longest, query = -1, ""
    for start, demand in pairs(demands) do
        if #start > longest and starts_with(path:lower(), start) then longest, query = #start, "?" .. demand end
    end
    return query
end

-- Many applications take X_User_Id for X-User-Id, so only names of letters, digits and hyphens pass.
local function remove_lookalikes(r)
    for name in pairs(r:headers_in_table()) do
        if name:find("[^%w-]") then r.headers_in[name] = nil end
    end
end

function check(r)
    remove_lookalikes(r)
    local query = demand_of(r.uri)
    if not query then return apache2.DECLINED end
    local headers = {
        ["X-Forwarded-For"] = r.useragent_ip,
        ["X-Forwarded-Proto"] = "https",
        ["X-Forwarded-Host"] = r.headers_in["Host"],
        ["X-Forwarded-Method"] = r.method,
        ["X-Forwarded-Uri"] = r.unparsed_uri,
    }
    for _, name in ipairs(of_the_request) do headers[name] = r.headers_in[name] end
    -- With AUTH_API_KEY_REQUIRED, Apache's own key:
    -- headers["X-Api-Key"] = "KEY:SECRET"
    http.TIMEOUT = 5
    local reached, status, answer = http.request({
        url = consentry .. "/api/forward-auth" .. query,
        headers = headers,
        redirect = false,
        sink = ltn12.sink.null(),
    })
    if not reached then return 503 end
    if status == 200 then
        for _, name in ipairs(about_the_caller) do r.headers_in[name] = answer[name:lower()] end
        return apache2.OK
    end
    for _, name in ipairs(of_the_answer) do
        if answer[name:lower()] then r.err_headers_out[name] = answer[name:lower()] end
    end
    return status >= 300 and status < 500 and status or 503
end
