// Identifiers: UUID version 7 (RFC 9562), time-ordered so that new rows are adjacent in an index. Each kind of object
// has its own id type, so a session id cannot be passed where a user id is expected.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace consentry {

class Uuid {
public:
    Uuid() = default;  // all zero
    explicit Uuid(const std::array<std::uint8_t, 16>& bytes) : bytes_(bytes) {}
    static Uuid greatest();  // no object has it

    // 48 bits of `now` and 74 random bits from the system's generator.
    static Uuid v7(TimePoint now);
    // Accepts 8-4-4-4-12 hexadecimal digits of either case; returns nullopt for anything else.
    static std::optional<Uuid> parse(std::string_view text);

    std::string text() const;  // lower case, 36 characters
    const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
    auto operator<=>(const Uuid&) const = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
};

template <class Tag>
class Id {
public:
    Id() = default;
    explicit Id(const Uuid& uuid) : uuid_(uuid) {}
    static Id make(TimePoint now) { return Id{Uuid::v7(now)}; }
    static std::optional<Id> parse(std::string_view text) {
        const auto uuid = Uuid::parse(text);
        if (!uuid) return std::nullopt;
        return Id{*uuid};
    }
    const Uuid& uuid() const { return uuid_; }
    std::string text() const { return uuid_.text(); }
    auto operator<=>(const Id&) const = default;

private:
    Uuid uuid_;
};

using UserId = Id<struct UserTag>;
using SessionId = Id<struct SessionTag>;

}  // namespace consentry

template <>
struct std::hash<consentry::Uuid> {
    std::size_t operator()(const consentry::Uuid& id) const noexcept {
        std::uint64_t tail = 0;  // the last eight bytes are random in every UUID version this program generates
        for (std::size_t i = 8; i < 16; ++i) tail = tail << 8 | id.bytes()[i];
        return static_cast<std::size_t>(tail);
    }
};
template <class Tag>
struct std::hash<consentry::Id<Tag>> {
    std::size_t operator()(const consentry::Id<Tag>& id) const noexcept {
        return std::hash<consentry::Uuid>{}(id.uuid());
    }
};
