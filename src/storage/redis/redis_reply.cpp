#include "storage/redis/redis_reply.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>

#include <hiredis/hiredis.h>

#include "base/ascii.hpp"

namespace consentry::storage::redis {
namespace {

void append_length(std::string& out, char type, std::size_t length) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length).ptr;
    out += type;
    out.append(digits.data(), end);
    out += "\r\n";
}

std::optional<std::string_view> text_of(const redisReply* reply) {
    if (!reply || (reply->type != REDIS_REPLY_STRING && reply->type != REDIS_REPLY_STATUS)) return std::nullopt;
    return std::string_view(reply->str, reply->len);
}

std::optional<std::int64_t> integer_of(const redisReply* reply) {
    if (!reply || reply->type != REDIS_REPLY_INTEGER) return std::nullopt;
    return reply->integer;
}

std::size_t size_of(const redisReply* reply) { return reply && reply->type == REDIS_REPLY_ARRAY ? reply->elements : 0; }

const redisReply* element_of(const redisReply* reply, std::size_t index) {
    return index < size_of(reply) ? reply->element[index] : nullptr;
}

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> words) {
    append_length(out, '*', words.size());
    for (const std::string_view word : words) {
        append_length(out, '$', word.size());
        out += word;
        out += "\r\n";
    }
}

void Reply::Free::operator()(redisReply* reply) const { freeReplyObject(reply); }

bool Reply::is_nil() const { return reply_ && reply_->type == REDIS_REPLY_NIL; }
std::optional<std::string_view> Reply::text() const { return text_of(reply_.get()); }
std::optional<std::int64_t> Reply::integer() const { return integer_of(reply_.get()); }

std::optional<std::string_view> Reply::error() const {
    if (!reply_ || reply_->type != REDIS_REPLY_ERROR) return std::nullopt;
    return std::string_view(reply_->str, reply_->len);
}

std::string_view Reply::error_code() const {
    const auto line = error();
    if (!line) return {};
    const std::string_view word = line->substr(0, line->find(' '));
    const bool is_code = !word.empty() && std::ranges::all_of(word, is_upper_letter);
    return is_code ? word : "ERR";
}

std::size_t Reply::size() const { return size_of(reply_.get()); }
Reply::Element Reply::at(std::size_t index) const { return Element(element_of(reply_.get(), index)); }

std::optional<std::string_view> Reply::Element::text() const { return text_of(reply_); }
std::optional<std::int64_t> Reply::Element::integer() const { return integer_of(reply_); }
std::size_t Reply::Element::size() const { return size_of(reply_); }
Reply::Element Reply::Element::at(std::size_t index) const { return Element(element_of(reply_, index)); }

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : reader_(redisReaderCreate()) {
    if (!reader_) throw std::bad_alloc();
}

void ReplyReader::feed(std::string_view bytes) {
    // The reader records an error, and next() reports it.
    redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

Reply ReplyReader::next() {
    void* reply = nullptr;
    // The reader's own message quotes its input.
    if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK)
        throw Unavailable("redis: the server does not speak the Redis protocol");
    return Reply(static_cast<redisReply*>(reply));
}

}  // namespace consentry::storage::redis
