#include "http/response_writer.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"

namespace consentry::http {

std::string_view DateLine::now() { return at(std::time(nullptr)); }

std::string_view DateLine::at(std::time_t second) {
    if (second != second_) {
        // Not strftime, whose names of days and months depend on the locale; RFC 9110 section 5.6.7 fixes them.
        static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        std::tm utc{};
        gmtime_r(&second, &utc);
        const auto two = [this](int number) {
            line_.push_back(static_cast<char>('0' + number / 10 % 10));
            line_.push_back(static_cast<char>('0' + number % 10));
        };
        line_.assign("Date: ").append(days.at(static_cast<std::size_t>(utc.tm_wday))).append(", ");
        two(utc.tm_mday);
        line_.append(" ").append(months.at(static_cast<std::size_t>(utc.tm_mon))).append(" ");
        append_number(line_, utc.tm_year + 1900);
        line_.append(" ");
        two(utc.tm_hour);
        line_.append(":");
        two(utc.tm_min);
        line_.append(":");
        two(utc.tm_sec);
        line_.append(" GMT\r\n");
        second_ = second;
    }
    return line_;
}

void append_response(std::string& out, const Response& response, bool head, BodyEnd end, ConnectionLine connection,
                     std::string_view date_line) {
    // RFC 9110 section 6.4.1: no content, and for 1xx and 204 no Content-Length either.
    const bool bodiless = response.status < 200 || response.status == 204 || response.status == 304;
    out.append("HTTP/1.1 ");
    append_number(out, response.status);
    out.append(" ").append(reason_phrase(response.status)).append("\r\n");
    if (!bodiless && end == BodyEnd::chunk) out.append("Transfer-Encoding: chunked\r\n");
    if (!bodiless && end == BodyEnd::length) {
        out.append("Content-Length: ");
        append_number(out, static_cast<std::int64_t>(response.body.size()));
        out.append("\r\n");
    }
    out.append(date_line);
    switch (connection) {
        case ConnectionLine::silent:
            break;
        case ConnectionLine::close:
            out.append("Connection: close\r\n");
            break;
        case ConnectionLine::keep_alive:
            out.append("Connection: keep-alive\r\n");
            break;
    }
    out.append(response.headers).append("\r\n");
    if (!bodiless && !head && end == BodyEnd::length) out.append(response.body);
}

void append_piece(std::string& out, std::string_view piece, BodyEnd end) {
    if (piece.empty()) return;  // an empty chunk would end the body
    if (end == BodyEnd::chunk) {
        std::array<char, 16> digits;
        const auto size_end = std::to_chars(digits.data(), digits.data() + digits.size(), piece.size(), 16).ptr;
        out.append(digits.data(), size_end).append("\r\n").append(piece).append("\r\n");
    } else {
        out.append(piece);
    }
}

void append_last_chunk(std::string& out) { out.append("0\r\n\r\n"); }

}  // namespace consentry::http
