// What an auditor's bundle says about itself, signed by the log: which entries it holds, how many, and the digest of
// all its members. So a bundle cannot be cut, nor a part of the log presented as something else. Pure functions; errors
// are sentences that say what is wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "features/consent_log/entry.hpp"
#include "tlog/note.hpp"
#include "tlog/note_keys.hpp"

namespace consentry {

// Which entries. Without any condition, the whole log.
struct BundleFilter {
    std::optional<UserId> user = {};
    std::optional<SubjectTag> subject = {};  // of this account; all zero: the log has no entry about it
    std::optional<PolicyType> type = {};
    std::optional<TimePoint> from = {};
    std::optional<TimePoint> before = {};
    bool with_addenda = true;

    // Whether a bundle may name the account itself. Otherwise it has only the tag of the account.
    bool names_account() const { return user && with_addenda; }
    bool is_whole() const { return !user && !subject && !type && !from && !before; }
    // Whether the publications of all versions that entries name are among the entries.
    bool has_publications() const { return !user && !subject && !from && !before; }
    // By what an entry says: it names no account but by its tag.
    bool takes(const LogEntry& entry) const;
};
// "type privacy, from 2026-03-01T00:00:00Z on"; empty for the whole log.
std::string describe(const BundleFilter& filter);

struct BundleManifest {
    BundleFilter filter;
    std::uint64_t entries = 0;    // that the filter takes
    crypto::Sha256 checkpoint{};  // of that member
    crypto::Sha256 sums{};        // of the member that lists all others but this one
};

// The text of the note. Names the account only if the bundle has addenda, which name it as well.
std::string format_manifest(const BundleManifest& manifest);
// Accepts exactly what format_manifest() returns, signed with one of the keys of the log.
std::expected<BundleManifest, std::string> open_manifest(std::string_view note, std::span<const tlog::VerifierKey> log);

}  // namespace consentry
