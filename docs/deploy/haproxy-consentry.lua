-- The action `http-request lua.consentry ORIGIN` for HAProxy: asks Consentry whether a request may pass.
-- The variable txn.check names the path of the check. Consentry's answer is the answer to a request that may not.
local about_the_caller = { "x-user-id", "x-user-email", "x-user-role", "x-session-id" }
local of_the_answer = { "cache-control", "content-type", "location", "retry-after", "www-authenticate" }

-- What the check depends on. The body, and headers about it, stay with the request.
local of_the_request = {
    "accept", "accept-language", "authorization", "cookie", "host", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site",
    "user-agent", "x-correlation-id", "x-custom-lang", "x-forwarded-host", "x-forwarded-method", "x-forwarded-proto",
    "x-forwarded-uri", "x-request-id",
}

local function ask(txn, origin)
    local headers = { ["x-forwarded-for"] = { txn.sf:src() } }
    local sent = txn.http:req_get_headers()
    for _, name in ipairs(of_the_request) do
        if sent[name] then
            headers[name] = {}
            for i = 0, #sent[name] do headers[name][i + 1] = sent[name][i] end
        end
    end
    -- With AUTH_API_KEY_REQUIRED, HAProxy's own key:
    -- headers["x-api-key"] = { "KEY:SECRET" }
    return core.httpclient():get({ url = origin .. txn:get_var("txn.check"), headers = headers, timeout = 5000 })
end

local function refuse(txn, answer)
    local reply = txn:reply()
    local status = answer and answer.status or 503
    reply:set_status((status >= 300 and status < 500 or status == 503) and status or 503)
    if answer and answer.status == status then
        for _, name in ipairs(of_the_answer) do
            for _, value in pairs(answer.headers[name] or {}) do reply:add_header(name, value) end
        end
        reply:set_body(answer.body or "")
    end
    txn:done(reply)
end

core.register_action("consentry", { "http-req" }, function(txn, origin)
    local answer = ask(txn, origin)
    if not answer or answer.status ~= 200 then return refuse(txn, answer) end
    for _, name in ipairs(about_the_caller) do
        local values = answer.headers[name]
        if values then txn.http:req_set_header(name, values[0]) end
    end
end, 1)
