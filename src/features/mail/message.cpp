#include "features/mail/message.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/bytes.hpp"
#include "base/utf8.hpp"

namespace consentry {
namespace {

constexpr std::size_t line_max = 998;           // RFC 5322 section 2.1.1, without CR LF
constexpr std::size_t quoted_line_max = 76;     // RFC 2045 section 6.7
constexpr std::size_t encoded_word_bytes = 36;  // 48 in base64: with its marks and "Subject: " 69 of 76 (RFC 2047)

bool is_printable_ascii(std::string_view text) { return std::ranges::all_of(text, is_printable); }

const std::string& one_line(const std::string& text) {
    if (std::ranges::any_of(text, is_control)) throw std::invalid_argument("a header of a mail has control characters");
    return text;
}

const std::string& address(const std::string& text) {
    const bool fits = !text.empty() && is_printable_ascii(text) &&
                      text.find_first_of(" <>()[]\\,;:\"") == std::string::npos && std::ranges::count(text, '@') == 1;
    if (!fits) throw std::invalid_argument("not an address for a mail");
    return text;
}

// RFC 2047 encoded words, as many as needed. Never splits a character.
std::string encoded_words(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = std::max<std::size_t>(1, cut_at_character(text, encoded_word_bytes).size());
        if (!out.empty()) out += "\r\n ";
        out += "=?UTF-8?B?" + to_base64(as_bytes(text.substr(0, length))) + "?=";
        text.remove_prefix(length);
    }
    return out;
}

std::string unstructured(const std::string& text) {
    // "=?" would start an encoded word.
    const bool plain = is_printable_ascii(one_line(text)) && !text.contains("=?") && text.size() <= 200;
    return plain ? text : encoded_words(text);
}

std::string display_name(const std::string& name) {
    if (!is_printable_ascii(one_line(name))) return encoded_words(name);
    std::string out = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') out.push_back('\\');
        out.push_back(c);
    }
    return out + '"';
}

// RFC 5322 section 3.3, always in UTC.
std::string date_text(TimePoint time) {
    constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{std::chrono::floor<seconds>(time - day)};
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000", days[std::chrono::weekday{day}.c_encoding()],
                       static_cast<unsigned>(date.day()), months[static_cast<unsigned>(date.month()) - 1],
                       static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                       clock.seconds().count());
}

std::string with_crlf(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\r') continue;
        if (c == '\n') out.push_back('\r');
        out.push_back(c);
    }
    return out;
}

enum class Encoding { seven_bit, eight_bit, quoted_printable };

// Unencoded if possible: readable for people, for link scanners and for grep. An encoded line has at most 76 bytes,
// which breaks every mailed link.
Encoding encoding_for(std::string_view text, bool eight_bit) {
    Encoding out = Encoding::seven_bit;
    std::size_t length = 0;
    for (const char c : text) {
        if (c == '\n') {
            length = 0;
            continue;
        }
        if (++length > line_max) return Encoding::quoted_printable;
        if (c == '\t' || is_printable(c)) continue;
        if (!eight_bit || is_control(c)) return Encoding::quoted_printable;
        out = Encoding::eight_bit;
    }
    return out;
}

std::string_view name_of(Encoding encoding) {
    if (encoding == Encoding::seven_bit) return "7bit";
    return encoding == Encoding::eight_bit ? "8bit" : "quoted-printable";
}

std::string quoted_printable(std::string_view text) {
    std::string out;
    std::size_t length = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n') {
            out += "\r\n";
            length = 0;
            continue;
        }
        const bool blank_at_end = c == ' ' && (i + 1 == text.size() || text[i + 1] == '\n');
        const bool plain = is_printable(c) && c != '=' && !blank_at_end;
        const std::size_t width = plain ? 1 : 3;
        if (length + width > quoted_line_max - 1) {
            out += "=\r\n";
            length = 0;
        }
        if (plain) {
            out.push_back(c);
        } else {
            const auto byte = static_cast<std::uint8_t>(c);
            out += {'=', upper_hex_digits[byte >> 4], upper_hex_digits[byte & 15]};
        }
        length += width;
    }
    return out;
}

std::string mime_part(const std::string& boundary, std::string_view type, std::string_view content, bool eight_bit) {
    const Encoding encoding = encoding_for(content, eight_bit);
    return fmt::format("--{}\r\nContent-Type: {}; charset=utf-8\r\nContent-Transfer-Encoding: {}\r\n\r\n{}\r\n",
                       boundary, type, name_of(encoding),
                       encoding == Encoding::quoted_printable ? quoted_printable(content) : with_crlf(content));
}

}  // namespace

std::string message_of(const MessageParts& parts) {
    const std::string id = parts.id.text();
    const std::string boundary = "=_" + id;  // "=_" cannot occur in quoted-printable; the id is unpredictable
    std::string out;
    const auto add = [&](std::string_view name, std::string_view value) {
        out.append(name).append(": ").append(value).append("\r\n");
    };
    add("Date", date_text(parts.date));
    add("From", display_name(parts.from_name) + "\r\n <" + address(parts.from) + '>');
    add("To", address(parts.to));
    add("Subject", unstructured(parts.subject));
    add("Message-ID", '<' + id + parts.from.substr(parts.from.find('@')) + '>');
    add("Auto-Submitted", "auto-generated");  // RFC 3834: suppresses out-of-office replies
    add("Content-Language", one_line(parts.language));
    add("X-Mail-Kind", one_line(parts.kind));
    add("MIME-Version", "1.0");
    add("Content-Type", "multipart/alternative;\r\n boundary=\"" + boundary + '"');
    out += "\r\n" + mime_part(boundary, "text/plain", parts.text, parts.eight_bit) +
           mime_part(boundary, "text/html", parts.html, parts.eight_bit) + "--" + boundary + "--\r\n";
    return out;
}

}  // namespace consentry
