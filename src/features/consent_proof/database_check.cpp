#include "features/consent_proof/database_check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "features/consent_log/consent_log.hpp"
#include "features/consent_log/former_keys.hpp"
#include "features/consent_proof/receipt_check.hpp"
#include "features/published_logs/known_checkpoint.hpp"
#include "features/published_logs/published_log.hpp"
#include "features/published_logs/repository.hpp"
#include "features/published_logs/wrong_values.hpp"

namespace consentry {
namespace {

constexpr std::int64_t rows_at_once = 500;
constexpr std::size_t findings_max = 1'000;
constexpr const char* rows_table = "term_policy_acceptances";
constexpr const char* entries_table = "log_entries";
constexpr const char* unlogged_row = "the row is not in the log: it was added by other means";
// Behind every position: an entry that has none yet.
constexpr std::int64_t behind_all = std::numeric_limits<std::int64_t>::max();

using Entries = std::vector<ComparedEntry>;

// These visit all entries in portions: those with a position after this one, and those without a position. The
// repository must outlive the coroutine.
awaitable<void> each_placed(ComparisonRepository& repository, std::int64_t after,
                            std::function<void(const Entries&)> visit) {
    for (;;) {
        const auto found = co_await repository.entries(after, rows_at_once);
        visit(found);
        if (std::ssize(found) < rows_at_once) co_return;
        after = found.back().position.value();
    }
}

awaitable<void> each_pending(ComparisonRepository& repository, std::function<void(const Entries&)> visit) {
    for (Uuid after;;) {
        const auto found = co_await repository.pending(after, rows_at_once);
        visit(found);
        if (std::ssize(found) < rows_at_once) co_return;
        const auto last = Uuid::parse(found.back().id);
        if (!last) co_return;
        after = *last;
    }
}

// Whether an entry that has no position yet waits longer than receipts promise.
bool is_overdue(const LogEntry& entry, TimePoint now) {
    const auto added = added_at(entry);
    return added && time_point_cast<milliseconds>(*added) + merge_delay < now;
}

}  // namespace

awaitable<bool> has_overdue_entries(storage::Database& database, TimePoint now) {
    ComparisonRepository repository(database);
    bool out = false;
    co_await each_pending(repository, [&](const Entries& found) {
        for (const ComparedEntry& stored : found) {
            const auto entry = parse_log_entry(stored.entry);
            out = out || (entry && is_overdue(*entry, now));
        }
    });
    co_return out;
}

DatabaseCheck::DatabaseCheck(storage::Database& database, storage::ObjectStore& store, PolicyPaths paths, TimePoint now,
                             KnownLog known, CheckProgress progress)
    : database_(database),
      store_(store),
      repository_(database),
      log_(database, consent_log_place().name),
      paths_(std::move(paths)),
      now_(now),
      known_(std::move(known)),
      progress_(std::move(progress)) {}

void DatabaseCheck::add(const char* table, std::string_view id, std::string_view what) {
    if (out_.found.size() < findings_max)
        out_.found.push_back(fmt::format("{} {}: {}", table, id, what));
    else
        ++out_.unnamed;
}

void DatabaseCheck::tell(std::string_view about_log) {
    out_.found.push_back(fmt::format("{}: {}", entries_table, about_log));
}

void DatabaseCheck::show(std::string_view doing, std::optional<double> done) const {
    if (progress_) progress_(doing, done);
}

awaitable<DatabaseFindings> DatabaseCheck::run() {
    auto failure = co_await run_steps<DatabaseCheck>(
        *this, {&DatabaseCheck::compare_with_published, &DatabaseCheck::compare_with_known,
                &DatabaseCheck::compare_entries, &DatabaseCheck::compare_pending, &DatabaseCheck::find_missing,
                &DatabaseCheck::find_unlogged, &DatabaseCheck::compare_order, &DatabaseCheck::compare_publications,
                &DatabaseCheck::compare_texts, &DatabaseCheck::compare_pages, &DatabaseCheck::compare_receipt_keys});
    if (!failure.empty()) co_await name_wrong_values(std::move(failure));
    co_return std::move(out_);
}

// One such value ends a step, so other rows may differ as well.
awaitable<void> DatabaseCheck::name_wrong_values(std::string failure) {
    const auto wrong = co_await repository_.wrong_values();
    for (const WrongValue& value : wrong)
        add(value.table, value.id, fmt::format("its {} is of a wrong type", value.column));
    out_.found.push_back(fmt::format(
        "The database has values of a wrong type{}. Compare again once they are right: not all rows could be compared.",
        wrong.empty() ? " (" + failure + ")" : ""));
}

void DatabaseCheck::note_erasure(const ErasureEntry& erasure, std::int64_t position) {
    std::int64_t& last = erasures_[erasure.subject];
    last = std::max(last, position);
}

void DatabaseCheck::note_erasure_in(const Bytes& entry, std::int64_t position) {
    if (entry.size() != erasure_entry_bytes) return;
    const auto read = parse_log_entry(entry);
    if (!read) return;
    if (const auto* erasure = std::get_if<ErasureEntry>(&*read)) note_erasure(*erasure, position);
}

awaitable<void> DatabaseCheck::note_erasures_in(std::vector<StoredEntry> entries) {
    for (const StoredEntry& stored : entries) note_erasure_in(stored.entry, stored.position);
    co_return;
}

awaitable<void> DatabaseCheck::compare_with_published() {
    // First all erasures, which explain the rows that are missing before them.
    const auto visit = [this](const std::vector<StoredEntry>& entries) { return note_erasures_in(entries); };
    const auto progress = [this](std::uint64_t done, std::uint64_t size) {
        show("comparing the published log", static_cast<double>(done) / static_cast<double>(size));
    };
    auto compared = co_await compare_log(database_, store_, consent_log_place(), known_.key, visit, progress);
    out_.checkpoint = compared.checkpoint;
    out_.unnamed = compared.unnamed;
    for (const LogFinding& finding : compared.found) tell(finding.text);
}

awaitable<void> DatabaseCheck::compare_with_known() {
    auto key = known_.key;
    if (!key) {
        const auto state = co_await log_.find_state();
        if (auto own = tlog::VerifierKey::parse(state ? state->verifier_key : "")) key = std::move(*own);
    }
    if (known_.checkpoint) {
        show("comparing with the checkpoint that was kept");
        const std::uint64_t size = out_.checkpoint ? out_.checkpoint->size : 0;
        const auto fault = co_await compare_with_kept(log_, *known_.checkpoint, key, size);
        if (!fault.empty()) tell(fault);
    }
    if (known_.witness_lines.empty() || !key || !out_.checkpoint || out_.checkpoint->size == 0) co_return;
    show("comparing with what the witnesses have cosigned");
    const auto checked = co_await check_witnesses(log_, *key, known_.witness_lines);
    if (!checked.fault.empty()) tell(checked.fault);
}

awaitable<void> DatabaseCheck::compare_entries() {
    const auto portion = [this](const Entries& found) {
        for (const ComparedEntry& stored : found) compare(stored);
        out_.entries += found.size();
        if (!found.empty()) last_position_ = found.back().position.value();
        show("comparing rows", out_.checkpoint ? std::optional(static_cast<double>(out_.entries) /
                                                               static_cast<double>(out_.checkpoint->size))
                                               : std::nullopt);
    };
    co_await each_placed(repository_, -1, portion);
}

awaitable<void> DatabaseCheck::compare_pending() {
    co_await each_pending(repository_, [this](const Entries& found) {
        for (const ComparedEntry& stored : found) compare(stored);
    });
}

void DatabaseCheck::compare(const ComparedEntry& stored) {
    const auto entry = parse_log_entry(stored.entry);
    if (!entry) return add(entries_table, stored.id, entry.error());
    if (const auto* erasure = std::get_if<ErasureEntry>(&*entry)) {
        check_is_without_row(stored);
        return note_erasure(*erasure, stored.position.value_or(behind_all));
    }
    if (const auto* publication = std::get_if<PublicationEntry>(&*entry)) {
        check_is_without_row(stored);
        publications_.insert_or_assign(stored.id, *publication);
        return;
    }
    const auto* consent = std::get_if<ConsentEntry>(&*entry);
    if (!stored.position && is_overdue(*entry, now_))
        add(entries_table, stored.id, "it waits for its position longer than its receipt promised");
    if (!stored.row) {
        const auto position = stored.position.value_or(behind_all);
        if (!is_erased(consent->subject, position))
            missing_.push_back(
                {.id = stored.id, .subject = consent->subject, .position = position, .said = describe(*entry)});
        return;
    }
    const auto id = AcceptanceId::parse(stored.id);
    if (!id) return add(rows_table, stored.id, "its id is not a UUID");
    for (const std::string& what : compare_row(*id, *stored.row, stored.salt, *consent))
        add(rows_table, stored.id, what);
}

// Only acceptances and withdrawals have a row and an addendum.
void DatabaseCheck::check_is_without_row(const ComparedEntry& stored) {
    if (stored.row) add(rows_table, stored.id, unlogged_row);
    if (stored.salt) add(entries_table, stored.id, "it has a salt, although the entry names no addendum");
}

awaitable<void> DatabaseCheck::find_missing() {
    std::erase_if(missing_, [this](const Missing& missing) { return is_erased(missing.subject, missing.position); });
    // An erasure that got its position between the two readings above is in neither. Read in this order, it is found.
    // It is later than all that was compared.
    const auto note = [this](const Entries& found) {
        for (const ComparedEntry& stored : found) note_erasure_in(stored.entry, behind_all);
    };
    if (!missing_.empty()) {
        co_await each_pending(repository_, note);
        co_await each_placed(repository_, last_position_, note);
    }
    for (const Missing& missing : missing_)
        if (!is_erased(missing.subject, missing.position))
            add(rows_table, missing.id, "the row is missing; the log says: " + missing.said);
    missing_.clear();
}

bool DatabaseCheck::is_erased(const SubjectTag& subject, std::int64_t position) const {
    const auto erased = erasures_.find(subject);
    return erased != erasures_.end() && erased->second >= position;
}

awaitable<void> DatabaseCheck::find_unlogged() {
    for (std::optional<Uuid> after = Uuid{}; after;) {
        show("looking for rows that are not in the log");
        const auto last = co_await repository_.end_of_portion(*after);
        const auto unlogged = co_await repository_.unlogged(*after, last);
        for (const std::string& id : unlogged) add(rows_table, id, unlogged_row);
        after = last;
    }
}

awaitable<void> DatabaseCheck::compare_order() {
    RowPlace former;
    for (;;) {
        show("comparing the order of rows");
        const auto found = co_await repository_.places(former, rows_at_once);
        for (const RowPlace& row : found) {
            check_place(former, row);
            former = row;
        }
        if (std::ssize(found) < rows_at_once) co_return;
    }
}

// A key that the log's key has not signed is not in the description, so verifiers refuse its receipts. The next start
// signs the keys of a version before 0.2, which it lists first, if no start has.
awaitable<void> DatabaseCheck::compare_receipt_keys() {
    const auto keys = co_await unsigned_receipt_keys(database_, known_.key);
    if (keys.empty()) co_return;
    const auto object =
        co_await store_.get(storage::Area::private_area, std::string(former_keys_object), former_keys_bytes_max);
    const auto former = object ? FormerKeys::parse(object->bytes) : FormerKeys(keys);
    for (const ReceiptKey& key : keys) {
        if (former && former->has(key)) {
            ++out_.former_keys;
            continue;
        }
        add("receipt_keys", key.kid,
            "the log's key has not signed this key, so verifiers refuse its receipts. Anyone with write access to "
            "the database may have added it; docs/guides/backup.md says what to do if the key belongs to this "
            "installation");
    }
}

void DatabaseCheck::check_place(const RowPlace& former, const RowPlace& row) {
    const bool is_first = former.user != row.user || former.type != row.type;
    const bool is_withdrawal = row.action == name_of(ConsentAction::withdrawn);
    const bool was_accepted = !is_first && former.action == name_of(ConsentAction::accepted);
    if (row.sequence != (is_first ? 1 : former.sequence + 1))
        add(rows_table, row.id, fmt::format("its sequence is {}, which does not follow the former row", row.sequence));
    else if (is_withdrawal && (!was_accepted || former.version != row.version))
        add(rows_table, row.id, "it withdraws what the row before it did not accept: a row was moved or removed");
    else if (!is_withdrawal && was_accepted && former.version >= row.version)
        add(rows_table, row.id, "it accepts what was accepted already: a row was moved or removed");
    // Either may be true of a service whose clock was set back, or within one second. Both are of a row that was moved.
    else if (!is_first && former.accepted_at > row.accepted_at && former.position > row.position && row.position)
        add(rows_table, row.id, "the log has it before the row that precedes it by its sequence");
}

}  // namespace consentry
