// The log of acceptances and withdrawals: what a transaction records, receipts for users, and proofs.
//
// A receipt is the service's signed promise that the entry will be in the log within `merge_delay`; a proof is the
// fact.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/worker_pool.hpp"
#include "features/consent_log/receipt_keys.hpp"
#include "features/consent_log/repository.hpp"
#include "features/published_logs/continuation.hpp"
#include "features/published_logs/published_log.hpp"
#include "features/sessions/key_ring.hpp"

namespace consentry {

// The signed description in the public part of the object store, among the objects of the log. Receipts of a log that
// another one has replaced need it, and the service that could make it may not start any more.
inline constexpr std::string_view description_object = "consent-log/description.note";

struct ConsentLogSettings {
    crypto::PrivateKey key;  // Ed25519
    std::string origin;      // of the installation: a URL without scheme
    bool origin_is_given = false;
    std::string issuer;  // of receipts
    // Of the policy that verifiers use (WitnessPolicy::lines). Not empty: the public checkpoint waits for cosignatures,
    // for a while.
    std::string witness_lines;
};

// One acceptance or withdrawal, as a transaction records it.
struct ConsentEvent {
    Addendum addendum;
    ConsentAction action = ConsentAction::accepted;
    PolicyType type = PolicyType::terms_of_service;
    std::int64_t version = 0;
    Language language = Language::en;
    std::string content_hash;  // SHA-256 of the text that was shown, in hexadecimal; empty: unknown
    TimePoint at;
    bool is_late = false;  // see ConsentEntry
};

struct OwnRecord {
    AcceptanceId acceptance;
    std::string receipt;
    std::optional<std::string> proof;  // nullopt: the checkpoint does not cover the entry yet
    // The text whose SHA-256 the receipt names; nullopt if the database no longer has it.
    std::optional<std::string> addendum;
};

class ConsentLog {
public:
    // The references must outlive this object. The description names `administration` as well, if it is given.
    ConsentLog(storage::Database& database, storage::ObjectStore& store, const Clock& clock, KeyRing& keys,
               WorkerPool& signing, ConsentLogSettings settings, const PublishedLog* administration = nullptr);

    // Returns the account's tag. If it has none yet, adds one to the transaction, which fails there if another
    // transaction has added one meanwhile.
    awaitable<SubjectTag> subject_of(UserId user, storage::Transaction& transaction);
    // Records the event if an earlier statement of the transaction has added its row, otherwise nothing. Returns the
    // entry.
    static Bytes add(storage::Transaction& transaction, const ConsentEvent& event, const SubjectTag& subject);
    // Signs the receipt of an entry that the transaction adds, and adds the receipt's key to the transaction.
    awaitable<std::string> receipt(storage::Transaction& transaction, AcceptanceId id, Bytes entry);

    // Errors: notFound if the account has no such acceptance in the log; logPending if the entry is not published yet.
    // Both throw Unavailable if the database has another entry than the log has published, and receipt_of() also if an
    // entry that waits is not about the acceptance.
    awaitable<Result<std::string>> receipt_of(UserId user, AcceptanceId id);
    awaitable<Result<std::string>> proof_of(UserId user, AcceptanceId id);

    // What an account has in the log above `after`, in the order of the ids, for the account's own export. Proofs lead
    // to `checkpoint`, which published() has returned.
    awaitable<std::vector<OwnRecord>> records_of(UserId user, AcceptanceId after, std::int64_t count,
                                                 std::string checkpoint);

    // What a verifier must know: origin, keys and promise; and the same as a note that the log has signed.
    awaitable<boost::json::object> description();
    awaitable<std::string> description_note();
    // Whom a verifier of this installation trusts (c2sp.org/tlog-policy). Empty before the log is open.
    std::string policy_text() const;

    const std::string& witness_lines() const { return settings_.witness_lines; }

    // Both as PublishedLog does. check() throws std::runtime_error as well if verifiers could not check the receipts.
    awaitable<void> check();
    awaitable<void> open();
    // Stores and signs the keys of receipts that the database lacks, because it was restored or has failed over to an
    // older copy. Keeps the description in the object store.
    awaitable<void> work_on_keys();
    PublishedLog& published() { return published_; }

private:
    awaitable<void> keep_description();
    awaitable<void> require_genuine(OwnEntry logged);
    awaitable<std::string> sign(std::shared_ptr<const SigningKey> key, AcceptanceId id, Bytes entry);

    ConsentLogRepository repository_;
    SubjectRepository subjects_;
    const Clock& clock_;
    KeyRing& keys_;
    WorkerPool& signing_;
    const ConsentLogSettings settings_;
    PublishedLog published_;
    const PublishedLog* const administration_;
    storage::ObjectStore& store_;
    ReceiptKeys receipt_keys_;
    std::atomic<std::size_t> described_ = 0;  // hash of the description that the store has or got
};

// Behind the origin of the installation, in the name of the log.
inline constexpr std::string_view consent_log_suffix = "/consent";

LogPlace consent_log_place();

// As an instance with these settings would continue the log.
LogClaim consent_log_claim(const ConsentLogSettings& settings);

// The keys in the database that the log of this verifier key has not signed; nullopt: the log that the database names,
// if it names one.
awaitable<std::vector<ReceiptKey>> unsigned_receipt_keys(storage::Database& database,
                                                         std::optional<tlog::VerifierKey> log);

}  // namespace consentry
