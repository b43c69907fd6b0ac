#include "features/acceptances/acceptances.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/errors.hpp"
#include "features/acceptances/consent_record.hpp"

namespace consentry {
namespace {

using storage::awaitable;
using storage::Expect;

// Two concurrent requests of one account conflict at the end of its history. A person does not send more than that.
constexpr int attempts_max = 3;
constexpr std::chrono::minutes clock_skew_max{1};  // of two instances

bool is_among(std::span<const PolicyType> types, PolicyType type) {
    return std::ranges::find(types, type) != types.end();
}

// What the guard finds about the wanted types.
struct Verdict {
    std::vector<PolicyType> missing;
    std::vector<ConsentGrace> graces;
};
Verdict judge(const RequiredVersions& required, const PolicyVersions& accepted, std::span<const PolicyType> wanted,
              TimePoint now) {
    Verdict out;
    for (const PolicyType type : all_policy_types) {
        const auto& demand = required[static_cast<std::size_t>(type)];
        const auto& version = accepted[static_cast<std::size_t>(type)];
        if (!demand || !is_among(wanted, type) || version >= demand->version) continue;
        if (version && demand->grace_version && *version >= *demand->grace_version && now < demand->grace_until)
            out.graces.push_back({type, demand->version, *demand->grace_until});
        else
            out.missing.push_back(type);
    }
    return out;
}

// Returns the language of the text that was shown: the requested one or the one with the requested hash, otherwise the
// language of the request, English, or the first one available.
std::optional<Language> shown_language(const LatestPolicy& policy, const AcceptRequest& wanted, Language requested) {
    const auto find = [&](auto matches) -> std::optional<Language> {
        const auto found = std::ranges::find_if(policy.hashes, matches);
        if (found == policy.hashes.end()) return std::nullopt;
        return found->first;
    };
    const auto is = [](Language language) { return [language](const auto& hash) { return hash.first == language; }; };
    if (wanted.language) return find(is(*wanted.language));
    if (wanted.content_hash) return find([&](const auto& hash) { return hash.second == *wanted.content_hash; });
    for (const Language language : {requested, Language::en})
        if (const auto found = find(is(language))) return found;
    return find([](const auto&) { return true; });
}

// Checks that the policy to be accepted is the one the user has seen.
bool is_of(const AcceptRequest& wanted, const LatestPolicy& policy) {
    if (wanted.version && *wanted.version != policy.version) return false;
    if (!wanted.content_hash) return true;
    return std::ranges::any_of(policy.hashes, [&](const auto& hash) {
        return hash.second == *wanted.content_hash && (!wanted.language || hash.first == *wanted.language);
    });
}

Addendum addendum_of(const ConsentCaller& caller, const Cause& cause, TimePoint now) {
    Addendum out{.acceptance = AcceptanceId::make(now), .user = caller.user, .session = caller.session};
    if (cause.origin) {
        out.ip_address = cause.origin->address;
        out.user_agent = cause.origin->user_agent;
    }
    return out;
}

Addendum addendum_of(GivenConsent consent) {
    return {.acceptance = {},
            .user = consent.user,
            .session = consent.session,
            .ip_address = std::move(consent.ip_address),
            .user_agent = std::move(consent.user_agent)};
}

// Empty if it is unknown, as of rows from elsewhere.
std::string hash_in(const ContentHashes& hashes, Language language) {
    const auto found = std::ranges::find(hashes, language, [](const auto& hash) { return hash.first; });
    return found == hashes.end() ? std::string() : found->second;
}

ConsentEvent acceptance_of(const Addendum& addendum, const LatestPolicy& policy, Language language, TimePoint now) {
    return {.addendum = addendum,
            .action = ConsentAction::accepted,
            .type = policy.type,
            .version = policy.version,
            .language = language,
            .content_hash = hash_in(policy.hashes, language),
            .at = now};
}

ConsentEvent event_of(const Addendum& addendum, const StoredConsent& stored, TimePoint at) {
    return {.addendum = addendum,
            .action = stored.action,
            .type = stored.type,
            .version = stored.version,
            .language = stored.language,
            .content_hash = hash_in(stored.hashes, stored.language),
            .at = at};
}

ConsentEvent withdrawal_of(const Addendum& addendum, const StoredConsent& former, TimePoint now) {
    ConsentEvent out = event_of(addendum, former, now);
    out.action = ConsentAction::withdrawn;
    return out;
}

// The log takes in waiting entries in the order of their times. An account's acceptance and withdrawal must not change
// places there because the clock of one instance is a little behind that of another. A clock that was set back by more
// was wrong before: then the present time is the right one.
TimePoint time_after(std::optional<TimePoint> former, TimePoint now) {
    const bool is_skewed = former && now <= *former && *former - now <= clock_skew_max;
    return is_skewed ? *former + milliseconds{1} : now;
}

}  // namespace

bool Acceptances::is_withdrawable(PolicyType type) const { return is_among(settings_.withdrawable, type); }

awaitable<Result<std::vector<ConsentGrace>>> Acceptances::admit(ConsentGrounds grounds,
                                                                std::span<const PolicyType> wanted) {
    const RequiredVersions required = co_await required_versions(grounds.policy_state);
    const TimePoint now = clock_.now();
    const bool may_be_taken_back =
        std::ranges::any_of(wanted, [this](PolicyType type) { return is_withdrawable(type); });
    const auto remembered = may_be_taken_back ? std::nullopt : accepted_.find(grounds.session);
    if (remembered && remembered->security_version == grounds.security_version) {
        Verdict verdict = judge(required, remembered->accepted, wanted, now);
        if (verdict.missing.empty()) co_return std::move(verdict.graces);
    }
    const auto standings = co_await repository_.standings(grounds.user);
    PolicyVersions accepted;
    PolicyVersions permanent;
    for (const Standing& standing : standings) {
        const auto i = static_cast<std::size_t>(standing.type);
        accepted[i] = standing.accepted;
        if (!is_withdrawable(standing.type)) permanent[i] = standing.accepted;
    }
    Verdict verdict = judge(required, accepted, wanted, now);
    if (verdict.missing.empty()) {
        accepted_.put(grounds.session, {grounds.security_version, permanent});
        co_return std::move(verdict.graces);
    }
    auto policies = co_await repository_.list_latest();
    std::erase_if(policies, [&](const LatestPolicy& policy) { return !is_among(verdict.missing, policy.type); });
    co_return fail(errors::term_policy_required, describe(policies));
}

awaitable<void> Acceptances::add_acceptances(storage::Transaction& transaction, GivenConsent consent, TimePoint now) {
    if (consent.types.empty()) co_return;
    const auto policies = co_await repository_.list_latest();
    const auto types = std::move(consent.types);
    const Language language = consent.language;
    Addendum addendum = addendum_of(std::move(consent));
    std::optional<SubjectTag> subject;
    for (const LatestPolicy& policy : policies) {
        if (!is_among(types, policy.type)) continue;
        const auto shown = shown_language(policy, {}, language);
        if (!shown) continue;
        const auto former_at = co_await repository_.last_at(addendum.user, policy.type);
        const TimePoint at = time_after(former_at, now);
        addendum.acceptance = AcceptanceId::make(at);
        // If the version is outdated by the time of the commit, nothing is recorded and the user is asked again.
        AcceptanceRepository::add_acceptance(transaction, Expect::any, addendum, policy.id, *shown, at);
        if (log_ == nullptr) continue;
        if (!subject) subject = co_await log_->subject_of(addendum.user, transaction);
        ConsentLog::add(transaction, acceptance_of(addendum, policy, *shown, at), *subject);
    }
}

awaitable<TimePoint> Acceptances::add_withdrawals(storage::Transaction& transaction, GivenConsent consent,
                                                  TimePoint now) {
    const auto types = std::move(consent.types);
    Addendum addendum = addendum_of(std::move(consent));
    std::optional<SubjectTag> subject;
    TimePoint next = now;
    const auto standing = co_await repository_.list_standing(addendum.user);
    for (const StoredConsent& former : standing) {
        if (!is_among(types, former.type)) continue;
        const TimePoint at = time_after(former.at, now);
        next = std::max(next, at + milliseconds{1});
        addendum.acceptance = AcceptanceId::make(at);
        AcceptanceRepository::add_withdrawal(transaction, Expect::any, addendum, former.type, at,
                                             former.addendum.acceptance);
        if (log_ == nullptr) continue;
        if (!subject) subject = co_await log_->subject_of(addendum.user, transaction);
        ConsentLog::add(transaction, withdrawal_of(addendum, former, at), *subject);
    }
    // Nothing may have been accepted after the query above: the withdrawal would not be in the log.
    for (const PolicyType type : types) {
        addendum.acceptance = AcceptanceId::make(now);
        AcceptanceRepository::add_withdrawal(transaction, Expect::none, addendum, type, now);
    }
    co_return next;
}

awaitable<Result<std::optional<std::string>>> Acceptances::accept(ConsentCaller caller, AcceptRequest wanted,
                                                                  Cause cause) {
    std::optional<TermPolicyId> tried;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        const auto latest = co_await find_latest(wanted.type);
        if (!latest) co_return fail(errors::term_policy_not_found);
        if (wanted.version && *wanted.version != latest->version) {
            const bool was_latest = co_await repository_.is_published(wanted.type, *wanted.version);
            if (!was_latest)
                co_return fail(Error{errors::term_policy_not_found}.with_message("termPolicy.error.versionNotFound"));
        }
        // A version published during the request must not be accepted unseen (DOC-5).
        if (!is_of(wanted, *latest) || (tried && *tried != latest->id))
            co_return fail(errors::term_policy_outdated, describe({&*latest, 1}));
        const auto language = shown_language(*latest, wanted, caller.language);
        if (!language) co_return fail(errors::term_policy_content_not_found);
        if (wanted.shown_diff_hash) {
            const bool is_known =
                co_await repository_.is_shown_diff(latest->type, latest->version, *wanted.shown_diff_hash);
            if (!is_known) co_return fail(errors::term_policy_diff_outdated, describe({&*latest, 1}));
        }
        tried = latest->id;
        const auto former_at = co_await repository_.last_at(caller.user, wanted.type);
        const TimePoint now =
            time_after(former_at, clock_.now());  // not earlier than the publication of the version read above
        PrivilegedTransaction transaction(caller.actor, now);
        Addendum addendum = addendum_of(caller, cause, now);
        addendum.shown_diff_hash = wanted.shown_diff_hash;
        AcceptanceRepository::add_acceptance(transaction, Expect::one, addendum, latest->id, *language, now);
        std::optional<Bytes> entry;
        if (log_ != nullptr) {
            const SubjectTag subject = co_await log_->subject_of(caller.user, transaction);
            entry = ConsentLog::add(transaction, acceptance_of(addendum, *latest, *language, now), subject);
        }
        Audit::add(transaction, caller.user, ActivityAction::user_accept_term_policy, cause, now,
                   {{"termPolicyId", latest->id.text()},
                    {"type", name_of(latest->type)},
                    {"version", latest->version},
                    {"language", name_of(*language)}});
        auto receipt = co_await sign_receipt(transaction, addendum.acceptance, std::move(entry));
        auto outcome = co_await std::move(transaction).commit(database_);
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (outcome->committed) {
            audit_.tell("consent.accepted", Outcome::success, caller.user, cause,
                        {{"type", std::string(name_of(latest->type))}, {"version", std::to_string(latest->version)}});
            co_return receipt;
        }
        const auto standings = co_await repository_.standings(caller.user);
        const Standing& standing = standings.at(static_cast<std::size_t>(wanted.type));
        if (standing.latest && standing.accepted == standing.latest)
            co_return fail(errors::term_policy_already_accepted);
    }
    throw Unavailable("acceptance: the history kept changing");
}

