#include "base/redaction.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.hpp"
#include "base/percent_encoding.hpp"
#include "base/plain_text.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace consentry {
namespace {

constexpr std::size_t segment_bytes_max = 40;      // of a path segment that is shown: identifiers have 36
constexpr std::size_t link_token_bytes_min = 20;   // after the words below
constexpr std::size_t interesting_bytes_min = 20;  // shorter text can hold neither a token nor a URL with a secret

// Matched anywhere in a name, in lower case and without characters other than letters and digits.
constexpr std::array<std::string_view, 17> secret_parts{
    "apikey",     "authoriz", "backupcode", "bearer",     "challengetok", "cookie", "credential", "jwt",  "otpauth",
    "passphrase", "passw",    "presign",    "privatekey", "recoverycode", "secret", "signature",  "token"};
// Matched only as the whole name, because harmless names contain them ("statusCode").
constexpr std::array<std::string_view, 15> secret_names{"code", "codes",    "coordinates", "csrf",      "gps",
                                                        "hash", "latitude", "location",    "longitude", "nonce",
                                                        "otp",  "pin",      "sig",         "sessionid", "state"};
// Names of this service that contain such a part but hold no secret.
constexpr std::array<std::string_view, 6> harmless_names{"apikeyid",        "mustchangepassword", "passwordattempt",
                                                         "passwordcreated", "passwordexpired",    "tokentype"};
constexpr std::size_t name_bytes_max = 64;

constexpr std::array<std::string_view, 56> plain_headers{"accept",
                                                         "accept-encoding",
                                                         "accept-language",
                                                         "access-control-allow-credentials",
                                                         "access-control-allow-headers",
                                                         "access-control-allow-methods",
                                                         "access-control-allow-origin",
                                                         "access-control-expose-headers",
                                                         "access-control-max-age",
                                                         "access-control-request-headers",
                                                         "access-control-request-method",
                                                         "allow",
                                                         "cache-control",
                                                         "connection",
                                                         "content-encoding",
                                                         "content-language",
                                                         "content-length",
                                                         "content-security-policy",
                                                         "content-type",
                                                         "cross-origin-resource-policy",
                                                         "date",
                                                         "etag",
                                                         "expect",
                                                         "forwarded",
                                                         "host",
                                                         "if-none-match",
                                                         "origin",
                                                         "ratelimit",
                                                         "ratelimit-policy",
                                                         "referrer-policy",
                                                         "retry-after",
                                                         "strict-transport-security",
                                                         "traceparent",
                                                         "transfer-encoding",
                                                         "user-agent",
                                                         "vary",
                                                         "via",
                                                         "www-authenticate",
                                                         "x-content-type-options",
                                                         "x-correlation-id",
                                                         "x-custom-lang",
                                                         "x-forwarded-for",
                                                         "x-forwarded-host",
                                                         "x-forwarded-proto",
                                                         "x-frame-options",
                                                         "x-ratelimit-limit",
                                                         "x-ratelimit-remaining",
                                                         "x-ratelimit-reset",
                                                         "x-real-ip",
                                                         "x-repo-version",
                                                         "x-request-id",
                                                         "x-response-time",
                                                         "x-timestamp",
                                                         "x-timezone",
                                                         "x-user-id",
                                                         "x-version"};

constexpr std::array<std::string_view, 5> link_words{"forgot-password", "invite", "reset-password", "verification",
                                                     "verify-email"};

// Whether a secret part begins with these two letters: one lookup rules out nearly every position in a name.
constexpr std::array<bool, 26 * 26> pair_table() {
    std::array<bool, 26 * 26> table{};
    for (const std::string_view part : secret_parts)
        table[static_cast<std::size_t>(part[0] - 'a') * 26 + static_cast<std::size_t>(part[1] - 'a')] = true;
    return table;
}
constexpr std::array<bool, 26 * 26> begins_secret_part = pair_table();

// Bytes that need no escaping in a line.
constexpr std::array<bool, 256> plain_table() {
    std::array<bool, 256> table{};
    for (std::size_t c = 0x20; c < 0x7F; ++c) table[c] = c != '"' && c != '\\';
    return table;
}
constexpr std::array<bool, 256> plain_characters = plain_table();

// Start of the headers of each length in a table sorted by length.
constexpr std::size_t header_length_max = 32;
struct HeaderTable {
    std::array<std::string_view, plain_headers.size()> names = plain_headers;
    std::array<std::size_t, header_length_max + 2> begin{};
};
constexpr HeaderTable header_table() {
    HeaderTable table;
    std::ranges::sort(table.names, {}, &std::string_view::size);
    for (std::size_t length = 0; length < table.begin.size(); ++length)
        table.begin[length] = static_cast<std::size_t>(
            std::ranges::lower_bound(table.names, length, {}, &std::string_view::size) - table.names.begin());
    return table;
}
constexpr HeaderTable headers_by_length = header_table();

// The form in which a response's metadata repeats the path of the request line.
bool is_path(std::string_view text) { return text.starts_with('/') && text.find(' ') == std::string_view::npos; }

// Terminals obey C1 controls, and U+2028, U+2029 and the direction marks change which text a reader sees on which line.
bool is_deceptive(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

// Appends the non-plain character at the beginning of `text`; returns its length.
std::size_t append_special(std::string& out, std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) {
        switch (first) {
            case '"':
                out.append("\\\"");
                break;
            case '\\':
                out.append("\\\\");
                break;
            case '\n':
                out.append("\\n");
                break;
            default:
                append_json_escape(out, first);
        }
        return 1;
    }
    const std::string_view bytes = text.substr(0, character_length(text[0]));
    if (!code_points(bytes)) {
        append_json_escape(out, 0xFFFD);
        return 1;
    }
    const auto [value, length] = first_code_point(bytes);
    if (is_deceptive(value))
        append_json_escape(out, value);
    else
        out.append(bytes);
    return length;
}

void append_address(std::string& out, std::string_view address) {
    const std::size_t authority = address.find("://") + 3;
    if (equal_ignoring_case(address.substr(0, authority), "otpauth://")) {
        out.append(address.substr(0, authority)).append(redacted);
        return;
    }
    out.append(address.substr(0, authority));
    const std::size_t path = std::min(address.find_first_of("/?#", authority), address.size());
    const std::string_view host = address.substr(authority, path - authority);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos)
        out.append(redacted).append(host.substr(at));
    else
        out.append(host);
    const std::size_t query = std::min(address.find_first_of("?#", path), address.size());
    out.append(redact_path(address.substr(path, query - path)));
    if (query < address.size()) out.append("?").append(redacted);
}

