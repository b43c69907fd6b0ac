#include "base/email_address.hpp"

#include <algorithm>

#include <idn2.h>

#include "base/ascii.hpp"
#include "base/text.hpp"

namespace consentry {
namespace {

constexpr std::size_t address_bytes_max = 254;  // RFC 5321 section 4.5.3.1.3, less the angle brackets
constexpr std::size_t local_bytes_max = 64;     // RFC 5321 section 4.5.3.1.1
constexpr std::size_t domain_bytes_max = 253;
constexpr std::size_t label_bytes_max = 63;  // RFC 1035 section 2.3.4

bool is_local_part(std::string_view local) {
    if (local.empty() || local.size() > local_bytes_max || local.front() == '.' || local.back() == '.') return false;
    if (local.find("..") != std::string_view::npos) return false;
    return std::ranges::all_of(
        local, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '+'; });
}

bool is_ascii_label(std::string_view label) {
    if (label.empty() || label.size() > label_bytes_max || label.front() == '-' || label.back() == '-') return false;
    return std::ranges::all_of(label, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

// Labels with "--" in this position, such as "xn--", are reserved for internationalized names.
bool is_reserved_label(std::string_view label) { return label.size() > 3 && label.substr(2, 2) == "--"; }

// Returns the A-label of a label that is internationalized or already an A-label; nullopt if IDNA2008 does not allow
// it.
std::optional<std::string> a_label(std::string_view label) {
    const std::string terminated(label);
    char* out = nullptr;
    constexpr int flags = IDN2_NONTRANSITIONAL | IDN2_USE_STD3_ASCII_RULES;
    if (idn2_to_ascii_8z(terminated.c_str(), &out, flags) != IDN2_OK) return std::nullopt;
    std::string ascii(out);
    idn2_free(out);
    // A label that converts to plain ASCII is a disguised ASCII name: full-width letters, or a hidden soft hyphen.
    if (!ascii.starts_with("xn--") || !is_ascii_label(ascii)) return std::nullopt;
    // Libraries pass some A-labels through unchecked. Accept only one that decodes to a name and is that name's
    // canonical A-label.
    char* unicode = nullptr;
    if (idn2_to_unicode_8z8z(ascii.c_str(), &unicode, 0) != IDN2_OK) return std::nullopt;
    char* again = nullptr;
    const int result = idn2_to_ascii_8z(unicode, &again, flags);
    const bool is_own = result == IDN2_OK && ascii == again && std::string_view(unicode) != ascii;
    idn2_free(unicode);
    if (result == IDN2_OK) idn2_free(again);
    if (!is_own) return std::nullopt;
    return ascii;
}

std::optional<std::string> canonical_label(std::string_view label) {
    const bool is_plain = std::ranges::all_of(label, is_ascii);
    if (is_plain && !is_ascii_label(label)) return std::nullopt;
    std::string lowered = to_lower_ascii(label);
    if (is_plain && !is_reserved_label(label)) return lowered;
    if (label.size() > 4 * label_bytes_max) return std::nullopt;
    return a_label(lowered);
}

std::optional<std::string> canonical_domain(std::string_view domain) {
    std::string out;
    std::size_t labels = 0;
    for (;;) {
        const auto dot = domain.find('.');
        const auto label = canonical_label(domain.substr(0, dot));
        if (!label) return std::nullopt;
        ++labels;
        out += *label;
        if (out.size() > domain_bytes_max) return std::nullopt;
        if (dot == std::string_view::npos) {
            const bool is_top =
                label->starts_with("xn--") || (label->size() >= 2 && std::ranges::all_of(*label, is_letter));
            if (labels < 2 || !is_top) return std::nullopt;
            return out;
        }
        out += '.';
        domain.remove_prefix(dot + 1);
    }
}

}  // namespace

std::optional<std::string> canonical_email(std::string_view text) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return std::nullopt;
    text = text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
    const auto at = text.find('@');
    if (at == std::string_view::npos || !is_local_part(text.substr(0, at))) return std::nullopt;
    const auto domain = canonical_domain(text.substr(at + 1));
    if (!domain || at + 1 + domain->size() > address_bytes_max) return std::nullopt;
    return to_lower_ascii(text.substr(0, at)) + '@' + *domain;
}

}  // namespace consentry
