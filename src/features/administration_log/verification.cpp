// The comparison of acts with their entries, on top of that of the log with its publication.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "features/administration_log/administration_log.hpp"
#include "features/published_logs/known_checkpoint.hpp"
#include "features/published_logs/wrong_values.hpp"

namespace consentry {
namespace {

constexpr std::int64_t waiting_max = 10'000;
constexpr std::string_view altered_tag = "belongs to an account whose tag was altered in the database";

struct Evidence {
    const Act* act = nullptr;
    const StoredEntry& stored;
    const ActEntry& entry;
};

// Zero stands for forever.
std::chrono::days shorter_of(std::chrono::days one, std::chrono::days other) {
    if (one.count() == 0 || other.count() == 0) return std::max(one, other);
    return std::min(one, other);
}

LogFinding about_evidence(LogFault fault, std::uint64_t position, std::string_view what) {
    return {fault, position, fmt::format("The evidence of entry {} {}.", position, what)};
}

bool fits(const Evidence& evidence) {
    const auto salt = to_array<AddendumSalt>(*evidence.stored.salt);
    return salt && crypto::sha256(addendum_text(*evidence.act, *salt)) == evidence.entry.addendum;
}

// The tag is what an entry calls an account. An intruder who exchanges two tags exchanges two people. A tag that no
// account has is that of an erased account whose acts are not all erased yet, or was altered.
enum class Naming { right, wrong, of_no_account };
Naming naming(const SubjectTag& tag, const std::optional<UserId>& user,
              const std::map<Bytes, TaggedAccount>& accounts) {
    if (!user || tag == no_tag) return !user && tag == no_tag ? Naming::right : Naming::wrong;
    const auto found = accounts.find(Bytes(tag.begin(), tag.end()));
    if (found == accounts.end()) return Naming::of_no_account;
    return found->second.id == *user ? Naming::right : Naming::wrong;
}

}  // namespace

// Neither a missing tag nor the mark of an account explains anything: an intruder who deletes evidence writes both. The
// erasure adds its entry to the consent log in the transaction that deletes the tag and the first evidence. Call this
// once the entries were read, because an account may be erased meanwhile.
awaitable<std::set<SubjectTag>> AdministrationLog::erased_tags() {
    std::set<SubjectTag> erased;
    for (Uuid after; after != Uuid::greatest();) {
        const Uuid last = co_await repository_.end_of_portion(after);
        const auto found = co_await repository_.erasures(after, last);
        for (const Bytes& one : found)
            if (const auto entry = parse_erasure_entry(one)) erased.insert(entry->subject);
        after = last;
    }
    erased.erase(no_tag);  // it names no account, so no erasure has it
    co_return erased;
}

// Evidence may be erased after the entries were read, with its account or because of its age: the salt goes before the
// act, or with it. The positions are those of a portion, but for negative ones, which no log has.
awaitable<std::vector<StoredEntry>> AdministrationLog::without_erased_salts(std::vector<StoredEntry> entries) {
    const auto [least, greatest] = std::ranges::minmax(entries, {}, &StoredEntry::position);
    const auto now = co_await entries_.existing(std::max<std::int64_t>(least.position, 0), greatest.position + 1);
    std::set<Uuid> erased;
    for (const StoredEntry& one : now)
        if (!one.salt) erased.insert(one.id);
    for (StoredEntry& one : entries)
        if (erased.contains(one.id)) one.salt.reset();
    co_return entries;
}

awaitable<AdministrationLog::EvidenceFindings> AdministrationLog::check_evidence(std::vector<StoredEntry> entries,
                                                                                 std::chrono::days retention) {
    EvidenceFindings out;
    std::vector<Uuid> ids;
    std::vector<ActEntry> read(entries.size());
    std::vector<bool> is_read(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        ids.push_back(entries[i].id);
        const auto entry = parse_act_entry(entries[i].entry);
        is_read[i] = entry.has_value();
        if (entry) read[i] = *entry;
    }
    const auto accounts = co_await accounts_of(read);
    const auto acts = co_await acts_.list(ids);
    std::map<Uuid, const Act*> acts_by_id;
    for (const Act& act : acts) acts_by_id[act.id.uuid()] = &act;
    if (std::ranges::any_of(entries, [&](const StoredEntry& one) { return one.salt && !acts_by_id.contains(one.id); }))
        entries = co_await without_erased_salts(std::move(entries));
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto position = static_cast<std::uint64_t>(entries[i].position);
        const auto tell = [&](LogFault fault, std::string_view what) {
            out.found.push_back(about_evidence(fault, position, what));
        };
        if (!is_read[i]) continue;  // altered, and named by the comparison of the log
        const auto act = acts_by_id.find(entries[i].id);
        if (!entries[i].salt) {
            const bool is_old = retention.count() > 0 && read[i].time < clock_.now() - retention;
            if (!is_old) out.bare.push_back({position, read[i].actor, read[i].subject});
        } else if (act == acts_by_id.end()) {
            tell(LogFault::missing, "is missing from the database");
        } else if (!fits({act->second, entries[i], read[i]})) {
            tell(LogFault::altered, "was altered in the database");
        } else {
            const auto actor = naming(read[i].actor, act->second->actor, accounts);
            const auto subject = naming(read[i].subject, act->second->subject, accounts);
            if (actor == Naming::wrong || subject == Naming::wrong)
                tell(LogFault::altered, altered_tag);
            else if (actor == Naming::right && subject == Naming::right)
                ++out.fitting;
            else
                out.untagged.push_back({position, actor == Naming::right ? no_tag : read[i].actor,
                                        subject == Naming::right ? no_tag : read[i].subject});
        }
    }
    co_return out;
}