bool looks_secret(std::string_view name) {
    std::array<char, name_bytes_max> buffer;
    std::size_t size = 0;
    for (const char given : name) {
        const char c = lower_letter(given);
        if (is_lower_letter(c) || is_digit(c)) buffer[size++] = c;
    }
    const std::string_view plain(buffer.data(), size);
    if (std::ranges::find(harmless_names, plain) != harmless_names.end()) return false;
    for (std::size_t i = 0; i + 1 < size; ++i) {
        if (!is_lower_letter(plain[i]) || !is_lower_letter(plain[i + 1])) continue;
        const auto pair = static_cast<std::size_t>(plain[i] - 'a') * 26 + static_cast<std::size_t>(plain[i + 1] - 'a');
        if (!begins_secret_part[pair]) continue;
        for (const std::string_view part : secret_parts)
            if (plain.substr(i).starts_with(part)) return true;
    }
    return std::ranges::find(secret_names, plain) != secret_names.end();
}

}  // namespace

bool is_secret_name(std::string_view name) {
    if (name.size() > name_bytes_max) return true;  // too long to examine
    if (name.empty()) return false;
    // Few distinct names occur, many in each line: cache the last verdict per thread.
    struct Verdict {
        std::array<char, name_bytes_max> name;
        std::size_t size = 0;
        bool secret = false;
    };
    thread_local std::array<Verdict, 128> verdicts;
    const auto letter = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
    const std::size_t mixed =
        (name.size() * 0x9E37U + letter(0) * 0x85EBU + letter(name.size() / 2) * 0xC2B3U + letter(name.size() - 1)) *
        0x9E3779B9U;
    Verdict& kept = verdicts[(mixed >> 16U) % verdicts.size()];
    if (std::string_view(kept.name.data(), kept.size) != name) {
        kept.secret = looks_secret(name);
        kept.size = name.copy(kept.name.data(), name_bytes_max);
    }
    return kept.secret;
}

// Most text is harmless, and two passes of memchr prove it.
bool is_harmless(std::string_view text) {
    if (text.size() < interesting_bytes_min) return true;
    if (is_path(text)) return false;
    for (auto at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1))
        if (text.substr(at).starts_with("://")) return false;
    for (auto at = text.find('J'); at != std::string_view::npos; at = text.find('J', at + 1))
        if (at >= 2 && text[at - 1] == 'y' && text[at - 2] == 'e') return false;
    return true;
}

