// The protocol (RESP2): commands written, replies read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

struct redisReply;
struct redisReader;

namespace consentry::storage::redis {

// Appends one command with its arguments to what is to be sent.
void append_command(std::string& out, std::span<const std::string_view> words);

// What a server answered, or nothing yet.
class Reply {
public:
    Reply() = default;
    explicit Reply(redisReply* owned) : reply_(owned) {}

    explicit operator bool() const { return reply_ != nullptr; }
    bool is_nil() const;
    // A bulk string or a status line; nothing for any other reply.
    std::optional<std::string_view> text() const;
    std::optional<std::int64_t> integer() const;
    // The line of an error, without its '-'. It may quote what was sent: not for logs. Its first word is safe.
    std::optional<std::string_view> error() const;
    std::string_view error_code() const;  // "WRONGPASS"; empty where it is no error

    // Of an array; 0 for any other reply. The element lives as long as this reply.
    std::size_t size() const;
    class Element;
    Element at(std::size_t index) const;

private:
    struct Free {
        void operator()(redisReply* reply) const;
    };
    std::unique_ptr<redisReply, Free> reply_;
};

// A part of an array reply; reads as nothing where it is not what was asked for.
class Reply::Element {
public:
    explicit Element(const redisReply* reply) : reply_(reply) {}
    std::optional<std::string_view> text() const;
    std::optional<std::int64_t> integer() const;
    std::size_t size() const;
    Element at(std::size_t index) const;

private:
    const redisReply* reply_;  // may be null
};

// The server refuses. Only the first word of its answer is in the text.
class ReplyError : public Unavailable {
public:
    ReplyError(const std::string& what, std::string_view code) : Unavailable(what), code_(code) {}
    const std::string& code() const { return code_; }

private:
    std::string code_;
};

// Cuts what arrives into replies.
class ReplyReader {
public:
    ReplyReader();

    void feed(std::string_view bytes);
    // The next whole reply, none while it has not arrived. Throws Unavailable where what arrived is no reply.
    Reply next();

private:
    struct Free {
        void operator()(redisReader* reader) const;
    };
    std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace consentry::storage::redis