awaitable<Result<std::optional<std::string>>> Acceptances::withdraw(ConsentCaller caller, PolicyType type,
                                                                    Cause cause) {
    if (!is_withdrawable(type)) co_return fail(errors::term_policy_withdraw_not_allowed);
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        const auto standing = co_await repository_.list_standing(caller.user);
        const auto former = std::ranges::find(standing, type, &StoredConsent::type);
        if (former == standing.end()) co_return fail(errors::term_policy_not_accepted);
        const TimePoint now = time_after(former->at, clock_.now());
        PrivilegedTransaction transaction(caller.actor, now);
        const Addendum addendum = addendum_of(caller, cause, now);
        AcceptanceRepository::add_withdrawal(transaction, Expect::one, addendum, type, now,
                                             former->addendum.acceptance);
        std::optional<Bytes> entry;
        if (log_ != nullptr) {
            const SubjectTag subject = co_await log_->subject_of(caller.user, transaction);
            entry = ConsentLog::add(transaction, withdrawal_of(addendum, *former, now), subject);
        }
        Audit::add(transaction, caller.user, ActivityAction::user_withdraw_term_policy, cause, now,
                   {{"type", name_of(type)}});
        auto receipt = co_await sign_receipt(transaction, addendum.acceptance, std::move(entry));
        auto outcome = co_await std::move(transaction).commit(database_);
        if (!outcome) co_return fail(std::move(outcome.error()));
        if (outcome->committed) {
            audit_.tell("consent.withdrawn", Outcome::success, caller.user, cause,
                        {{"type", std::string(name_of(type))}});
            co_return receipt;
        }
    }
    throw Unavailable("withdrawal: the history kept changing");
}

