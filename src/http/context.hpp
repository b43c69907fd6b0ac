// What guards and handlers can learn about a request besides its DTOs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "http/request.hpp"
#include "http/schema/parse.hpp"
#include "http/trace_context.hpp"

namespace consentry::http {

class Gate;
struct Operation;

// The caller's identity as established by gates and guards. Used by the log and by rules that apply to all operations.
struct KnownCaller {
    std::optional<Uuid> user;
    std::optional<Uuid> session;
    std::optional<Uuid> api_key;
};

struct RequestContext {
    const Request& request;
    TimePoint now;
    Language language = Language::en;
    std::string request_id{};
    std::string correlation_id{};
    std::optional<TraceContext> trace{};
    // The peer's address, or the client address that a trusted proxy reports (LIM-2).
    boost::asio::ip::address client{};
    bool secure = false;            // received over TLS, as reported by a trusted proxy
    bool through_stranger = false;  // its headers show an untrusted proxy on the path
    std::vector<NamedText> path_params{};
    const Operation* operation = nullptr;  // null until routed
    Gate* flag_gate = nullptr;             // runs after the guard, or before one that knows no user
    KnownCaller caller{};
    std::string answer_headers{};  // of the guard, for an answer that is no error: complete lines with checked values

    std::string client_address() const { return client.to_string(); }
    // The user agent as stored with a session. Truncated to 512 bytes, because the client controls it; made valid
    // UTF-8, because databases require it.
    std::string user_agent() const {
        std::string out(request.header("user-agent").value_or("").substr(0, 512));
        if (!code_points(out))
            for (char& c : out)
                if (c < 0) c = '?';
        return out;
    }
};

}  // namespace consentry::http
