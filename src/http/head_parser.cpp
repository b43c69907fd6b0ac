#include "http/head_parser.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <boost/beast/http/basic_parser.hpp>

#include "base/errors.hpp"
#include "base/percent_encoding.hpp"
#include "base/text.hpp"
#include "http/characters.hpp"

namespace consentry::http {
namespace {

namespace beast = boost::beast;
using beast::http::field;
using beast::http::verb;

Method method_of(verb method) {
    switch (method) {
        case verb::get:
            return Method::get;
        case verb::head:
            return Method::head;
        case verb::post:
            return Method::post;
        case verb::put:
            return Method::put;
        case verb::patch:
            return Method::patch;
        case verb::delete_:
            return Method::delete_;
        case verb::options:
            return Method::options;
        default:
            return Method::other;
    }
}

// A header field that must not be repeated.
struct Single {
    unsigned count = 0;
    std::string_view value;
    void add(std::string_view another) {
        value = another;
        ++count;
    }
};

// Boost.Beast splits the lines and checks token syntax; the fields remain views into the buffer. Beast does not parse
// the body: see chunk_decoder.hpp.
class HeadParser final : public beast::http::basic_parser<true> {
public:
    explicit HeadParser(Request& request) : request_(request) {
        header_limit(std::numeric_limits<std::uint32_t>::max());  // MessageReader enforces the limit
        body_limit(boost::none);
    }

    Single host, length, transfer_encoding, expect;
    bool has_too_many_fields = false;

private:
    using ErrorCode = beast::error_code;
    using View = beast::string_view;  // converts to std::string_view

