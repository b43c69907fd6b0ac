// What a guard and a handler may know about their request beyond its DTOs.
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

// Who is asking, as far as gates and guards found out: for the log and for rules that hold for all operations.
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
    // The peer, or whoever a trusted proxy says it speaks for (LIM-2).
    boost::asio::ip::address client{};
    bool secure = false;            // came over TLS, as a trusted proxy says
    bool through_stranger = false;  // came through a proxy that is not trusted, as its headers say
    std::vector<NamedText> path_params{};
    const Operation* operation = nullptr;  // once routed
    Gate* after_guard = nullptr;           // what stands between guard and handler, for all operations
    KnownCaller caller{};

    std::string client_address() const { return client.to_string(); }
    // As evidence kept with a session: bounded, because clients write it, and text, because databases want that.
    std::string user_agent() const {
        std::string out(request.header("user-agent").value_or("").substr(0, 512));
        if (!code_points(out))
            for (char& c : out)
                if (c < 0) c = '?';
        return out;
    }
};

}  // namespace consentry::http
