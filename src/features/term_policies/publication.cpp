#include "features/term_policies/publication.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "features/term_policies/announcement_repository.hpp"
#include "features/term_policies/content_check.hpp"

namespace consentry {
namespace {

// Each retry means that a concurrent change committed between a read and a write, or that the clock jumped.
constexpr int publish_tries_max = 8;
constexpr milliseconds shortest_claim = std::chrono::minutes{2};
// Browsers display this type inline; they neither execute nor download it.
constexpr std::string_view published_mime = "text/plain; charset=utf-8";

TermPolicy published_as(TermPolicy draft, const PublicationTerms& terms, std::optional<UserId> by, TimePoint now) {
    TermPolicy out = std::move(draft);
    out.status = PolicyStatus::published;
    out.published_at = out.updated_at = now;
    out.updated_by = by;
    out.is_material = terms.is_material;
    out.material_reason = terms.reason;
    if (terms.is_material && terms.grace_in_days > 0) {
        out.grace_in_days = terms.grace_in_days;
        out.grace_until = now + std::chrono::days{terms.grace_in_days};
    }
    return out;
}

}  // namespace

void add_policy_activity(storage::Transaction& transaction, const Actor& by, ActivityAction action,
                         const TermPolicy& policy, const Cause& cause, TimePoint now,
                         std::optional<Language> language) {
    boost::json::object facts{
        {"termPolicyId", policy.id.text()}, {"type", name_of(policy.type)}, {"version", policy.version}};
    if (language) facts["language"] = name_of(*language);
    Audit::add_by(transaction, by, action, cause, now, std::move(facts));
}

Publication::Publication(storage::Database& database, storage::ObjectStore& store, const Clock& clock,
                         const Mails& mails, Audit audit, const PublicationLog* log, PolicyPaths paths)
    : database_(database),
      store_(store),
      repository_(database),
      clock_(clock),
      mails_(mails),
      audit_(audit),
      log_(log),
      paths_(std::move(paths)) {}

milliseconds Publication::claimed_for() const {
    return std::max(shortest_claim, 2 * store_.longest_call() + LooseObjects::margin);
}

awaitable<Result<TermPolicy>> Publication::publish(Actor by, TermPolicyId id, PublicationTerms terms, Cause cause) {
    for (int i = 0; i < publish_tries_max; ++i) {
        auto seen = co_await repository_.find(id);
        if (!seen) co_return fail(errors::term_policy_not_found);
        if (seen->status == PolicyStatus::published) co_return fail(errors::term_policy_status_invalid);
        if (seen->contents.empty()) co_return fail(errors::term_policy_content_empty);
        if (!terms.is_material || terms.grace_in_days > 0) {
            const bool is_successor = co_await repository_.is_successor(seen->type, seen->version);
            if (!is_successor && !terms.is_material) co_return fail(errors::term_policy_material_required);
            // It would be announced to all users and admit none, because no acceptance can be of an older version.
            if (!is_successor) co_return fail(errors::term_policy_grace_not_allowed);
        }
        auto published = co_await try_once(by, static_cast<TermPolicy&&>(*seen), terms, cause);
        if (!published) co_return fail(std::move(published.error()));
        if (*published) co_return std::move(**published);
    }
    throw Unavailable("publishing a term policy: it kept changing");
}

awaitable<Result<std::optional<TermPolicy>>> Publication::try_once(Actor by, TermPolicy seen, PublicationTerms terms,
                                                                   Cause cause) {
    auto files = co_await read(seen);
    if (!files) {
        const auto now = co_await repository_.find(seen.id);
        if (!now || now->status != seen.status || now->revision != seen.revision) co_return std::nullopt;
        co_return fail(std::move(files.error()));
    }
    auto claimed = co_await claim(by, seen);
    if (!claimed) co_return fail(std::move(claimed.error()));
    if (!*claimed) co_return std::nullopt;
    const bool put = co_await put_all(seen, std::move(*files));
    if (!put) co_return std::nullopt;
    TermPolicy out = published_as(std::move(seen), terms, cause.actor, clock_.now());
    auto decided = co_await decide(by, out, cause);
    if (!decided) co_return fail(std::move(decided.error()));
    if (!*decided) co_return std::nullopt;
    mails_.wake();
    audit_.tell("policy.published", Outcome::success, std::nullopt, cause,
                {{"type", std::string(name_of(out.type))}, {"version", std::to_string(out.version)}});
    co_return out;
}

awaitable<Result<Publication::Files>> Publication::read(TermPolicy policy) {
    Files files;
    ContentComplaints complaints;
    UnfilledTexts unfilled;
    for (const PolicyContent& content : policy.contents) {
        auto key = paths_.draft(policy.type, policy.version, content.language);
        auto object = co_await store_.get(storage::Area::private_area, std::move(key), policy_text_bytes_max);
        if (!object) {
            complaints.add(content.language, "absent");
        } else if (digest_of(object->bytes) != content.digest) {
            complaints.add(content.language, "changed");
        } else {
            unfilled.look_at(content.language, object->bytes);
            files.push_back(std::move(object->bytes));
        }
    }
    if (!complaints.empty()) co_return fail(complaints.error());
    if (!unfilled.empty()) co_return fail(unfilled.error());
    co_return files;
}

awaitable<Result<bool>> Publication::claim(Actor by, TermPolicy policy) {
    const TimePoint now = clock_.now();
    const TimePoint until = now + claimed_for();
    PrivilegedTransaction transaction(by, now);
    TermPolicyRepository::add_claim(transaction, policy, until);
    for (const PolicyContent& content : policy.contents)
        LooseObjects::add_expected(transaction,
                                   {storage::Area::public_area, policy.type, policy.version, content.language},
                                   until + LooseObjects::margin, std::nullopt, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    if (!outcome->committed && outcome->failed_at != 0)
        co_return fail(retry_later(errors::term_policy_busy, store_.longest_call() + LooseObjects::margin));
    co_return outcome->committed;
}

// Returns false if another publication finished first or this one took too long.
awaitable<bool> Publication::put_all(TermPolicy policy, Files files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        const PolicyContent& content = policy.contents[i];
        const auto key = paths_.publication(policy.type, policy.version, content.language);
        const TimePoint now = clock_.now();
        const TimePoint until = now + claimed_for();
        const bool renewed = co_await repository_.renew_claim(policy, until, now);
        // A put begun now must have taken effect or failed before the claim expires and others may change the document.
        if (!renewed || until - clock_.now() < store_.longest_call()) co_return false;
        co_await store_.put(storage::Area::public_area, key, std::move(files[i]), std::string(published_mime));
        const auto stored = co_await store_.get(storage::Area::public_area, key, policy_text_bytes_max);
        if (!stored || digest_of(stored->bytes) != content.digest)
            throw Unavailable("the object store does not give back what was put into it");
    }
    co_return true;
}

awaitable<Result<bool>> Publication::decide(Actor by, TermPolicy published, Cause cause) {
    const TimePoint now = published.updated_at;
    PrivilegedTransaction transaction(by, now);
    TermPolicyRepository::add_publication_lock(transaction, published.type);
    TermPolicyRepository::add_publish(transaction, published);
    // `now` was read a while ago. If the claim is over since, a sweeper may have erased the files.
    for (const PolicyContent& content : published.contents)
        LooseObjects::add_taken_up(
            transaction, {storage::Area::public_area, published.type, published.version, content.language}, now);
    LooseObjects::add_published(transaction, published.id);
    LooseObjects::add_released(transaction, published.id, now);
    // A change that is not material asks nothing of users, so they get no mail about it.
    if (published.is_material) AnnouncementRepository::add_insert(transaction, published.id, now);
    if (log_ != nullptr) log_->add(transaction, published);
    add_policy_activity(transaction, by, ActivityAction::admin_term_policy_publish, published, cause, now);
    auto outcome = co_await std::move(transaction).commit(database_);
    if (!outcome) co_return fail(std::move(outcome.error()));
    co_return outcome->committed;
}

}  // namespace consentry