    void on_request_impl(verb method, View text, View target, int version, ErrorCode&) override {
        request_.method = method_of(method);
        request_.method_text = text;
        request_.target = target;
        request_.version = static_cast<unsigned>(version);
    }
    void on_field_impl(field id, View name, View value, ErrorCode& error) override {
        if (request_.headers.size() >= head_fields_max) {
            has_too_many_fields = true;
            error = beast::http::error::header_limit;
            return;
        }
        request_.headers.emplace_back(name, value);
        switch (id) {
            case field::host:
                return host.add(value);
            case field::content_length:
                return length.add(value);
            case field::transfer_encoding:
                return transfer_encoding.add(value);
            case field::expect:
                return expect.add(value);
            default:
                return;
        }
    }
    void on_header_impl(ErrorCode&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
    std::size_t on_body_impl(View, ErrorCode&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, View, ErrorCode&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, View, ErrorCode&) override { return 0; }
    void on_finish_impl(ErrorCode&) override {}
    void on_response_impl(int, View, int, ErrorCode&) override {}

    Request& request_;
};

// host [":" port] (RFC 9110 section 7.2), where host is a name, an IPv4 address, or a bracketed IPv6 address. Names
// consist of letters, digits, '-', '_' and single dots; percent-encoding and user information are rejected.
bool is_authority(std::string_view text) {
    std::size_t host_end = 0;
    if (text.starts_with('[')) {
        host_end = text.find(']');
        if (host_end == std::string_view::npos || host_end < 3) return false;
        for (const char c : text.substr(1, host_end - 1))
            if (hex_value(c) < 0 && c != ':' && c != '.') return false;
        ++host_end;
    } else {
        while (host_end < text.size() && (is_letter(text[host_end]) || is_digit(text[host_end]) ||
                                          std::string_view{"-._"}.contains(text[host_end])))
            ++host_end;
        const std::string_view name = text.substr(0, host_end);
        if (name.empty() || name.starts_with('.') || name.contains("..")) return false;
    }
    const std::string_view rest = text.substr(host_end);
    if (rest.empty()) return true;
    if (rest.front() != ':' || rest.size() > 6) return false;
    for (const char c : rest.substr(1))
        if (!is_digit(c)) return false;
    return true;
}

// Every '%' must begin a percent-encoded octet (RFC 3986 section 2.1) other than NUL.
bool is_well_encoded(std::string_view path) {
    for (auto at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1))
        if (octet_at(path, at) <= 0) return false;
    return true;
}

// Tunnels are never opened. Like OPTIONS *, a CONNECT request concerns the server as a whole.
bool asks_for_tunnel(const Request& request) {
    const std::size_t colon = request.target.rfind(':');
    return request.method_text == "CONNECT" && colon < request.target.size() - 1 && is_authority(request.target);
}

// Sets path and query. Accepts origin-form, absolute-form with http or https, '*' for OPTIONS, and an authority with a
// port for CONNECT, whose path is '*' as well (RFC 9112 section 3.2).
bool split_target(Request& request) {
    std::string_view target = request.target;
    for (const char c : target)
        if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7F || c == '#') return false;
    if (target == "*") {
        request.path = target;
        return request.method == Method::options;
    }
    if (asks_for_tunnel(request)) {
        request.path = "*";
        return true;
    }
    if (!target.starts_with('/')) {
        const std::size_t scheme = target.find("://");
        if (scheme == std::string_view::npos) return false;
        const std::string_view name = target.substr(0, scheme);
        if (!equal_ignoring_case(name, "http") && !equal_ignoring_case(name, "https")) return false;
        target.remove_prefix(scheme + 3);
        const std::size_t authority_end = std::min(target.find_first_of("/?"), target.size());
        if (!is_authority(target.substr(0, authority_end))) return false;
        target.remove_prefix(authority_end);
    }
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (request.path.empty()) request.path = "/";
    request.query = mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
    return is_well_encoded(request.path);
}

// Whether the request line is valid except for an unsupported version.
bool names_other_version(std::string_view bytes) {
    const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
    if (line.size() < 9 || std::ranges::count(line, ' ') != 2) return false;
    const std::string_view version = line.substr(line.size() - 9);
    return version.starts_with(" HTTP/") && is_digit(version[6]) && version[7] == '.' && is_digit(version[8]);
}

// RFC 9110 section 5.6.3 allows tabs around a value. A reader that does not strip them sees another length or coding.
bool stands_beside_tab(std::string_view value) {
    const char* before = value.data() - 1;
    while (*before == ' ') --before;
    const char* behind = value.data() + value.size();
    while (*behind == ' ') ++behind;
    return *before == '\t' || *behind == '\t';
}

const ErrorKind* check_framing(const HeadParser& parser, const Request& request, Head& head) {
    if (parser.host.count > 1 || (parser.host.count == 0 && request.version == 11)) return &errors::bad_request;
    if (parser.host.count == 1 && !is_authority(parser.host.value)) return &errors::bad_request;

    if (parser.transfer_encoding.count > 0) {
        // Unknown codings get 400 rather than 501: the end of the body is unknown either way, and a single answer for
        // all codings gives an attacker nothing to compare. HTTP/1.0 has no chunks (RFC 9112 section 6.1).
        if (parser.transfer_encoding.count > 1 || parser.length.count > 0 || request.version == 10)
            return &errors::bad_request;
        if (!equal_ignoring_case(parser.transfer_encoding.value, "chunked")) return &errors::bad_request;
        if (stands_beside_tab(parser.transfer_encoding.value)) return &errors::bad_request;
        head.body = Head::Body::chunked;
    } else if (parser.length.count > 0) {
        if (parser.length.count > 1) return &errors::bad_request;
        for (const char c : parser.length.value)
            if (!is_digit(c)) return &errors::bad_request;
        if (stands_beside_tab(parser.length.value)) return &errors::bad_request;
        head.body = Head::Body::length;
        head.body_length = *parser.content_length();
        if (head.body_length == 0) head.body = Head::Body::none;
    }

    if (parser.expect.count > 0 && request.version == 11) {
        if (parser.expect.count > 1 || !equal_ignoring_case(parser.expect.value, "100-continue"))
            return &errors::expectation_failed;
        head.expects_continue = head.body != Head::Body::none;
    }
    return nullptr;
}

}  // namespace

const ErrorKind* parse_head(std::string_view bytes, std::size_t target_bytes_max, Request& request, Head& head) {
    HeadParser parser(request);
    beast::error_code error;
    parser.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    const bool target_in_order = split_target(request);  // first, so that a refusal knows the path as well
    if (error == beast::http::error::bad_version && names_other_version(bytes)) return &errors::version_not_supported;
    if (request.target.size() > target_bytes_max) return &errors::uri_too_long;
    if (parser.has_too_many_fields) return &errors::headers_too_large;
    // Also if Beast wants more input: the head is complete, so a line must be malformed.
    if (error || !parser.is_header_done()) return &errors::bad_request;
    if (!target_in_order) return &errors::bad_request;
    // The connection ends after an unsupported method: the bytes after CONNECT may belong to the tunnel already, and an
    // unknown method may be the rest of a body whose length another reader measured differently.
    request.keep_alive = parser.keep_alive() && request.method != Method::other;
    return check_framing(parser, request, head);
}

void parse_lines(std::string_view bytes, Request& request) {
    HeadParser parser(request);
    beast::error_code ignored;
    parser.put(boost::asio::buffer(bytes.data(), bytes.size()), ignored);
    split_target(request);
}

}  // namespace consentry::http
