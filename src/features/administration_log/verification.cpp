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

namespace consentry {
namespace {

constexpr std::int64_t waiting_max = 10'000;
constexpr std::int64_t erasures_at_once = 1'000;

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

bool fits(const Evidence& evidence) {
    const auto salt = to_array<AddendumSalt>(*evidence.stored.salt);
    return salt && crypto::sha256(addendum_text(*evidence.act, *salt)) == evidence.entry.addendum;
}

// The tag is what an entry calls an account. An intruder who exchanges two tags exchanges two people.
bool names(const SubjectTag& tag, const std::optional<UserId>& user, const std::map<Bytes, TaggedAccount>& accounts) {
    if (!user) return tag == no_tag;
    const auto found = accounts.find(Bytes(tag.begin(), tag.end()));
    return found != accounts.end() && found->second.id == *user;
}

}  // namespace

// Neither a missing tag nor the mark of an account explains anything: an intruder who deletes evidence writes both. The
// erasure adds its entry to the consent log in the transaction that deletes the evidence. Call this once the entries
// were read, because an account may be erased meanwhile.
awaitable<std::vector<LogFinding>> AdministrationLog::explain(std::vector<BareEntry> bare,
                                                              std::chrono::days retention) {
    std::set<SubjectTag> erased;
    std::vector<LoggedErasure> portion;
    do {
        const Uuid after = portion.empty() ? Uuid{} : portion.back().id;
        portion = co_await repository_.erasures(after, erasures_at_once);
        for (const LoggedErasure& one : portion)
            if (const auto entry = parse_erasure_entry(one.entry)) erased.insert(entry->subject);
    } while (std::ssize(portion) == erasures_at_once);
    erased.erase(no_tag);  // it names no account, so no erasure has it
    const std::string time =
        retention == settings_.retention
            ? fmt::format(
                  "ACTIVITY_LOG_RETENTION_IN_DAYS is {}. If it was shorter before, name the shortest time with "
                  "--retention",
                  retention.count())
            : fmt::format("--retention is {}", retention.count());
    std::vector<LogFinding> out;
    for (const BareEntry& one : bare)
        if (!erased.contains(one.actor) && !erased.contains(one.subject))
            out.push_back(
                {LogFault::missing, one.position,
                 fmt::format("The evidence of entry {} was deleted before its time: {}.", one.position, time)});
    co_return out;
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
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto position = static_cast<std::uint64_t>(entries[i].position);
        const auto tell = [&](LogFault fault, std::string_view what) {
            out.found.push_back({fault, position, fmt::format("The evidence of entry {} {}.", position, what)});
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
        } else if (!names(read[i].actor, act->second->actor, accounts) ||
                   !names(read[i].subject, act->second->subject, accounts)) {
            tell(LogFault::altered, "belongs to an account whose tag was altered in the database");
        } else {
            ++out.fitting;
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

// Adds up what the portions of the log yield.
class AdministrationLog::EvidenceTally {
public:
    EvidenceTally(AdministrationLog& log, std::chrono::days retention) : log_(log), retention_(retention) {}

    awaitable<void> add(std::vector<StoredEntry> portion) {
        entries_ += portion.size();
        auto checked = co_await log_.check_evidence(std::move(portion), retention_);
        evidence_.fitting += checked.fitting;
        std::ranges::move(checked.found, std::back_inserter(evidence_.found));
        std::ranges::move(checked.bare, std::back_inserter(evidence_.bare));
    }
    std::uint64_t entries() const { return entries_; }
    const EvidenceFindings& evidence() const { return evidence_; }

private:
    AdministrationLog& log_;
    const std::chrono::days retention_;
    std::uint64_t entries_ = 0;
    EvidenceFindings evidence_;
};

awaitable<ActFindings> AdministrationLog::verify(std::optional<tlog::VerifierKey> key, std::optional<std::string> kept,
                                                 ComparisonProgress progress, std::chrono::days retention) {
    ActFindings out;
    retention = shorter_of(retention, settings_.retention);
    const auto state = co_await entries_.find_state();
    if (!key && state) {
        // The name of a log stays what it was when the log began.
        const auto known = tlog::VerifierKey::parse(state->verifier_key);
        const std::string name = known ? known->name() : settings_.origin + std::string(administration_log_suffix);
        auto own = tlog::VerifierKey::from_ed25519(name, tlog::KeyType::ed25519, key_.public_key().ed25519());
        if (own) key = std::move(*own);
    }
    const auto trusted = key;
    EvidenceTally tally(*this, retention);
    const auto visit = [&tally](const std::vector<StoredEntry>& entries) { return tally.add(entries); };
    auto log =
        co_await compare_log(database_, store_, administration_log_place(), std::move(key), visit, std::move(progress));
    const auto missing = std::ranges::count(log.found, LogFault::missing, &LogFinding::fault);
    out.unlogged = co_await count_unlogged(static_cast<std::uint64_t>(missing) + log.unnamed);
    out.entries = tally.entries();
    out.evidence = tally.evidence().fitting;
    std::ranges::copy(tally.evidence().found, std::back_inserter(log.found));
    if (!tally.evidence().bare.empty()) {
        auto unexplained = co_await explain(tally.evidence().bare, retention);
        std::ranges::move(unexplained, std::back_inserter(log.found));
    }
    std::ranges::sort(log.found, {}, [](const LogFinding& one) {
        return std::tuple(one.position.value_or(std::numeric_limits<std::uint64_t>::max()), one.fault,
                          std::string_view(one.text));
    });
    out.log = std::move(log);
    if (kept) {
        const std::uint64_t size = out.log.checkpoint ? out.log.checkpoint->size : 0;
        auto fault = co_await compare_with_kept(entries_, std::move(*kept), trusted, size);
        if (!fault.empty()) out.log.found.push_back({LogFault::checkpoint, {}, std::move(fault)});
    }
    if (!settings_.witness_lines.empty() && trusted && out.log.checkpoint && out.log.checkpoint->size > 0) {
        auto checked = co_await check_witnesses(entries_, *trusted, settings_.witness_lines);
        out.cosigned = std::move(checked.cosigned);
        if (!checked.fault.empty()) out.log.found.push_back({LogFault::checkpoint, {}, std::move(checked.fault)});
    }
    const auto waiting = co_await acts_.list_pending(waiting_max);
    out.waiting = waiting.size();
    co_return out;
}

}  // namespace consentry
