#include "features/mail/shown_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <boost/asio/ip/address.hpp>

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "base/user_agent.hpp"
#include "base/utf8.hpp"

namespace consentry {
namespace {

constexpr std::size_t name_max = 40;

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};
// Beyond ASCII: letters of the scripts in use. The gaps exclude punctuation, look-alikes of dot and slash, marks that
// change the writing direction, and invisible characters.
constexpr std::array letters{
    Range{0xC0, 0xD6},     Range{0xD8, 0xF6},     Range{0xF8, 0x2AF},  // Latin
    Range{0x386, 0x386},   Range{0x388, 0x3FF},   Range{0x400, 0x481},
    Range{0x48A, 0x52F},  // Greek, Cyrillic
    Range{0x531, 0x556},   Range{0x561, 0x587},   Range{0x5D0, 0x5EA},
    Range{0x620, 0x64A},                                                  // Armenian, Hebrew, Arabic
    Range{0x905, 0x939},   Range{0xE01, 0xE30},   Range{0x1E00, 0x1FBC},  // Devanagari, Thai, Latin and Greek
    Range{0x3041, 0x3096}, Range{0x30A1, 0x30FA}, Range{0x30FC, 0x30FC},  // Japanese
    Range{0x3400, 0x4DBF}, Range{0x4E00, 0x9FFF}, Range{0xAC00, 0xD7A3},  // Chinese, Korean
};

bool is_shown(std::uint32_t point) {
    if (point < 0x80) {
        const char c = static_cast<char>(point);
        return is_alphanumeric(c) || c == '-' || c == '_' || c == '(' || c == ')' || c == '\'';
    }
    return std::ranges::any_of(letters, [&](Range range) { return point >= range.first && point <= range.last; });
}

}  // namespace

std::string shown_name(std::string_view text) {
    if (!code_points(text)) return {};
    std::string out;
    std::size_t count = 0;
    bool gap = false;
    while (!text.empty() && count < name_max) {
        const auto [point, length] = first_code_point(text);
        if (is_shown(point)) {
            if (gap && !out.empty()) {
                out.push_back(' ');
                ++count;
            }
            gap = false;
            out.append(text.substr(0, length));
            ++count;
        } else {
            gap = true;
        }
        text.remove_prefix(length);
    }
    return out;
}

std::string shown_agent(std::string_view user_agent) {
    const UserAgent agent = parse_user_agent(user_agent);
    std::string out = agent.browser.name.value_or("");
    const bool is_apples = agent.device.vendor == "Apple";
    const std::string system = (is_apples ? agent.device.model : agent.os.name).value_or("");
    if (!out.empty() && !system.empty()) out += ", ";
    return out.append(system);
}

std::string shown_address(std::string_view text) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(text, error);
    return error ? std::string() : address.to_string();
}

}  // namespace consentry
