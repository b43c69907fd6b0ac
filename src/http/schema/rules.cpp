#include "http/schema/rules.hpp"

namespace consentry::http {
namespace {

constexpr std::size_t address_bytes_max = 254;  // RFC 5321 section 4.5.3.1.3, less the angle brackets
constexpr std::size_t local_bytes_max = 64;     // RFC 5321 section 4.5.3.1.1
constexpr std::size_t domain_bytes_max = 253;
constexpr std::size_t label_bytes_max = 63;  // RFC 1035 section 2.3.4

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_local_part(std::string_view local) {
    if (local.empty() || local.size() > local_bytes_max || local.front() == '.' || local.back() == '.') return false;
    if (local.find("..") != std::string_view::npos) return false;
    return std::ranges::all_of(
        local, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '+'; });
}

bool is_label(std::string_view label) {
    if (label.empty() || label.size() > label_bytes_max || label.front() == '-' || label.back() == '-') return false;
    // "xn--" and its like: an internationalized name in disguise could look like another address (INP-7).
    if (label.size() > 3 && label.substr(2, 2) == "--") return false;
    return std::ranges::all_of(label, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_domain(std::string_view domain) {
    if (domain.size() > domain_bytes_max) return false;
    std::size_t labels = 0;
    for (;;) {
        const auto dot = domain.find('.');
        const std::string_view label = domain.substr(0, dot);
        if (!is_label(label)) return false;
        ++labels;
        if (dot == std::string_view::npos)
            return labels >= 2 && label.size() >= 2 && std::ranges::all_of(label, is_letter);
        domain.remove_prefix(dot + 1);
    }
}

}  // namespace

bool Email::holds(std::string_view text) const {
    const auto at = text.find('@');
    return at != std::string_view::npos && text.size() <= address_bytes_max && is_local_part(text.substr(0, at)) &&
           is_domain(text.substr(at + 1));
}

}  // namespace consentry::http
