#include "http/response.hpp"

#include <array>
#include <charconv>
#include <ctime>
#include <utility>

#include "base/text.hpp"
#include "http/response_writer.hpp"

namespace consentry::http {

std::string_view reason_phrase(unsigned status) {
    switch (status) {
        case 100:
            return "Continue";
        case 101:
            return "Switching Protocols";
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 203:
            return "Non-Authoritative Information";
        case 204:
            return "No Content";
        case 205:
            return "Reset Content";
        case 206:
            return "Partial Content";
        case 300:
            return "Multiple Choices";
        case 301:
            return "Moved Permanently";
        case 302:
            return "Found";
        case 303:
            return "See Other";
        case 304:
            return "Not Modified";
        case 307:
            return "Temporary Redirect";
        case 308:
            return "Permanent Redirect";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 402:
            return "Payment Required";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 406:
            return "Not Acceptable";
        case 407:
            return "Proxy Authentication Required";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 411:
            return "Length Required";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 417:
            return "Expectation Failed";
        case 421:
            return "Misdirected Request";
        case 422:
            return "Unprocessable Content";
        case 423:
            return "Locked";
        case 426:
            return "Upgrade Required";
        case 428:
            return "Precondition Required";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Unknown";
    }
}

void Vary::append_to(std::string& headers) const {
    std::string_view before = "Vary: ";
    const auto add = [&](bool varies, std::string_view name) {
        if (!varies) return;
        headers.append(std::exchange(before, ", ")).append(name);
    };
    add(language, "x-custom-lang");
    add(origin, "Origin");
    add(accept_encoding, "Accept-Encoding");
    add(preflight, "Access-Control-Request-Method, Access-Control-Request-Headers");
    if (before == ", ") headers.append("\r\n");
}

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
