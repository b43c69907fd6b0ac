// The protocol (RESP2): writes commands, parses replies.
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

// Appends one command with its arguments to the output buffer.
void append_command(std::string& out, std::span<const std::string_view> words);

// A server's reply, or empty.
class Reply {
public:
    Reply() = default;
    explicit Reply(redisReply* owned) : reply_(owned) {}

    explicit operator bool() const { return reply_ != nullptr; }
    bool is_nil() const;
    // A bulk string or status line; nullopt for any other reply.
    std::optional<std::string_view> text() const;
    std::optional<std::int64_t> integer() const;
    // The error line without its '-'. It may quote the command, so it must not be logged; its first word is safe.
    std::optional<std::string_view> error() const;
    std::string_view error_code() const;  // "WRONGPASS"; empty if not an error

    // The size of an array; 0 for any other reply. An element is valid for the lifetime of this reply.
    std::size_t size() const;
    class Element;
    Element at(std::size_t index) const;

private:
    struct Free {
        void operator()(redisReply* reply) const;
    };
    std::unique_ptr<redisReply, Free> reply_;
};

// An element of an array reply. Reads as empty if it does not have the requested type.
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

// The server refused the command. The message contains only the first word of its reply.
class ReplyError : public Unavailable {
public:
    ReplyError(const std::string& what, std::string_view code) : Unavailable(what), code_(code) {}
    const std::string& code() const { return code_; }

private:
    std::string code_;
};

// Splits the incoming bytes into replies.
class ReplyReader {
public:
    ReplyReader();

    void feed(std::string_view bytes);
    // Returns the next complete reply, or an empty one until it has arrived. Throws Unavailable on a protocol error.
    Reply next();

private:
    struct Free {
        void operator()(redisReader* reader) const;
    };
    std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace consentry::storage::redis
