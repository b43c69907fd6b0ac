// The security events that a service wrote to its folder.
#pragma once

#include <set>
#include <sstream>
#include <string>

#include <boost/json/parse.hpp>

#include "base/json_values.hpp"
#include "tests/support/files.hpp"
#include "tests/support/service.hpp"

namespace consentry::tests {

// Returns the ids of the accounts that an event of this name is about. Events are written a little later, in their
// order.
inline std::multiset<std::string> accounts_of_event(const Service& service, std::string_view name) {
    std::multiset<std::string> out;
    std::istringstream lines(text_in(service.folder() / "data" / "security" / "events.log"));
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
        const boost::json::object event = boost::json::parse(line).as_object();
        if (text_or_empty(event, "event") != name) continue;
        out.emplace(text_or_empty(event, event.contains("target") ? "target" : "actor"));
    }
    return out;
}

}  // namespace consentry::tests