bool is_plain_header(std::string_view name) {
    if (name.size() > header_length_max) return false;
    const auto& [names, begin] = headers_by_length;
    for (std::size_t i = begin[name.size()]; i < begin[name.size() + 1]; ++i)
        if (equal_ignoring_case(names[i], name)) return true;
    return false;
}

void append_log_string(std::string& out, std::string_view text, std::size_t bytes_max) {
    const bool cut = text.size() > bytes_max;
    if (cut) text = text.substr(0, bytes_max);
    const std::size_t beginning = plain_beginning(text);
    if (beginning == text.size() && !cut) {  // nearly all texts
        const std::size_t before = out.size();
        const std::size_t after = before + text.size() + 2;
        // The size passed to the callback may be the whole capacity, so it is not used.
        out.resize_and_overwrite(after, [&](char* buffer, std::size_t) {
            buffer[before] = '"';
            text.copy(buffer + before + 1, text.size());
            buffer[after - 1] = '"';
            return after;
        });
        return;
    }
    out.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = beginning; i < text.size();) {
        if (plain_characters[static_cast<unsigned char>(text[i])]) {
            ++i;
            continue;
        }
        out.append(text.substr(plain, i - plain));
        i += append_special(out, text.substr(i));
        plain = i;
        i += plain_beginning(text.substr(i));
    }
    out.append(text.substr(plain));
    out.append(cut ? "[...]\"" : "\"");
}

void append_log_text(std::string& out, std::string_view text, std::size_t bytes_max) {
    if (is_harmless(text))
        append_log_string(out, text, bytes_max);
    else
        append_log_string(out, redact_text(text), bytes_max);
}

std::string redact_text(std::string_view text) {
    if (is_path(text)) {
        const std::size_t query = std::min(text.find('?'), text.size());
        return redact_path(text.substr(0, query)) + (query < text.size() ? "?" + std::string(redacted) : "");
    }
    std::string out;
    while (!text.empty()) {
        const std::size_t token = text.find("eyJ");  // base64url of {" with which every JWT begins
        const std::size_t mark = text.find("://");
        if (token == std::string_view::npos && mark == std::string_view::npos) break;
        if (token < mark) {
            out.append(text.substr(0, token));
            text.remove_prefix(token);
            const auto end = std::ranges::find_if_not(text, [](char c) { return is_base64url(c) || c == '.'; });
            const auto length = static_cast<std::size_t>(end - text.begin());
            out.append(length < interesting_bytes_min ? text.substr(0, length) : redacted);
            text.remove_prefix(length);
        } else {
            std::size_t scheme = mark;
            while (scheme > 0 && is_letter(text[scheme - 1])) --scheme;
            out.append(text.substr(0, scheme));
            text.remove_prefix(scheme);
            const std::string_view address = text.substr(0, text.find_first_of(" \t\r\n\"'<>"));
            append_address(out, address);
            text.remove_prefix(address.size());
        }
    }
    return out.append(text);
}

std::string redact_path(std::string_view path) {
    std::string out;
    bool link = false;
    for (;;) {
        const std::string_view segment = path.substr(0, path.find('/'));
        const bool hidden = segment.size() > (link ? link_token_bytes_min - 1 : segment_bytes_max);
        out.append(hidden ? redacted : segment);
        link = std::ranges::find(link_words, segment) != link_words.end();
        if (segment.size() == path.size()) return out;
        out.push_back('/');
        path.remove_prefix(segment.size() + 1);
    }
}

std::string redact_query(std::string_view query) {
    // Text that is a URL, a form or JSON is hidden without being parsed.
    const auto shown = [](const std::string& text) {
        return text.find_first_of("={[") == std::string::npos ? redact_text(text) : std::string(redacted);
    };
    std::string out;
    while (!query.empty()) {
        const std::string_view pair = take_part(query, '&');
        const std::size_t equals = std::min(pair.find('='), pair.size());
        const std::string name = loosely_form_decoded(pair.substr(0, equals));
        if (!out.empty()) out.push_back('&');
        out.append(shown(name));
        if (equals == pair.size()) continue;
        out.push_back('=');
        out.append(is_secret_name(name) ? redacted : shown(loosely_form_decoded(pair.substr(equals + 1))));
    }
    return out;
}

}  // namespace consentry