awaitable<std::vector<PolicyType>> Acceptances::list_withdrawable(UserId user) {
    std::vector<PolicyType> out;
    for (const StoredConsent& standing : co_await repository_.list_standing(user))
        if (is_withdrawable(standing.type)) out.push_back(standing.type);
    std::ranges::sort(out);
    co_return out;
}

// Before the commit: if it fails afterwards, the client repeats a request that has been carried out.
awaitable<std::optional<std::string>> Acceptances::sign_receipt(storage::Transaction& transaction, AcceptanceId id,
                                                                std::optional<Bytes> entry) {
    if (!entry) co_return std::nullopt;
    co_return co_await log_->receipt(transaction, id, std::move(*entry));
}

awaitable<bool> Acceptances::complete_log(std::optional<TimePoint> since) {
    bool is_complete = true;
    AcceptanceId after = since ? AcceptanceId::make(*since) : AcceptanceId{};
    while (after.uuid() != Uuid::greatest()) {
        const AcceptanceId last = co_await repository_.end_of_portion(after);
        const bool all_are_logged = co_await log_all(co_await repository_.list_unlogged(after, last));
        is_complete = is_complete && all_are_logged;
        after = last;
        // SQLite reads on this thread: lets it serve requests between portions.
        co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
    }
    co_return is_complete;
}

