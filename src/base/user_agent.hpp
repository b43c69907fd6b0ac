// Parses the User-Agent header as far as its form is known. Clients can send anything, so the result is for display
// only and must not influence any decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace consentry {

struct UserAgent {
    struct Browser {
        std::optional<std::string> name;
        std::optional<std::string> version;
        std::optional<std::string> major;  // of the version
        std::optional<std::string> type;   // of clients other than browsers: cli, library
    };
    struct Cpu {
        std::optional<std::string> architecture;
    };
    struct Device {
        std::optional<std::string> type;  // mobile, tablet; empty for a computer
        std::optional<std::string> vendor;
        std::optional<std::string> model;
    };
    struct Part {
        std::optional<std::string> name;
        std::optional<std::string> version;
    };
    Browser browser;
    Cpu cpu;
    Device device;
    Part engine;
    Part os;
};

UserAgent parse_user_agent(std::string_view text);

}  // namespace consentry
