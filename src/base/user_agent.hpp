// What a client says about itself in the header User-Agent, as far as it is in a known form. Anybody may write anything
// there: good for showing it to people, and for no decision.
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
        std::optional<std::string> type;   // of what is no browser: cli, library
    };
    struct Cpu {
        std::optional<std::string> architecture;
    };
    struct Device {
        std::optional<std::string> type;  // mobile, tablet; none of a computer
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
