// Refusals are values; outages are exceptions.
//
// A refusal that depends on the caller's input or state is an Error of one ErrorKind; base/errors.hpp holds the single
// table of kinds. A failure that the code cannot handle locally (a lost database) is thrown, caught once in the
// pipeline, logged in full and answered without detail.
#pragma once

#include <concepts>
#include <cstdint>
#include <expected>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "base/clock.hpp"

namespace consentry {

struct ErrorKind {
    std::string_view name;  // statusCodeKey on the wire
    unsigned http_status;
    int service_code;              // clients rely on it: never renumber; tests/rules pins each one
    std::string_view message_key;  // in locales/*.json
    std::string_view module;       // the part of the service it belongs to
};

// One broken rule of a request. Never holds the offending value (INP-6).
struct Violation {
    std::string key;                   // rule name on the wire: "isEmail"
    std::string property;              // dotted path: "contents.0.language"
    boost::json::object placeholders;  // for the message: {"min": 8}
};

class Error {
public:
    explicit Error(const ErrorKind& kind) : kind_(&kind) {}
    // `data` is sent to the client as the error's data; its members also fill the message's placeholders.
    Error(const ErrorKind& kind, boost::json::object data) : kind_(&kind), details_(std::make_unique<Details>()) {
        details_->data = std::move(data);
    }
    Error(const ErrorKind& kind, std::vector<Violation> violations)
        : kind_(&kind), details_(std::make_unique<Details>()) {
        details_->violations = std::move(violations);
    }

    const ErrorKind& kind() const { return *kind_; }
    bool is(const ErrorKind& kind) const { return kind_ == &kind; }
    const boost::json::object& data() const;
    const std::vector<Violation>& violations() const;

    // Replaces the kind's default message. `key` is a key of locales/*.json and must outlive the error.
    Error with_message(std::string_view key) && {
        message_key_ = key;
        return std::move(*this);
    }
    std::string_view message_key() const { return message_key_.empty() ? kind_->message_key : message_key_; }

private:
    struct Details {
        boost::json::object data;
        std::vector<Violation> violations;
    };
    const ErrorKind* kind_;
    std::string_view message_key_;
    std::unique_ptr<Details> details_;  // null for most refusals
};

// A value or a refusal. A caller that ignores it gets a compiler warning, which is an error in CI: it would take a
// refusal for success.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
    using Base = std::expected<T, Error>;

public:
    Result() = default;
    // Of what makes an expected: a value, or what fail() returns. Not of another Result, which converts to bool.
    template <class U = T>
        requires(!std::derived_from<std::remove_cvref_t<U>, Base> && std::constructible_from<Base, U>)
    explicit(!std::convertible_to<U, Base>) Result(U&& value) : Base(std::forward<U>(value)) {}
};

inline std::unexpected<Error> fail(const ErrorKind& kind) { return std::unexpected(Error{kind}); }
inline std::unexpected<Error> fail(const ErrorKind& kind, boost::json::object data) {
    return std::unexpected(Error{kind, std::move(data)});
}
inline std::unexpected<Error> fail(Error&& error) { return std::unexpected(std::move(error)); }

// Returns a refusal that tells the client when to retry: `retryAfterSeconds` in the data, and the same number in the
// Retry-After header. The number is an integer >= 1, rounded up.
Error retry_later(const ErrorKind& kind, milliseconds wait);

// Thrown when a dependency of the service does not respond. Becomes 503 with Retry-After. The text is for the log only.
class Unavailable : public std::runtime_error {
public:
    explicit Unavailable(const std::string& what, std::int64_t retry_after_seconds = 1)
        : std::runtime_error(what), retry_after_seconds_(retry_after_seconds) {}
    std::int64_t retry_after_seconds() const { return retry_after_seconds_; }

private:
    std::int64_t retry_after_seconds_;
};

}  // namespace consentry