// One transaction each: another process may add the same entry, erase the account or give it a tag, and then only that
// one fails. Returns whether none did.
awaitable<bool> Acceptances::log_all(std::vector<StoredConsent> consents) {
    bool all_are_logged = true;
    for (const StoredConsent& consent : consents) {
        storage::Transaction transaction;
        AcceptanceRepository::add_not_erased(transaction, consent.addendum.user);
        const SubjectTag subject = co_await log_->subject_of(consent.addendum.user, transaction);
        ConsentEvent event = event_of(consent.addendum, consent, consent.at);
        event.is_late = true;
        ConsentLog::add(transaction, event, subject);
        const auto outcome = co_await database_.commit(std::move(transaction));
        all_are_logged = all_are_logged && outcome.committed;
    }
    co_return all_are_logged;
}

awaitable<Result<std::string>> Acceptances::record(UserId user, AcceptanceId id) {
    const auto facts = co_await repository_.find_record(user, id);
    if (!facts) co_return fail(errors::term_policy_acceptance_not_found);
    const auto policies = co_await repository_.find_published({facts->acceptance.policy});
    const TermPolicy& policy = policies.at(facts->acceptance.policy);
    std::vector<TermPolicy> continued;
    if (facts->is_newest && facts->acceptance.action == ConsentAction::accepted) {
        continued = co_await repository_.list_successors(facts->type, policy.version);
        continued.erase(std::ranges::find_if(continued, &TermPolicy::is_material), continued.end());
    }
    const std::string address =
        store_.public_address(settings_.paths.publication(facts->type, policy.version, facts->acceptance.language));
    co_return consent_record(
        *facts, policy, continued,
        {.is_consent = is_withdrawable(facts->type), .controller = settings_.controller, .notice_address = address});
}

awaitable<std::optional<LatestPolicy>> Acceptances::find_latest(PolicyType type) {
    const auto policies = co_await repository_.list_latest();
    const auto found = std::ranges::find(policies, type, &LatestPolicy::type);
    if (found == policies.end()) co_return std::nullopt;
    co_return *found;
}

boost::json::object Acceptances::describe(std::span<const LatestPolicy> policies) const {
    boost::json::array out;
    for (const LatestPolicy& policy : policies) {
        boost::json::array contents;
        for (const auto& [language, hash] : policy.hashes)
            contents.push_back(
                {{"language", name_of(language)},
                 {"url", store_.public_address(settings_.paths.publication(policy.type, policy.version, language))},
                 {"contentHash", hash}});
        out.push_back({{"type", name_of(policy.type)}, {"version", policy.version}, {"contents", std::move(contents)}});
    }
    return {{"policies", std::move(out)}};
}

}  // namespace consentry
