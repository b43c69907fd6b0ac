// The log of acts of administrators and of the operator. Everything but its size and its root is private.
//
// The transaction of an act writes a row (features/activity/acts.hpp) and never waits for this log, which makes an
// entry of each row and publishes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "features/administration_log/entry.hpp"
#include "features/administration_log/repository.hpp"
#include "features/published_logs/continuation.hpp"
#include "features/published_logs/published_log.hpp"
#include "tlog/policy.hpp"

namespace consentry {

struct AdministrationLogSettings {
    crypto::PrivateKey consent_key;  // of the consent log; the key of this one is derived from it
    std::string origin;              // of the installation
    bool origin_is_given = false;
    std::chrono::days retention{};  // of evidence; zero: it is kept forever
    // Of the policy that verifiers use (WitnessPolicy::lines). Not empty: the public checkpoint waits for cosignatures,
    // for a while.
    std::string witness_lines;
};

// As an entry names an account.
struct ShownAccount {
    std::optional<UserId> id;  // nullopt: no account has the tag any more
    std::string email;         // empty: the account is deleted
    std::string tag;           // in hexadecimal
};
struct ShownAct {
    std::int64_t position = 0;
    std::int64_t code = 0;
    std::chrono::sys_seconds time{};
    bool is_late = false;
    std::optional<ShownAccount> actor = {};    // nullopt: the operator
    std::optional<ShownAccount> subject = {};  // nullopt: none
    std::string damage = {};                   // not empty: why the entry cannot be read
};

struct ActFindings {
    LogFindings log;             // findings about evidence included
    std::uint64_t entries = 0;   // of the database
    std::uint64_t evidence = 0;  // of these, with evidence that fits
    std::uint64_t waiting = 0;   // acts without an entry
    std::uint64_t unlogged = 0;  // acts without an entry that do not wait for one: they are marked as logged
    // The newest checkpoint that the quorum of the witnesses has cosigned; nullopt if the settings name none.
    std::optional<tlog::AcceptedCheckpoint> cosigned = {};
    bool are_none() const { return log.are_none() && unlogged == 0; }
};

class AdministrationLog {
public:
    // The references must outlive this object.
    AdministrationLog(storage::Database& database, storage::ObjectStore& store, const Clock& clock,
                      AdministrationLogSettings settings);

    // Makes entries of all acts that wait.
    awaitable<void> take_in_all();
    // The same, and publishes them.
    awaitable<void> work();

    awaitable<std::int64_t> size();
    awaitable<std::vector<ShownAct>> show(std::int64_t from, std::int64_t to);
    // Compares acts, entries, tiles and checkpoint, and with them what the witnesses have cosigned and the signed note
    // of a checkpoint that a reader has kept. Without a key, trusts that of the settings. `retention`: the shortest one
    // of evidence that ever applied, if it was shorter than that of the settings.
    awaitable<ActFindings> verify(std::optional<tlog::VerifierKey> key, std::optional<std::string> kept = {},
                                  ComparisonProgress progress = {}, std::chrono::days retention = {});

    PublishedLog& published() { return published_; }

private:
    awaitable<bool> take_in();
    awaitable<std::map<UserId, SubjectTag>> tags_of(std::vector<Act> acts, storage::Transaction& transaction);
    struct TaggedEntry {
        std::uint64_t position = 0;
        SubjectTag actor{};
        SubjectTag subject{};
    };
    struct EvidenceFindings {
        std::vector<LogFinding> found;
        std::vector<TaggedEntry> bare;      // without evidence, and not too old to have any
        std::vector<TaggedEntry> untagged;  // evidence that fits; these tags of the entry belong to no account
        std::uint64_t fitting = 0;          // entries with evidence that fits
    };
    class Verification;
    awaitable<std::vector<StoredEntry>> without_erased_salts(std::vector<StoredEntry> entries);
    awaitable<EvidenceFindings> check_evidence(std::vector<StoredEntry> entries, std::chrono::days retention);
    awaitable<std::uint64_t> count_unlogged(std::uint64_t missing);
    // Those of erased accounts, as the consent log says.
    awaitable<std::set<SubjectTag>> erased_tags();
    awaitable<std::map<Bytes, TaggedAccount>> accounts_of(const std::vector<ActEntry>& entries);

    storage::Database& database_;
    storage::ObjectStore& store_;
    const Clock& clock_;
    AdministrationLogRepository repository_;
    LogRepository entries_;
    ActRepository acts_;
    const AdministrationLogSettings settings_;
    const crypto::PrivateKey key_;
    PublishedLog published_;
};

// Behind the origin of the installation, in the name of the log.
inline constexpr std::string_view administration_log_suffix = "/administration";

LogPlace administration_log_place();

// As an instance with these settings would continue the log.
LogClaim administration_log_claim(const AdministrationLogSettings& settings);

}  // namespace consentry
