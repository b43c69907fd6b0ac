// A visitor who is logged in at the pages, and the policies that they meet there.
#pragma once

#include <string>

#include "tests/support/browser.hpp"
#include "tests/support/calls/policy_calls.hpp"

namespace consentry::tests {

inline Browser::Fields shown_policy(const std::string& page) {
    Browser::Fields out;
    for (const char* name : {"type", "version", "language", "contentHash", "shownDiffHash", "return"})
        if (const std::string value = hidden_field(page, name); !value.empty()) out.emplace_back(name, value);
    return out;
}

struct ConsentVisitor {
    Service service;
    PolicyDesk desk{service};
    Person person = service.make_person();
    Browser browser{service};
    ConsentVisitor() { browser.log_in(person); }
};

}  // namespace consentry::tests
