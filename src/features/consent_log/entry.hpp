// What the entries of the consent log say, and the evidence that they only name by digest. Pure functions.
//
// An entry stays in the log forever, so it holds no personal data: the account is a random tag, and address, client
// and session are in the addendum, which can be deleted (docs/decisions/0032). The first byte of an entry is its
// layout. A layout never changes; another one gets another number.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.hpp"
#include "base/uuid.hpp"
#include "crypto/digest.hpp"
#include "features/published_logs/erasure_entry.hpp"
#include "features/published_logs/repository.hpp"
#include "features/users/consent.hpp"

namespace consentry {

using AcceptanceId = Id<struct AcceptanceTag>;

enum class ConsentAction { accepted, withdrawn };

struct ConsentEntry {
    ConsentAction action = ConsentAction::accepted;
    bool is_late = false;  // recorded before the log existed, or while it was off
    PolicyType type = PolicyType::terms_of_service;
    std::uint32_t version = 0;
    Language language = Language::en;
    crypto::Sha256 content{};  // of the text that was shown; all zero: unknown
    std::chrono::sys_seconds time{};
    SubjectTag subject{};
    crypto::Sha256 addendum{};
    bool operator==(const ConsentEntry&) const = default;
};

inline constexpr std::size_t consent_entry_bytes = 98;
inline constexpr std::uint8_t consent_layout = 1;

// One byte each for the layout (1), the action (1 accepted, 2 withdrawn), the flags (1 late) and the
// type (1 termsOfService, 2 privacy, 3 marketing, 4 cookies); the version as a big-endian uint32; the two letters of
// the language (ISO 639-1); the time as a big-endian uint64 of seconds since 1970; subject, content and addendum.
Bytes format_entry(const ConsentEntry& entry);
// Accepts exactly what format_entry() returns. The error is a sentence that says what is wrong.
std::expected<ConsentEntry, std::string> parse_entry(BytesView bytes);

// A version was published. If the change is not material, acceptances of the former version continue to hold.
struct PublicationEntry {
    PolicyType type = PolicyType::terms_of_service;
    bool is_material = true;
    bool is_late = false;
    std::uint32_t version = 0;
    std::chrono::sys_seconds time{};
    crypto::Sha256 record{};  // of the text that describes the publication
    bool operator==(const PublicationEntry&) const = default;
};

// The layout (3), the type and the flags (1 late, 2 not material) in one byte each, the version, the time and the
// record as above.
inline constexpr std::size_t publication_entry_bytes = 47;
Bytes format_entry(const PublicationEntry& entry);

using LogEntry = std::variant<ConsentEntry, ErasureEntry, PublicationEntry>;
// Accepts exactly what format_entry() returns for one of them.
std::expected<LogEntry, std::string> parse_log_entry(BytesView bytes);
// When the entry was added to the log; nullopt if it was late, because its time is that of what it is about.
std::optional<std::chrono::sys_seconds> added_at(const LogEntry& entry);

// Who accepted or withdrew, and from where.
struct Addendum {
    AcceptanceId acceptance;
    UserId user;
    std::optional<SessionId> session = {};
    std::optional<std::string> ip_address = {};
    std::optional<std::string> user_agent = {};
    std::optional<std::string> shown_diff_hash = {};  // SHA-256 of the comparison that was shown, in hexadecimal
};
// JSON without white space, the members in alphabetical order; shownDiffHash only if there is one. The entry names the
// SHA-256 of this text.
std::string addendum_text(const Addendum& addendum, const AddendumSalt& salt);

}  // namespace consentry

template <>
struct consentry::EnumNames<consentry::ConsentAction> {
    static constexpr std::array names{std::pair{consentry::ConsentAction::accepted, std::string_view{"accepted"}},
                                      std::pair{consentry::ConsentAction::withdrawn, std::string_view{"withdrawn"}}};
};
