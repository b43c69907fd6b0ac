// What a guard and a handler may know about their request beyond its DTOs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "base/clock.hpp"
#include "base/locales.hpp"
#include "http/request.hpp"
#include "http/schema/parse.hpp"

namespace consentry::http {

struct RequestContext {
    const Request& request;
    TimePoint now;
    Language language = Language::en;
    std::string request_id{};
    std::string correlation_id{};
    std::vector<NamedText> path_params{};

    std::string client_address() const { return request.peer.to_string(); }
    // As evidence kept with a session: bounded, because clients write it.
    std::string user_agent() const { return std::string(request.header("user-agent").value_or("").substr(0, 512)); }
};

}  // namespace consentry::http
