#include "http/message_reader.hpp"

#include <algorithm>
#include <cstring>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "http/application.hpp"
#include "http/characters.hpp"
#include "http/head_parser.hpp"
#include "http/media_type.hpp"

namespace consentry::http {
namespace {

constexpr std::size_t buffer_bytes_first = 8 * 1024;  // fits nearly every request
constexpr std::size_t buffer_bytes_kept = 32 * 1024;  // kept in the pool; larger ones are rare and freed
constexpr std::size_t body_room_min = 2 * 1024;       // minimum space behind a head, to avoid tiny reads
constexpr std::size_t body_bytes_first = 16 * 1024;   // initial size; grows as bytes arrive

}  // namespace

std::span<char> MessageReader::space() {
    if (state_ == State::body && place_ == BodyPlace::aside) {
        if (!taken_) take_body();
        if (body_.space().empty()) body_.grow(body_.size() + 1, body_length_);
        // At most the bytes of the body: what follows belongs in buffer_.
        return body_.space().first(std::min(body_.space().size(), body_length_ - body_.size()));
    }
    if (state_ == State::body && place_ == BodyPlace::nowhere)
        return buffer_.space().first(std::min(buffer_.space().size(), body_length_));
    // While a head is incomplete, no view refers to the buffer, so it may move. Afterwards begin_body() has ensured the
    // space.
    if (state_ == State::empty || state_ == State::head) make_room();
    return buffer_.space();
}

void MessageReader::make_room() {
    if (!buffer_.space().empty()) return;
    if (begin_ > 0) {
        buffer_.drop_front(begin_);
        begin_ = 0;
    } else {
        buffer_.grow(std::max(buffer_bytes_first, buffer_.size() + 1), limits_.head_bytes_max + body_room_min);
    }
}

void MessageReader::commit(std::size_t count) {
    if (state_ == State::body && place_ == BodyPlace::nowhere) {
        buffer_.commit(count);  // so that it is wiped later
        buffer_.truncate(body_begin_);
        body_length_ -= count;
        return;
    }
    (state_ == State::body && place_ == BodyPlace::aside ? body_ : buffer_).commit(count);
}

MessageReader::State MessageReader::advance() {
    switch (state_) {
        case State::empty:
        case State::head:
            return scan_head();
        case State::body:
            return read_body();
        case State::complete:
        case State::refused:
            return state_;
    }
    return state_;
}

MessageReader::State MessageReader::end_of_input() {
    if (state_ == State::head) return refuse(errors::bad_request);
    if (state_ == State::body) {
        refusal_ = &errors::bad_request;
        state_ = State::refused;
    }
    return state_;
}

// Refuses a request whose head is not read to its end.
MessageReader::State MessageReader::refuse(const ErrorKind& kind) {
    parse_lines(buffer_.view().substr(begin_, scanned_), request_);
    request_.keep_alive = false;
    refusal_ = &kind;
    return state_ = State::refused;
}

MessageReader::State MessageReader::too_large() {
    const std::string_view bytes = buffer_.view().substr(begin_);
    const std::size_t line = std::min(bytes.find('\n'), bytes.size());
    // Room for the method and the version around the longest permitted target.
    constexpr std::size_t around_target = 64;
    return refuse(line > limits_.target_bytes_max + around_target ? errors::uri_too_long : errors::headers_too_large);
}

MessageReader::State MessageReader::scan_head() {
    for (;;) {
        const std::string_view rest = buffer_.view().substr(begin_ + scanned_);
        const std::size_t newline = rest.find('\n');
        if (newline == std::string_view::npos) {
            // Refuses at once what cannot become a valid line, such as a TLS greeting.
            if (holds_control(rest.substr(0, rest.ends_with('\r') ? rest.size() - 1 : rest.size())))
                return refuse(errors::bad_request);
            if (scanned_ + rest.size() > limits_.head_bytes_max) return too_large();
            return state_ = scanned_ + rest.size() == 0 ? State::empty : State::head;
        }
        if (newline == 0 || rest[newline - 1] != '\r') return refuse(errors::bad_request);
        const std::string_view line = rest.substr(0, newline - 1);
        // A line that begins with whitespace is an obsolete fold (RFC 9112 section 5.2), or an invalid request line.
        if (holds_control(line) || line.starts_with(' ') || line.starts_with('\t')) return refuse(errors::bad_request);
        if (line.empty() && scanned_ == 0) {
            if (skipped_line_) return refuse(errors::bad_request);
            skipped_line_ = true;
            begin_ += 2;
            continue;
        }
        if (scanned_ + newline + 1 > limits_.head_bytes_max) return too_large();
        scanned_ += newline + 1;
        if (line.empty()) return parse_head();
    }
}

MessageReader::State MessageReader::parse_head() {
    if (buffer_.capacity() - begin_ - scanned_ < body_room_min) {  // last chance to move the buffer
        buffer_.drop_front(begin_);
        begin_ = 0;
        buffer_.reserve(scanned_ + body_room_min);
    }
    body_begin_ = begin_ + scanned_;
    Head head;
    if (const ErrorKind* refusal =
            http::parse_head(buffer_.view().substr(begin_, scanned_), limits_.target_bytes_max, request_, head)) {
        request_.keep_alive = false;
        refusal_ = refusal;
        return state_ = State::refused;
    }
    awaits_continue_ = head.expects_continue;
    if (head.body != Head::Body::none) body_bytes_max_ = body_bytes_max();
    switch (head.body) {
        case Head::Body::none:
            return finish(body_begin_);
        case Head::Body::length:
            return begin_body(head.body_length);
        case Head::Body::chunked:
            chunks_ = {};
            place_ = BodyPlace::chunked;
            state_ = State::body;
            return read_body();
    }
    return state_;
}

std::size_t MessageReader::body_bytes_max() const {
    const std::string_view type = request_.header("content-type").value_or("");
    const std::string_view media = media_type_of(type);
    const bool json = equal_ignoring_case(media, "application/json") ||
                      (media.size() > 5 && equal_ignoring_case(media.substr(media.size() - 5), "+json"));
    if (json) return limits_.json_bytes_max;
    const std::size_t upload = limits_.application != nullptr ? limits_.application->upload_bytes_max(request_) : 0;
    return upload > 0 ? upload : limits_.text_bytes_max;
}

MessageReader::State MessageReader::begin_body(std::size_t length) {
    state_ = State::body;
    if (length > body_bytes_max_) {
        refusal_ = &errors::payload_too_large;
        return state_ = State::refused;
    }
    body_length_ = length;
    place_ = length <= buffer_.capacity() - body_begin_ ? BodyPlace::in_buffer : BodyPlace::aside;
    return read_body();
}

std::size_t MessageReader::body_memory() const {
    switch (place_) {
        case BodyPlace::aside:
            return body_length_;
        case BodyPlace::chunked:
            return std::max(body_bytes_first, body_.capacity());
        case BodyPlace::in_buffer:
        case BodyPlace::nowhere:
            break;
    }
    return 0;
}

void MessageReader::take_body() {
    taken_ = true;
    // Only part of the body has arrived; a complete one would have fitted in buffer_.
    const std::string_view come = buffer_.view().substr(body_begin_);
    body_.reserve(std::min(body_length_, std::max(body_bytes_first, come.size() * 2)));
    std::memcpy(body_.data(), come.data(), come.size());
    body_.commit(come.size());
    buffer_.truncate(body_begin_);
}

bool MessageReader::drop_body(std::size_t most) {
    if (state_ != State::body || place_ == BodyPlace::chunked) return false;
    const std::size_t left = body_length_ - received_of_body();
    if (left > most) return false;
    body_length_ = left;
    place_ = BodyPlace::nowhere;
    buffer_.truncate(body_begin_);
    return true;
}

MessageReader::State MessageReader::read_body() {
    switch (place_) {
        case BodyPlace::in_buffer:
            if (received_of_body() < body_length_) return state_;
            request_.body = buffer_.view().substr(body_begin_, body_length_);
            return finish(body_begin_ + body_length_);
        case BodyPlace::aside:
            if (received_of_body() < body_length_) return state_;
            request_.body = body_.view();
            return finish(body_begin_);
        case BodyPlace::nowhere:
            return body_length_ > 0 ? state_ : finish(body_begin_);
        case BodyPlace::chunked:
            break;
    }
    std::string_view raw = buffer_.view().substr(body_begin_);
    const ChunkDecoder::Status status = chunks_.decode(raw, body_, body_bytes_max_);
    if (status == ChunkDecoder::Status::done) {
        request_.body = body_.view();
        return finish(buffer_.size() - raw.size());
    }
    if (status == ChunkDecoder::Status::more) {
        buffer_.truncate(body_begin_);
        return state_;
    }
    refusal_ = status == ChunkDecoder::Status::too_large ? &errors::payload_too_large : &errors::bad_request;
    return state_ = State::refused;
}

std::size_t MessageReader::received_of_body() const {
    const bool is_aside = place_ == BodyPlace::chunked || (place_ == BodyPlace::aside && taken_);
    return is_aside ? body_.size() : buffer_.size() - body_begin_;
}

MessageReader::State MessageReader::finish(std::size_t end) {
    end_ = end;
    return state_ = State::complete;
}

void MessageReader::next() {
    begin_ = end_;
    if (begin_ == buffer_.size()) {
        buffer_.truncate(0);
        begin_ = 0;
    }
    scanned_ = 0;
    skipped_line_ = awaits_continue_ = taken_ = false;
    place_ = BodyPlace::in_buffer;
    if (body_.capacity() > buffer_bytes_kept)
        body_.release(buffer_bytes_kept);
    else
        body_.truncate(0);
    request_.method = Method::other;
    request_.method_text = request_.target = request_.path = request_.query = request_.body = {};
    request_.version = 11;
    request_.keep_alive = true;
    request_.headers.clear();
    request_.unread = nullptr;
    refusal_ = nullptr;
    state_ = State::empty;
}

void MessageReader::clear() {
    end_ = buffer_.size();
    next();
    buffer_.release(buffer_bytes_kept);
    body_.release(buffer_bytes_kept);
    request_.peer = boost::asio::ip::address{};
    request_.peer_port = 0;
}

}  // namespace consentry::http