// `missing`: entries that the log has and the database lacks. Their acts have no entry there either, but the comparison
// of the log has named them, and the log must not take them in twice.
awaitable<std::uint64_t> AdministrationLog::count_unlogged(std::uint64_t missing) {
    const std::uint64_t count = co_await acts_.count_unlogged();
    co_return count - std::min(count, missing);
}

// The steps of a verification.
class AdministrationLog::Verification {
public:
    // The log must outlive this object.
    Verification(AdministrationLog& log, std::optional<tlog::VerifierKey> key, std::optional<std::string> kept,
                 ComparisonProgress progress, std::chrono::days retention)
        : log_(log),
          key_(std::move(key)),
          kept_(std::move(kept)),
          progress_(std::move(progress)),
          retention_(shorter_of(retention, log.settings_.retention)) {}

    awaitable<ActFindings> run();

private:
    awaitable<void> choose_key();
    awaitable<void> compare_entries();
    awaitable<void> add_evidence(const std::vector<StoredEntry>& entries);
    awaitable<void> explain_evidence();
    awaitable<void> merge_findings();
    awaitable<void> compare_with_kept();
    awaitable<void> compare_with_witnesses();
    awaitable<void> count_waiting();
    awaitable<void> name_wrong_values(std::string failure);
    void tell(LogFault fault, std::string text) { out_.log.found.push_back({fault, {}, std::move(text)}); }

    AdministrationLog& log_;
    std::optional<tlog::VerifierKey> key_;
    const std::optional<std::string> kept_;
    const ComparisonProgress progress_;
    const std::chrono::days retention_;
    bool is_compared_ = false;
    EvidenceFindings evidence_;
    ActFindings out_;
};

awaitable<ActFindings> AdministrationLog::Verification::run() {
    auto failure = co_await run_steps<Verification>(
        *this, {&Verification::choose_key, &Verification::compare_entries, &Verification::explain_evidence,
                &Verification::merge_findings, &Verification::compare_with_kept, &Verification::compare_with_witnesses,
                &Verification::count_waiting});
    if (!failure.empty()) co_await name_wrong_values(std::move(failure));
    co_return std::move(out_);
}

awaitable<void> AdministrationLog::Verification::choose_key() {
    if (key_) co_return;
    const auto state = co_await log_.entries_.find_state();
    if (!state) co_return;
    // The name of a log stays what it was when the log began.
    const auto known = tlog::VerifierKey::parse(state->verifier_key);
    const std::string name = known ? known->name() : log_.settings_.origin + std::string(administration_log_suffix);
    auto own = tlog::VerifierKey::from_ed25519(name, tlog::KeyType::ed25519, log_.key_.public_key().ed25519());
    if (own) key_ = std::move(*own);
}

awaitable<void> AdministrationLog::Verification::compare_entries() {
    const auto visit = [this](const std::vector<StoredEntry>& entries) { return add_evidence(entries); };
    auto compared =
        co_await compare_log(log_.database_, log_.store_, administration_log_place(), key_, visit, progress_);
    const auto missing = std::ranges::count(compared.found, LogFault::missing, &LogFinding::fault);
    out_.unlogged = co_await log_.count_unlogged(static_cast<std::uint64_t>(missing) + compared.unnamed);
    out_.log = std::move(compared);
    is_compared_ = true;
}

