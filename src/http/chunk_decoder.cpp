#include "http/chunk_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "http/characters.hpp"

namespace consentry::http {

ChunkDecoder::Status ChunkDecoder::decode(std::string_view& in, ByteBuffer& body, std::size_t body_bytes_max) {
    while (!in.empty() && state_ != State::done) {
        if (state_ == State::data) {
            const std::size_t count = std::min(remaining_, in.size());
            body.grow(body.size() + count, body_bytes_max);
            std::memcpy(body.space().data(), in.data(), count);
            body.commit(count);
            in.remove_prefix(count);
            remaining_ -= count;
            if (remaining_ == 0) state_ = State::data_cr;
            continue;
        }
        const Status status = step(in.front(), body, body_bytes_max);
        if (status != Status::more) return status;
        in.remove_prefix(1);
    }
    return state_ == State::done ? Status::done : Status::more;
}

ChunkDecoder::Status ChunkDecoder::count_overhead() {
    return ++overhead_ > chunk_overhead_bytes_max ? Status::malformed : Status::more;
}

// After a size or an extension: either another extension or the end of the line.
ChunkDecoder::Status ChunkDecoder::end_of_size(char c) {
    if (c == '\r') {
        state_ = State::size_lf;
        return Status::more;
    }
    if (c != ';') return Status::malformed;
    state_ = State::extension_first;
    return count_overhead();
}

// Parses name [ "=" value ], where the value is a token or quoted (RFC 9112 section 7.1.1). Rejects the bad whitespace
// (BWS) that the grammar tolerates but senders must not generate.
ChunkDecoder::Status ChunkDecoder::step_in_extension(char c) {
    const auto go = [&](State next) {
        state_ = next;
        return count_overhead();
    };
    switch (state_) {
        case State::extension_first:
            return is_token(c) ? go(State::extension_name) : Status::malformed;
        case State::extension_name:
            if (c == '=') return go(State::extension_value_first);
            return is_token(c) ? count_overhead() : end_of_size(c);
        case State::extension_value_first:
            if (c == '"') return go(State::extension_quoted);
            return is_token(c) ? go(State::extension_value) : Status::malformed;
        case State::extension_value:
            return is_token(c) ? count_overhead() : end_of_size(c);
        case State::extension_quoted:
            if (c == '"') return go(State::extension_end);
            if (c == '\\') return go(State::extension_escaped);
            return is_control(c) ? Status::malformed : count_overhead();
        case State::extension_escaped:
            return is_control(c) ? Status::malformed : go(State::extension_quoted);
        default:
            return end_of_size(c);
    }
}

ChunkDecoder::Status ChunkDecoder::step(char c, const ByteBuffer& body, std::size_t body_bytes_max) {
    const auto expect = [&](char wanted, State next) {
        if (c != wanted) return Status::malformed;
        state_ = next;
        return Status::more;
    };
    switch (state_) {
        case State::size_first:
            remaining_ = 0;
            digits_ = 0;
            state_ = State::size;
            [[fallthrough]];
        case State::size:
            if (const int digit = hex_value(c); digit >= 0) {
                // More digits than any permitted size needs: padding that another reader might truncate.
                if (++digits_ > 8) return Status::malformed;
                remaining_ = remaining_ * 16 + static_cast<std::size_t>(digit);
                return Status::more;
            }
            if (digits_ == 0) return Status::malformed;
            if (remaining_ > body_bytes_max - body.size()) return Status::too_large;
            return end_of_size(c);
        case State::extension_first:
        case State::extension_name:
        case State::extension_value_first:
        case State::extension_value:
        case State::extension_quoted:
        case State::extension_escaped:
        case State::extension_end:
            return step_in_extension(c);
        case State::size_lf:
            return expect('\n', remaining_ == 0 ? State::trailer_first : State::data);
        case State::data_cr:
            return expect('\r', State::data_lf);
        case State::data_lf:
            return expect('\n', State::size_first);
        case State::trailer_first:
            if (c == '\r') return expect('\r', State::end_lf);
            state_ = State::trailer_name;
            return is_token(c) ? count_overhead() : Status::malformed;
        case State::trailer_name:
            if (c == ':') return expect(':', State::trailer_value);
            return is_token(c) ? count_overhead() : Status::malformed;
        case State::trailer_value:
            if (c == '\r') return expect('\r', State::trailer_lf);
            return is_control(c) ? Status::malformed : count_overhead();
        case State::trailer_lf:
            return expect('\n', State::trailer_first);
        case State::end_lf:
            return expect('\n', State::done);
        case State::data:
        case State::done:
            break;
    }
    return Status::malformed;
}

}  // namespace consentry::http