awaitable<void> AdministrationLog::Verification::add_evidence(const std::vector<StoredEntry>& entries) {
    out_.entries += entries.size();
    auto checked = co_await log_.check_evidence(entries, retention_);
    out_.evidence += checked.fitting;
    std::ranges::move(checked.found, std::back_inserter(evidence_.found));
    std::ranges::move(checked.bare, std::back_inserter(evidence_.bare));
    std::ranges::move(checked.untagged, std::back_inserter(evidence_.untagged));
}

awaitable<void> AdministrationLog::Verification::explain_evidence() {
    if (evidence_.bare.empty() && evidence_.untagged.empty()) co_return;
    const auto erased = co_await log_.erased_tags();
    const std::string time =
        retention_ == log_.settings_.retention
            ? fmt::format(
                  "ACTIVITY_LOG_RETENTION_IN_DAYS is {}. If it was shorter before, name the shortest time with "
                  "--retention",
                  retention_.count())
            : fmt::format("--retention is {}", retention_.count());
    for (const TaggedEntry& one : evidence_.bare)
        if (!erased.contains(one.actor) && !erased.contains(one.subject))
            evidence_.found.push_back(
                about_evidence(LogFault::missing, one.position, fmt::format("was deleted before its time: {}", time)));
    // That of an account which is being erased goes in portions, after the tag.
    const auto is_explained = [&](const SubjectTag& tag) { return tag == no_tag || erased.contains(tag); };
    for (const TaggedEntry& one : evidence_.untagged) {
        if (is_explained(one.actor) && is_explained(one.subject))
            ++out_.evidence;
        else
            evidence_.found.push_back(about_evidence(LogFault::altered, one.position, altered_tag));
    }
}

awaitable<void> AdministrationLog::Verification::merge_findings() {
    std::ranges::move(evidence_.found, std::back_inserter(out_.log.found));
    std::ranges::sort(out_.log.found, {}, [](const LogFinding& one) {
        return std::tuple(one.position.value_or(std::numeric_limits<std::uint64_t>::max()), one.fault,
                          std::string_view(one.text));
    });
    co_return;
}

awaitable<void> AdministrationLog::Verification::compare_with_kept() {
    if (!kept_ || !is_compared_) co_return;
    const std::uint64_t size = out_.log.checkpoint ? out_.log.checkpoint->size : 0;
    auto fault = co_await consentry::compare_with_kept(log_.entries_, *kept_, key_, size);
    if (!fault.empty()) tell(LogFault::checkpoint, std::move(fault));
}

awaitable<void> AdministrationLog::Verification::compare_with_witnesses() {
    const std::string& lines = log_.settings_.witness_lines;
    if (lines.empty() || !key_ || !out_.log.checkpoint || out_.log.checkpoint->size == 0) co_return;
    auto checked = co_await check_witnesses(log_.entries_, *key_, lines);
    out_.cosigned = std::move(checked.cosigned);
    if (!checked.fault.empty())
        tell(checked.is_contradicted ? LogFault::checkpoint : LogFault::witness, std::move(checked.fault));
}

awaitable<void> AdministrationLog::Verification::count_waiting() {
    const auto waiting = co_await log_.acts_.list_pending(waiting_max);
    out_.waiting = waiting.size();
}

awaitable<void> AdministrationLog::Verification::name_wrong_values(std::string failure) {
    const auto wrong = co_await log_.repository_.wrong_values();
    for (const WrongValue& value : wrong)
        tell(LogFault::altered,
             fmt::format("The {} of the row {} of {} is of a wrong type.", value.column, value.id, value.table));
    tell(LogFault::altered, fmt::format("The database has values of a wrong type{}. Compare again once they are right: "
                                        "not all entries could be compared.",
                                        wrong.empty() ? " (" + failure + ")" : ""));
}

awaitable<ActFindings> AdministrationLog::verify(std::optional<tlog::VerifierKey> key, std::optional<std::string> kept,
                                                 ComparisonProgress progress, std::chrono::days retention) {
    Verification verification(*this, std::move(key), std::move(kept), std::move(progress), retention);
    co_return co_await verification.run();
}

}  // namespace consentry
